"""The fixture `tasks`: the whole server in this process, on a clock that the test advances.

    def test_the_reminder_comes_after_an_hour(tasks: DeployedTasks) -> None:
        task = tasks.start("remind_me", after_seconds=3600, about="tea")

        tasks.advance(minutes=59)
        assert task.status == "working"

        tasks.advance(minutes=2)
        assert task.result.text == "Reminder after 3600 s: tea"

    def test_the_report_waits_for_its_approval(tasks: DeployedTasks) -> None:
        task = tasks.start("publish_report", csv="n\\n1")
        tasks.advance(days=2)
        (approval,) = task.client.input_requests(task.id)

        approval.decline()
        assert "not published" in task.result.text

The handlers are the real ones, table and buckets are moto's, and the tool runs on the state machine that `cdk deploy`
would deploy.  Only the authorizer is left out.  Time passes by `advance`, by `run`, and where a tool sleeps;
`time.sleep` in a tool takes no real time, but a tool that reads the machine's clock itself reads real time.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_tasks.features import catalogue
from tests.harness.harness import Harness, deployed
from tests.harness.synthesis import template
from tests.harness.tasks import DeployedTasks


@pytest.fixture
def tools_module() -> str:
    """Name the module whose `TOOLS` are on the harness; override it to test others than the deployed ones."""
    return "examples"


@pytest.fixture
def machines_module() -> str:
    """Name the package of the state machines on the harness; override it to test others than the deployed ones."""
    return "layers.examples.machines"


@pytest.fixture
def deployment(
    tools_module: str, machines_module: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Harness]:
    """The harness, with the template's functions on it."""
    made = template(tmp_path_factory, machines_module)
    listed = tmp_path / "catalogue.json"
    listed.write_text(catalogue.write(tools_module))
    with deployed(made, {"TOOLS_MODULE": tools_module, "CATALOGUE": str(listed)}) as harness:
        yield harness

        assert not harness.deliveries.lost, f"a function failed for good: {harness.deliveries.lost}"


@pytest.fixture
def tasks(deployment: Harness, revision: str) -> DeployedTasks:
    """The server on the harness, spoken to in each revision of the protocol."""
    return DeployedTasks(harness=deployment, revision=revision)
