"""A task sleeps in its state machine: nothing runs for days, and whatever dies meanwhile, it wakes at the same time."""

from contextlib import suppress
from typing import Literal

from tests.harness.executions import active, called, executions
from tests.harness.faults import death, places
from tests.harness.gateway import BadGateway
from tests.harness.tasks import DeployedTasks

CALLS_OF_A_SLEEP = (
    *("PutItem", "TransactWriteItems"),  # serve_mcp puts the arguments, and creates the task
    *("PutItem", "StartExecution", "UpdateItem"),  # makes the key of tickets, starts the work, and says so
    "Invoke",  # run_tool has its run loaded
    *("Invoke", "TransactWriteItems"),  # reports its status
    *("Invoke", "Invoke", "PutItem"),  # records when the task wakes, as a step
    *("Invoke", "TransactWriteItems"),  # and in the task
    *("Invoke", "TransactWriteItems"),  # run_tool has its run loaded, which is given a slot
    "Invoke",  # reports what was reported
    *("Invoke", "PutItem", "TransactWriteItems"),  # has its outcome recorded
)
BEFORE_THERE_IS_A_TASK = ((0, "before"), (0, "after"), (1, "before"))


def test_nothing_runs_while_a_task_sleeps_for_days(tasks: DeployedTasks) -> None:
    task = tasks.start("doze", hours=[48, 24])
    with called(tasks) as names:
        tasks.advance(hours=47, minutes=59)
    assert (task.status, task.message, executions(tasks), names) == ("working", "asleep", ["RUNNING"], [])

    tasks.advance(minutes=2)
    assert (task.status, executions(tasks)) == ("working", ["RUNNING"])
    with called(tasks) as names:
        tasks.advance(hours=23, minutes=57)
    assert names == []

    tasks.advance(minutes=2)
    assert (task.result.text, executions(tasks), active(tasks)) == ("rested, attempt 1", ["SUCCEEDED"], 0)


def test_a_task_is_cancelled_in_its_sleep(tasks: DeployedTasks) -> None:
    task = tasks.start("doze", hours=[48])
    tasks.advance(hours=24)

    task.cancel()
    assert (task.status, active(tasks), executions(tasks)) == ("cancelled", 0, ["ABORTED"])

    with called(tasks) as names:
        tasks.advance(hours=48)
    assert ("run_tool" in names, task.status) == (False, "cancelled")


def sleep(tasks: DeployedTasks) -> None:
    """Have a task sleep for 36 seconds, which no sweep sees; whoever answers the call may die."""
    with suppress(BadGateway):
        tasks.start("doze", hours=[0.01])
    tasks.advance(seconds=35)
    assert set(executions(tasks)) <= {"RUNNING"}, "it woke too early"
    tasks.advance(minutes=6)


def test_these_are_the_calls_of_a_sleep(tasks: DeployedTasks) -> None:
    tasks.client().request("tools/list", {})
    with death("before") as calls:
        sleep(tasks)

    assert tuple(calls) == CALLS_OF_A_SLEEP


@places(CALLS_OF_A_SLEEP)
def test_a_sleep_survives_every_crash(tasks: DeployedTasks, place: int, when: Literal["before", "after"]) -> None:
    tasks.client().request("tools/list", {})
    with death(when, place) as calls:
        sleep(tasks)

    assert len(calls) > place
    if not tasks.all():
        assert (place, when) in BEFORE_THERE_IS_A_TASK
        assert executions(tasks) == []
        return
    (task,) = tasks.all()
    assert (task.result.text.partition(",")[0], active(tasks), executions(tasks)) == ("rested", 0, ["SUCCEEDED"])
