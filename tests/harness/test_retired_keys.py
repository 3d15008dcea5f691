"""Signing keys are rotated and revoked while tasks live: none is lost, and the old key is worth nothing afterwards."""

from collections.abc import Callable
from datetime import timedelta
from itertools import product
from typing import Literal

import pytest

from mcp_tasks.adapters.dynamodb.key_rotation import Rotation, rotate
from mcp_tasks.adapters.dynamodb.keys import DynamoKeys
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.limits.waits import KEYS_FRESH, RETIRED_KEY_LIFETIME
from mcp_tasks.testing.state_machines.resources import client
from tests.harness.executions import active, called, executions
from tests.harness.faults import death, places
from tests.harness.tasks import DeployedTask, DeployedTasks
from tests.slow import one_in

AT_ONCE = timedelta()
KINDS = pytest.mark.parametrize("accepted_for", [AT_ONCE, RETIRED_KEY_LIFETIME], ids=["revoked", "rotated"])


def table_of(tasks: DeployedTasks) -> Table:
    return Table(client=client("dynamodb"), name=tasks.harness.table.name, clock=tasks.harness.clock)


def retire(tasks: DeployedTasks, accepted_for: timedelta = AT_ONCE) -> Rotation:
    """Make the keys there are worth nothing, and let the time pass until they are."""
    done = rotate(table_of(tasks), accepted_for=accepted_for)
    tasks.advance(seconds=(accepted_for + KEYS_FRESH).total_seconds())
    assert done.retired
    assert [DynamoKeys(table_of(tasks)).find(name) for name in done.retired] == [None] * len(done.retired)
    return done


def ended(tasks: DeployedTasks, task: DeployedTask) -> str:
    """Return the result of a task that has nothing left behind."""
    assert (task.status, set(executions(tasks)), active(tasks)) == ("completed", {"SUCCEEDED"}, 0)
    return task.result.text


def test_a_suspended_task_goes_on_when_it_is_answered_each_time(tasks: DeployedTasks) -> None:
    task = tasks.start("curious", batches=[["a"], ["b"]])
    for said in ("yes", "again"):
        retire(tasks)
        (request,) = task.client.input_requests(task.id)
        request.accept(said=said)
        tasks.advance(seconds=1)

    assert ended(tasks, task) == "noted, yes, again"


def test_a_suspended_task_whose_time_is_over_goes_on_without_an_answer(tasks: DeployedTasks) -> None:
    task = tasks.start("curious", batches=[["a"]], seconds=3600)
    retire(tasks)
    tasks.advance(hours=1)

    assert ended(tasks, task) == "noted, nobody"


@KINDS
def test_a_task_that_sleeps_wakes(tasks: DeployedTasks, accepted_for: timedelta) -> None:
    task = tasks.start("doze", hours=[48, 24])
    retire(tasks, accepted_for)
    tasks.advance(hours=73)

    assert ended(tasks, task) == "rested, attempt 1"


def test_a_task_whose_tool_runs_is_run_again(tasks: DeployedTasks) -> None:
    task = tasks.start("slow", steps=20)
    tasks.advance(seconds=15)
    retire(tasks)
    assert (task.status, executions(tasks)) == ("working", ["RUNNING"])
    tasks.advance(minutes=6)

    assert ended(tasks, task) == "done"


def test_a_task_whose_tool_runs_while_its_key_is_rotated_is_not_disturbed(tasks: DeployedTasks) -> None:
    task = tasks.start("slow", steps=20)
    tasks.advance(seconds=15)
    rotate(table_of(tasks), accepted_for=RETIRED_KEY_LIFETIME)
    with called(tasks) as names:
        tasks.advance(minutes=6)

    assert ended(tasks, task) == "done"
    assert {"run_tool", "run_without_ticket"} & set(names) == set()


def test_a_task_whose_machine_is_its_own_runs_when_that_comes_to_it(tasks: DeployedTasks) -> None:
    task = tasks.start("curious_later", after_seconds=120)
    retire(tasks)
    tasks.advance(minutes=2)
    (request,) = task.client.input_requests(task.id)
    request.accept(said="late")
    tasks.advance(seconds=1)

    assert ended(tasks, task) == "late after 120 s"


def test_a_task_that_was_cancelled_meanwhile_is_not_run(tasks: DeployedTasks) -> None:
    task = tasks.start("doze", hours=[48])
    retire(tasks)
    task.cancel()
    tasks.advance(hours=49)

    assert (task.status, executions(tasks), active(tasks)) == ("cancelled", ["ABORTED"], 0)


