"""A state machine hands data to its tool's code, in every run of the task."""

import pytest

from tests.harness.tasks import DeployedTasks


@pytest.fixture
def tools_module() -> str:
    return "tests.harness.machine_tools"


@pytest.fixture
def machines_module() -> str:
    return "tests.harness.sample_machines"


def test_a_tool_has_what_its_machine_handed_over_also_after_a_suspension(tasks: DeployedTasks) -> None:
    task = tasks.start("sums", numbers=[1, 2, 3])
    (request,) = task.client.input_requests(task.id)
    request.accept(number=100)
    tasks.advance(seconds=1)

    assert task.result.text == "14 114"
