"""In revision 2025-11-25 a tool's error is a task that failed."""

from tests.harness.tasks import DeployedTasks


def test_a_tool_that_raises_is_a_task_that_failed(tasks: DeployedTasks) -> None:
    task = tasks.start("fails")

    assert (task.status, task.result.is_error) == ("failed", True)
