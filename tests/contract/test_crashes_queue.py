"""A process dies right before or right after each AWS call by which tasks queue and start; then the sweep comes."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import cycle
from typing import Any, NamedTuple

import pytest

from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.limits.waits import GRACE, KEPT
from mcp_tasks.tasks.documents import document_of
from mcp_tasks.tasks.model import OutcomeKind, State, Task
from mcp_tasks.tasks.plan import Plan
from mcp_tasks.tasks.stored_bytes import size_of
from mcp_tasks.tasks.transitions import is_final
from tests.cloud import Cloud, scan
from tests.contract.process import READS, TRIED, Crash, Fuse, When
from tests.contract.queue_scenario import Scenario, long
from tests.contract.queueing import Tenant, counted
from tests.contract.step_functions import Place
from tests.kit import ADA
from tests.slow import one_of
from tests.unit.jobs import MINUTE

ONE = Plan(running_tasks=1, subject_share=1, suspended_tasks=9, stored_bytes=9_999)
SHORT = 12 * MINUTE
"""The ttl of a task that expires while another one runs."""
WRITE = "transact_write_items"
NOBODY_WAITS = ["query"]
ALL_RUN = ["query", "query"]
"""Somebody waits, and no slot is free."""
TURN = [*ALL_RUN, "query", "get_item", "get_item", WRITE]
"""A slot is free, and whose turn it is gets it."""
START = ["get_item", "start_execution", "update_item"]
MEASURE = ["get_item", "update_item"]
"""How long the task took is counted, once a minute for each tool."""
DUE = ["query"] * 4
"""One of each shard of the tasks that are due for the sweep."""
COUNTERS = ["query", "get_item"]
"""Of an owner and its tenant: whether they can be read is looked at before the first check of one of its tasks."""
CHECK, POSTPONE = ["get_item", "update_item"], ["describe_execution", "update_item"]
END = ["get_item", WRITE, "stop_execution"]
GIVE_UP = ["get_item", WRITE, "stop_execution"]
QUEUED = ["get_item", *ALL_RUN, "update_item"]
"""Nothing of the task has run, so that there is nothing to describe."""

Tasks = list[Task]


class Act(NamedTuple):
    """What a process does that may die, to the tasks that it is given."""

    given: Callable[[Scenario], Tasks]
    does: Callable[[Scenario, Tenant, Tasks], object]
    calls: list[str]


def waiting(scenario: Scenario) -> Tasks:
    """Return a task that waits for its user, one that runs and one that is queued."""
    return [scenario.suspended(), scenario.start(), scenario.start()]


def answered(scenario: Scenario) -> Tasks:
    """Return a suspended task whose answer came while another one ran, that one, and one that is queued behind."""
    tasks = waiting(scenario)
    scenario.tenant.answer(tasks[0])
    return tasks


def its_turn_came(scenario: Scenario) -> Tasks:
    """Return the same when the answered task has its slot, and its execution was not resumed: there is an outage."""
    tasks = answered(scenario)
    scenario.machine.down = True
    scenario.tenant.finish(tasks[1])
    scenario.machine.down = False
    scenario.machine.ran(tasks[1].id, None)
    return tasks


def its_turn_came_minutes_ago(scenario: Scenario) -> Tasks:
    tasks = its_turn_came(scenario)
    scenario.tenant.clock.advance(2 * MINUTE)
    return tasks


def awake(scenario: Scenario) -> Tasks:
    """Return a task that slept, was run without a slot and is about to wait for one, and the one that runs."""
    tasks = [scenario.start(), scenario.start(long)]
    scenario.wake_without_a_slot(tasks[0], after=MINUTE)
    scenario.runs.clear()
    return tasks


def queued_for_long(scenario: Scenario) -> Tasks:
    """Return an answered task and a new one that both wait for a slot, for as long as they may, and what runs."""
    suspended, runs, queued = scenario.suspended(SHORT), scenario.start(long), scenario.start(ttl=SHORT)
    scenario.tenant.answer(suspended)
    scenario.start()
    scenario.tenant.clock.advance(SHORT - KEPT + GRACE)
    return [suspended, runs, queued]


def deleted(scenario: Scenario) -> Tasks:
    """Return the same when both have expired, and the table's TTL has deleted their items."""
    tasks = queued_for_long(scenario)
    scenario.tenant.clock.advance(KEPT)
    for task in (tasks[0], tasks[2]):
        scenario.delete(task)
    return tasks


