"""A process may die while it holds a slot, gives it away or leaves the queue: the queue goes on, and loses no slot."""

from typing import Literal

import pytest

from mcp_tasks.adapters.dynamodb.plan_items import PlanItems
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.tasks.named_plans import Grant
from mcp_tasks.testing.state_machines.resources import client
from tests.contract.queueing import counted
from tests.harness.executions import active, executions
from tests.harness.faults import death, places
from tests.harness.harness import Harness
from tests.harness.tasks import DeployedTask, DeployedTasks
from tests.harness.test_deaths import answered_all
from tests.kit import ADA

NEXT = "Waiting for its turn: 0 of your tasks come before it."
AFTER_ONE = "Waiting for its turn: 1 of your tasks comes before it."

CALLS_OF_A_TURN = (
    *("Invoke", "Invoke"),  # run_tool, which is tried again
    *("TransactWriteItems", "Invoke"),  # host_run says so in the status, and run_tool goes on
    *("PutItem", "TransactWriteItems"),  # has its outcome recorded by host_run
    *("TransactWriteItems", "StartExecution", "UpdateItem"),  # on_task_change gives the slot away, and starts the work
    "UpdateItem",  # it counts how long the first one took
    *("Invoke", "Invoke", "PutItem", "TransactWriteItems"),  # the next task's
)
CALLS_OF_A_CANCEL = (
    *("TransactWriteItems", "StopExecution"),  # serve_mcp
    "StopExecution",  # on_task_change, once more
)


@pytest.fixture
def deployment(deployment: Harness) -> Harness:
    """The harness, where Ada's tenant may run one task at a time."""
    table = Table(client=client("dynamodb"), name=deployment.table.name, clock=deployment.clock)
    PlanItems(table=table).write(ADA.tenant, Grant(overrides={"running_tasks": 1}), replacing=0)
    return deployment


def held(tasks: DeployedTasks) -> list[int]:
    """Return how many tasks run, and how many are queued, by the counters of the tenant, which are the subject's."""
    sums = counted(tasks.harness.table.items())
    assert [sums["using.running"], sums["using.queued"]] == [sums["running"], sums["queued"]]
    return [sums["running"], sums["queued"]]


def started(tasks: DeployedTasks, *deaths: int) -> list[DeployedTask]:
    """Start a task for each number of deaths: the first died with its slot, and is tried again in a second."""
    made = []
    for number in deaths:
        made.append(tasks.start("frail", deaths=number))
        tasks.advance(milliseconds=2)
    return made


def test_the_next_task_runs_when_the_process_of_one_that_holds_the_slot_is_killed_for_good(
    tasks: DeployedTasks,
) -> None:
    first, second, third = started(tasks, 99, 0, 0)
    assert (held(tasks), second.message, third.message) == ([1, 2], NEXT, AFTER_ONE)

    tasks.advance(minutes=1)

    assert (first.status, first.message) == ("failed", "The process that did the work died.")
    assert [task.result.text for task in (second, third)] == ["attempt 1", "attempt 1"]
    assert (held(tasks), active(tasks)) == ([0, 0], 0)


def test_a_task_whose_process_is_killed_keeps_its_slot_until_it_was_tried_again(tasks: DeployedTasks) -> None:
    first, second, third = started(tasks, 2, 0, 0)
    tasks.advance(seconds=1)
    assert (first.status, held(tasks), second.message) == ("working", [1, 2], NEXT)

    tasks.advance(minutes=1)

    assert [task.result.text for task in (first, second, third)] == ["attempt 3", "attempt 1", "attempt 1"]
    assert held(tasks) == [0, 0]


def test_these_are_the_calls_of_a_turn(tasks: DeployedTasks) -> None:
    started(tasks, 1, 0)
    with death("before") as calls:
        tasks.advance(minutes=1)

    assert tuple(calls) == CALLS_OF_A_TURN


@places(CALLS_OF_A_TURN)
def test_a_turn_survives_every_crash(tasks: DeployedTasks, place: int, when: Literal["before", "after"]) -> None:
    made = started(tasks, 1, 0)

    with death(when, place) as calls:
        tasks.advance(minutes=2)

    assert len(calls) > place
    assert [task.status for task in made] == ["completed"] * 2
    assert (held(tasks), active(tasks)) == ([0, 0], 0)
    # One that died with its task's outcome recorded may be stopped before it ends by itself.
    assert len(executions(tasks)) == 2
    assert set(executions(tasks)) <= {"SUCCEEDED", "ABORTED"}


def test_these_are_the_calls_of_a_cancel_of_what_is_queued(tasks: DeployedTasks) -> None:
    _, second, _ = started(tasks, 1, 0, 0)
    with death("before") as calls:
        second.cancel()

    assert tuple(calls) == CALLS_OF_A_CANCEL


@places(CALLS_OF_A_CANCEL)
def test_a_cancel_of_what_is_queued_survives_every_crash(
    tasks: DeployedTasks, place: int, when: Literal["before", "after"]
) -> None:
    first, second, third = started(tasks, 1, 0, 0)

    with death(when, place) as calls:
        answered = answered_all(tasks, lambda tasks: second.cancel())
        tasks.harness.run_until_idle()
    cancelled = second.status == "cancelled"

    assert len(calls) > place
    assert cancelled or not answered
    assert (held(tasks), third.message) == (([1, 1], NEXT) if cancelled else ([1, 2], AFTER_ONE))
    tasks.advance(minutes=1)
    assert [task.status for task in (first, third)] == ["completed"] * 2
    assert (held(tasks), active(tasks), executions(tasks)) == ([0, 0], 0, ["SUCCEEDED"] * (2 if cancelled else 3))
