"""States of a machine report progress: each passes its input on, and none can fail the work."""

import json

import pytest

from mcp_tasks.testing.state_machines.lambdas import FunctionDied
from tests.harness.tasks import DeployedTasks

NUMBERS = list(range(5, 25))


@pytest.fixture
def tools_module() -> str:
    return "tests.harness.machine_tools"


@pytest.fixture
def machines_module() -> str:
    return "tests.harness.sample_machines"


def progress(tasks: DeployedTasks) -> list[tuple[float, float, str] | None]:
    """Return progress, total and message of every task, as they are stored."""
    stored = [json.loads(item["details"]["S"])["progress"] for item in tasks.harness.table.items() if "details" in item]
    return [each and (each["progress"], each["total"], each["message"]) for each in stored]


def test_every_item_of_a_map_counts_and_passes_its_input_on(tasks: DeployedTasks) -> None:
    task = tasks.start("counts", numbers=NUMBERS)

    assert task.result.structured == {"counted": NUMBERS}
    (reached,) = progress(tasks)
    assert reached in [(20, 20, f"counted {number}") for number in NUMBERS]


def test_a_report_that_fails_is_left_out_and_the_work_goes_on(tasks: DeployedTasks) -> None:
    def dies(event: object, context: object) -> None:
        raise FunctionDied

    tasks.harness.replace("report_progress", dies)
    result = tasks.run("counts", numbers=[1, 2])

    assert result.structured == {"counted": [1, 2]}
    assert progress(tasks) == [None]
