"""A task that was answered after the moment to which its table is restored: `docs/operations.md` promises it."""

from tests.attacks.kept import Kept
from tests.harness.rev_2026_07_28.responding import open_requests, respond
from tests.harness.rev_2026_07_28.test_input_requests import says
from tests.harness.tasks import DeployedTasks


def test_it_asks_again_and_is_failed_by_the_sweep_when_it_is_answered(tasks: DeployedTasks) -> None:
    task = tasks.start("curious", batches=[["a"]])
    tasks.advance(minutes=10)
    moment = Kept.of(tasks.harness.table)
    respond(task, a=says("yes"))
    assert task.result.text == "noted, yes"

    moment.put_back()
    assert (task.status, list(open_requests(task))) == ("input_required", ["a"])
    respond(task, a=says("yes, again"))
    assert task.status == "working"
    tasks.advance(minutes=10)

    assert (task.status, task.message) == ("failed", "The work ended, and its outcome was not recorded.")