def deliver(number: int) -> Callable[[Scenario, Tenant, Tasks], object]:
    return lambda scenario, tenant, tasks: tenant.deliver(scenario.deleted[number], None)


def sweep(scenario: Scenario, tenant: Tenant, tasks: Tasks) -> None:
    tenant.reconciler.sweep(limit=9)


def suspend(scenario: Scenario, tenant: Tenant, tasks: Tasks) -> None:
    scenario.machine.step(tasks[0].id, run=scenario.run, suspend=tenant.suspension.suspend)


ACTS: dict[str, Act] = {
    "create": Act(
        waiting,
        lambda scenario, tenant, tasks: tenant.start(),
        ["query", "get_item", "query", "query", "put_item", WRITE, "query", WRITE, *ALL_RUN, "query"],
    ),
    "answer": Act(
        waiting,
        lambda scenario, tenant, tasks: tenant.answer(tasks[0]),
        ["get_item", WRITE, "query", WRITE, *ALL_RUN, "get_item"],
    ),
    "finish": Act(
        waiting,
        lambda scenario, tenant, tasks: tenant.finish(tasks[1]),
        ["get_item", "get_item", "put_item", WRITE, *TURN, *START, *NOBODY_WAITS, *MEASURE],
    ),
    "cancel what runs": Act(
        waiting,
        lambda scenario, tenant, tasks: tenant.cancel(tasks[1]),
        ["get_item", *END, "stop_execution", *TURN, *START, *NOBODY_WAITS],
    ),
    "cancel what is queued": Act(
        waiting,
        lambda scenario, tenant, tasks: tenant.cancel(tasks[2]),
        ["get_item", *END, "stop_execution"],
    ),
    "ask": Act(
        waiting,
        lambda scenario, tenant, tasks: scenario.ask(tenant, tasks[1]),
        ["get_item", WRITE, *TURN, *START, *NOBODY_WAITS, "get_item", WRITE],
    ),
    "finish, and resume what was answered": Act(
        answered,
        lambda scenario, tenant, tasks: tenant.finish(tasks[1]),
        ["get_item", "get_item", "put_item", WRITE, *TURN, "send_task_success", *ALL_RUN, *MEASURE],
    ),
    "cancel what was answered and is queued": Act(
        answered,
        lambda scenario, tenant, tasks: tenant.cancel(tasks[0]),
        ["get_item", *END, "stop_execution"],
    ),
    "resume what was answered, by the stream": Act(
        its_turn_came,
        lambda scenario, tenant, tasks: tenant.deliver(*turn_of(scenario, tasks[0])),
        ["send_task_success"],
    ),
    "resume what was answered, by the sweep": Act(
        its_turn_came_minutes_ago,
        sweep,
        [*DUE, *COUNTERS, *CHECK, "describe_execution", "send_task_success", "update_item", *QUEUED],
    ),
    "suspend what is queued": Act(awake, suspend, ["get_item", WRITE]),
    "expire what was answered and what is new, by the sweep": Act(
        queued_for_long,
        sweep,
        [*DUE, *COUNTERS, *CHECK, *POSTPONE, *CHECK, *GIVE_UP, *CHECK, *GIVE_UP, *QUEUED],
    ),
    "expire what was answered, by the stream": Act(deleted, deliver(0), ["get_item", WRITE, "stop_execution"]),
    "expire what is new, by the stream": Act(deleted, deliver(1), ["get_item", WRITE, "stop_execution"]),
}


def turn_of(scenario: Scenario, task: Task) -> tuple[Task, Task]:
    """Return a queued task before and after it was given its slot."""
    after = scenario.read(task)
    return replace(after, state=State.QUEUED), after


@pytest.fixture
def scenario(dynamo_store: DynamoTaskStore, aws: Cloud) -> Scenario:
    return Scenario.of(dynamo_store, aws, ONE)


