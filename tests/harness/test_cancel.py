"""A cancelled task is cancelled at once, and its work stops."""

from tests.harness.executions import active, executions
from tests.harness.tasks import DeployedTasks


def test_a_wait_is_cancelled(tasks: DeployedTasks) -> None:
    task = tasks.start("forgotten", after_seconds=120)
    tasks.advance(minutes=1)

    task.cancel()

    assert (task.status, active(tasks), executions(tasks)) == ("cancelled", 0, ["ABORTED"])


def test_what_was_cancelled_stays_so(tasks: DeployedTasks) -> None:
    task = tasks.start("forgotten", after_seconds=120)
    task.cancel()

    tasks.advance(minutes=3)

    assert (task.status, task.message, executions(tasks)) == ("cancelled", "Cancelled on request.", ["ABORTED"])


def test_a_running_tool_learns_of_it_at_its_next_report(tasks: DeployedTasks) -> None:
    task = tasks.start("slow", steps=25)
    tasks.advance(seconds=25)
    assert task.message == "step 2"

    task.cancel()
    assert (task.status, executions(tasks)) == ("cancelled", ["ABORTED"])

    tasks.advance(minutes=5)
    assert task.message == "Cancelled on request."
