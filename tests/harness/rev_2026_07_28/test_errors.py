"""In revision 2026-07-28 a tool's error is the result of a task that completed."""

from tests.harness.tasks import DeployedTasks


def test_a_tool_that_raises_is_a_task_that_completed(tasks: DeployedTasks) -> None:
    task = tasks.start("fails")

    assert (task.status, task.result.is_error) == ("completed", True)
