"""The pytest plugin: `pytest_plugins = ["mcp_tasks.testing.plugin"]` in the conftest.py of pytest's root folder.

    def test_the_report_waits_for_its_approval(client: Client, harness: Harness) -> None:
        task = client.start_task("publish_report", {"csv": "..."})
        harness.advance(days=2)
        (approval,) = task.input_requests

        approval.decline()
        assert "nobody approved it" in task.wait().text

A test that takes `client` runs once for each revision of the protocol that the server speaks.
"""

from collections.abc import Iterator, Mapping

import pytest

from mcp_tasks.features.listing import Features
from mcp_tasks.testing.client import Client
from mcp_tasks.testing.harness import REVISIONS, Harness
from mcp_tasks.testing.work import StateMachine


@pytest.fixture
def tools_module() -> str:
    """The name of the module whose `TOOLS` are tested; override it to test another than the deployed one."""
    return "tools"


@pytest.fixture
def state_machines() -> Mapping[str, StateMachine]:
    """A `StateMachine` for each state machine that a tool names; override it for tools that have one."""
    return {}


@pytest.fixture
def harness(tools_module: str, state_machines: Mapping[str, StateMachine]) -> Iterator[Harness]:
    """The server in one process, in simulated time; a crash that a test ordered and that never came is an error."""
    harness = Harness(Features.of_module(tools_module), state_machines)
    yield harness
    harness.check_crashes()


@pytest.fixture(params=REVISIONS)
def revision(request: pytest.FixtureRequest) -> str:
    """Each revision of the protocol."""
    return str(request.param)


@pytest.fixture
def client(harness: Harness, revision: str) -> Client:
    """A client of each revision, with task support and all client capabilities."""
    return harness.client(revision)
