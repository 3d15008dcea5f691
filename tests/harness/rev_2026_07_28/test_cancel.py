"""Revision 2026-07-28 acknowledges a cancellation of a task that is final, and the task stays as it is."""

from tests.harness.tasks import DeployedTasks


def test_a_cancelled_task_is_cancelled_again_to_no_effect(tasks: DeployedTasks) -> None:
    task = tasks.start("forgotten", after_seconds=120)
    task.cancel()
    tasks.advance(minutes=3)

    task.cancel()
    assert (task.status, task.message) == ("cancelled", "Cancelled on request.")


def test_a_finished_task_stays_finished_when_it_is_cancelled(tasks: DeployedTasks) -> None:
    task = tasks.start("frail", deaths=0)

    task.cancel()
    assert (task.status, task.result.text) == ("completed", "attempt 1")