def check(scenario: Scenario) -> None:
    """Assert that counters and places are those of the tasks, and that nobody runs beyond the plan."""
    items, stored = scan(scenario.aws.dynamodb), scenario.stored()
    uncounted = scenario.uncounted()
    tasks = [*stored, *(task for task in scenario.deleted if task not in uncounted)]
    running = [task for task in tasks if task.holding.slot is not None]
    queued = [task for task in tasks if task.holding.queue is not None]
    active = sum(task.holding.active for task in tasks)
    suspended = sum(task.holding.suspended for task in tasks)
    assert counted(items) == {
        "active": active, "running": len(running), "queued": len(queued), "suspended": suspended,
        "using.active": active, "using.running": len(running), "using.queued": len(queued),
        "using.suspended": suspended,
    }  # fmt: skip
    assert suspended == sum(bool(task.input_requests) for task in tasks)
    places = {item["SK"]["S"][-36:] for item in items if item["SK"]["S"].startswith("queue#")}
    assert places == {task.id for task in queued}
    assert {task.id for task in queued} == {task.id for task in tasks if task.state is State.QUEUED}
    assert len(running) <= 1
    assert active == sum(not is_final(task) for task in tasks)
    check_bytes(scenario)


def check_bytes(scenario: Scenario) -> None:
    """Assert that of the tenant and of its subject, what is stored with each task and each outcome is counted."""
    kept = [int(item["bytes"]["N"]) for item in scan(scenario.aws.dynamodb) if item["SK"]["S"].startswith("kept#")]
    stored = scenario.stored()
    outcomes = [scenario.tenant.store.outcome(ADA.owner_key, task.id) for task in stored if task.outcome_kind]
    results = sum(size_of(document_of(outcome)) for outcome in outcomes)
    assert sum(kept) == 2 * (len([*stored, *scenario.deleted]) * size_of({}) + results)


def check_over(scenario: Scenario) -> None:
    """Assert that all work came to its end, but for what waits for its user, and that none was done for nobody."""
    check(scenario)
    executions = scenario.machine.executions
    for task in scenario.stored():
        assert task.state in (State.INPUT_REQUIRED, State.FINISHED, State.CANCELLED)
        match task:
            case Task(state=State.INPUT_REQUIRED):
                assert (executions[task.id].status, executions[task.id].place) == ("RUNNING", Place.WAIT)
            case Task(outcome_kind=OutcomeKind.RETURNED):
                assert executions[task.id].status == "SUCCEEDED"
            case _:
                assert task.id not in executions or executions[task.id].status == "ABORTED"
    for task in scenario.deleted:
        assert task.id not in executions or executions[task.id].status == "ABORTED"
    assert len(set(scenario.runs)) == len(scenario.runs), "it was started, or resumed, twice or without a slot"
    new = [task_id for task_id in scenario.runs if not executions[task_id].tokens]
    assert new == sorted(new)
    assert not [task for task in scenario.stored() if task.holding.slot is not None]


def cuts() -> Iterator[Any]:
    """Yield each place at which an act may be cut off; at every third call that is no read, one is not slow."""
    turn = cycle(TRIED)
    for name, act in ACTS.items():
        for number, operation in enumerate(act.calls):
            tried = operation not in READS and next(turn)
            whens: list[When] = ["before"] if operation in READS else ["before", "after"]
            for when, marks in one_of(whens, number):
                marks = marks if tried else (pytest.mark.slow,)
                yield pytest.param(act, number, when, id=f"{name}: {when} {number} {operation}", marks=marks)


@pytest.mark.parametrize("name", ACTS)
def test_an_act_makes_these_calls(scenario: Scenario, name: str) -> None:
    act, fuse = ACTS[name], Fuse()
    act.does(scenario, scenario.process(fuse), act.given(scenario))

    assert fuse.calls == act.calls

    recover(scenario)


@pytest.mark.parametrize(("act", "number", "when"), list(cuts()))
def test_a_crash_loses_neither_a_slot_nor_a_task(scenario: Scenario, act: Act, number: int, when: When) -> None:
    tasks = act.given(scenario)
    with pytest.raises(Crash):
        act.does(scenario, scenario.process(Fuse(number=number, when=when)), tasks)

    check(scenario)
    recover(scenario)


def recover(scenario: Scenario) -> None:
    """Have the sweep come first, which gives every free slot away, then the stream; then everything else goes on."""
    for task in scenario.deleted:
        scenario.tenant.deliver(task, None)
    scenario.tenant.clock.advance(2 * MINUTE)
    scenario.tenant.reconciler.sweep(limit=9)
    check(scenario)
    assert len(scenario.tenant.running()) == 1 or not [task for task in scenario.stored() if task.state is State.QUEUED]

    for _ in range(2):
        scenario.deliver_all()
        scenario.work()
        check_over(scenario)
