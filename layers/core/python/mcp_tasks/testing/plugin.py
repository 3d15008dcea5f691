"""The pytest plugin: `pytest_plugins = ["mcp_tasks.testing.plugin"]` in the conftest.py beside your tests.

    def test_the_report_waits_for_its_approval(client: Client, harness: Harness) -> None:
        task = client.start_task("publish_report", {"csv": "..."})
        harness.advance(days=2)
        (approval,) = task.input_requests

        approval.decline()
        assert "not published" in task.wait().text

A test that takes `client` runs once for each revision of the protocol that the server speaks.
"""

from collections.abc import Mapping

import pytest

from mcp_tasks.features.listing import Features
from mcp_tasks.testing.client import Client
from mcp_tasks.testing.harness import REVISIONS, Harness
from mcp_tasks.testing.work import StateMachine


@pytest.fixture
def tools_module() -> str:
    """Name the module whose `TOOLS` are tested; override it to test others than the deployed ones."""
    return "tools"


@pytest.fixture
def state_machines() -> Mapping[str, StateMachine]:
    """Return what stands for state machines of the tools' own, by name; override it where a tool has one."""
    return {}


@pytest.fixture
def harness(tools_module: str, state_machines: Mapping[str, StateMachine]) -> Harness:
    """The server in this process, in simulated time."""
    return Harness(Features.of_module(tools_module), state_machines)


@pytest.fixture(params=REVISIONS)
def revision(request: pytest.FixtureRequest) -> str:
    """Each revision of the protocol."""
    return str(request.param)


@pytest.fixture
def client(harness: Harness, revision: str) -> Client:
    """A client of that revision that knows tasks and can be asked for everything."""
    return harness.client(revision)