def test_tickets_that_a_process_makes_with_the_old_key_a_moment_later_cost_a_retry_and_no_task(
    tasks: DeployedTasks,
) -> None:
    """One that ran last a moment ago still signs with the old key, which others refuse already."""
    tasks.start("doze", hours=[0.01])
    retire(tasks)
    tasks.advance(minutes=1)
    # So both have just read the keys: the one that makes tickets, and the one that reads them ...
    rotated = rotate(table_of(tasks), accepted_for=AT_ONCE)
    task = tasks.start("curious", batches=[["a"]])
    (request,) = task.client.input_requests(task.id)
    # ... and now the second reads them anew.
    tasks.advance(seconds=30)
    request.accept(said="yes")
    tasks.advance(minutes=3)

    assert DynamoKeys(table_of(tasks)).current()[0] == rotated.name
    assert ended(tasks, task) == "noted, yes"


def test_the_start_of_an_execution_is_not_repeated_with_another_ticket(tasks: DeployedTasks) -> None:
    """The table's stream starts it once more, after the key was rotated, and then the sweep finds it running."""
    task = tasks.start("doze", hours=[48])
    rotate(table_of(tasks), accepted_for=RETIRED_KEY_LIFETIME)
    tasks.advance(hours=2)

    assert (task.status, executions(tasks)) == ("working", ["RUNNING"])


CALLS: dict[str, Callable[[DeployedTasks], DeployedTask]] = {
    "suspended": lambda tasks: tasks.start("curious", batches=[["a"]], seconds=600),
    "asleep": lambda tasks: tasks.start("doze", hours=[0.2]),
    "running": lambda tasks: tasks.start("slow", steps=20),
}
RESULTS = {"suspended": "noted, nobody", "asleep": "rested", "running": "done"}
ROTATION = ("PutItem", "PutItem", "UpdateItem", "UpdateItem")
"""What changes the table: the new key, the month's that is there, its name in the month's, and the old one's end."""


def test_these_are_the_calls_of_a_rotation(tasks: DeployedTasks) -> None:
    CALLS["asleep"](tasks)
    calls: list[str] = []
    made = client("dynamodb")
    made.meta.events.register("before-call", lambda model, **_: calls.append(model.name))
    rotate(Table(client=made, name=tasks.harness.table.name, clock=tasks.harness.clock), accepted_for=AT_ONCE)

    assert tuple(name for name in calls if name not in ("GetItem", "Query")) == ROTATION


class Crash(KeyboardInterrupt):
    """The operator's process is gone."""


@pytest.mark.parametrize(
    ("state", "place", "when"),
    [
        pytest.param(*case, marks=marks)
        for case, marks in one_in(9, product(CALLS, range(len(ROTATION)), ("before", "after")))
    ],
)
def test_a_rotation_that_was_cut_off_anywhere_can_be_repeated_and_loses_no_task(
    tasks: DeployedTasks, state: str, place: int, when: Literal["before", "after"]
) -> None:
    task = CALLS[state](tasks)
    stolen = DynamoKeys(table_of(tasks)).current()[0]
    with pytest.raises(Crash):
        rotate(cut_off(tasks, place, when), accepted_for=AT_ONCE)
    tasks.advance(seconds=70)
    retire(tasks)
    tasks.advance(minutes=15)

    assert DynamoKeys(table_of(tasks)).find(stolen) is None
    assert ended(tasks, task).partition(",")[0] == RESULTS[state].partition(",")[0]


def cut_off(tasks: DeployedTasks, place: int, when: str) -> Table:
    calls: list[str] = []

    def crash(model: object, **_: object) -> None:
        calls.append(getattr(model, "name", ""))
        writes = [name for name in calls if name not in ("GetItem", "Query")]
        if len(writes) == place + 1 and calls[-1] == writes[-1]:
            raise Crash

    made = client("dynamodb")
    made.meta.events.register(f"{when}-call", crash)
    return Table(client=made, name=tasks.harness.table.name, clock=tasks.harness.clock)


CALLS_AFTER = (
    "Invoke",  # run_tool is told that the ticket of the execution is worth nothing
    "Invoke",  # run_without_ticket has the tool run with another one
    *("Invoke", "TransactWriteItems"),  # run_tool has its run loaded, which is given a slot
    "Invoke",  # reports what was reported
    *("Invoke", "PutItem", "TransactWriteItems"),  # has its outcome recorded
)


def asleep_for_two_minutes_more(tasks: DeployedTasks) -> DeployedTask:
    task = tasks.start("doze", hours=[0.06])
    retire(tasks)
    tasks.advance(seconds=30)
    return task


def test_these_are_the_calls_of_a_run_whose_ticket_is_worth_nothing(tasks: DeployedTasks) -> None:
    asleep_for_two_minutes_more(tasks)
    with death("before") as calls:
        tasks.advance(minutes=2.5)

    assert tuple(calls) == CALLS_AFTER


@places(CALLS_AFTER)
def test_that_run_survives_every_crash(tasks: DeployedTasks, place: int, when: Literal["before", "after"]) -> None:
    task = asleep_for_two_minutes_more(tasks)
    with death(when, place) as calls:
        tasks.advance(minutes=2.5)
    tasks.advance(minutes=2)

    assert len(calls) > place
    assert ended(tasks, task).partition(",")[0] == "rested"
