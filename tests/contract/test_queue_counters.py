"""The counters of slots on DynamoDB equal what the tasks hold, whoever ended or started these."""

from contextlib import nullcontext
from dataclasses import replace

import pytest

from mcp_tasks.adapters.dynamodb.counters import from_home
from mcp_tasks.ports.store import TaskStore
from mcp_tasks.tasks.errors import TooManyTasks
from mcp_tasks.tasks.events import CancelRequested, Finished
from mcp_tasks.tasks.model import Holding, State
from mcp_tasks.tasks.plan import Plan
from mcp_tasks.tasks.transitions import advance
from tests.cloud import TABLE, Cloud, scan
from tests.contract.queueing import DONE, Tenant, counted, tenant_on
from tests.kit import ADA, BOB, FixedClock

TWO = Plan(running_tasks=2, subject_share=1)


@pytest.fixture
def on_dynamodb(dynamo_store: TaskStore, clock: FixedClock) -> Tenant:
    return tenant_on(dynamo_store, clock, TWO)


def test_the_counters_are_the_sums_of_what_tasks_hold(on_dynamodb: Tenant, aws: Cloud) -> None:
    tenant = on_dynamodb
    tasks = [tenant.start() for _ in range(5)]
    tenant.ask(tasks[0])
    assert counted(scan(aws.dynamodb)) == {
        "active": 5,
        "running": 2,
        "queued": 2,
        "suspended": 1,
        "using.active": 5,
        "using.running": 2,
        "using.queued": 2,
        "using.suspended": 1,
    }

    tenant.answer(tasks[0])
    for task in [*tasks[1:], tasks[0]]:
        tenant.finish(task)

    assert set(counted(scan(aws.dynamodb)).values()) == {0}
    assert not [item for item in scan(aws.dynamodb) if item["SK"]["S"].startswith("queue#")]


@pytest.mark.parametrize(
    "end", [Finished(outcome=DONE), CancelRequested(status_message="enough")], ids=["finished", "cancelled"]
)
def test_what_release_0_3_0_leaves_with_a_task_that_it_ended_is_given_back_once(
    on_dynamodb: Tenant, aws: Cloud, end: Finished | CancelRequested
) -> None:
    tenant = on_dynamodb
    first, second, third, fourth = (tenant.start() for _ in range(4))
    for task in (first, third):
        before = tenant.store.read(ADA.owner_key, task.id)
        ended = replace(advance(before, end, now=tenant.clock.now()), version=before.version + 1)
        # It knows nothing of what a task holds.
        after = replace(ended, holding=before.holding)
        tenant.store.write(ADA.owner_key, before, after)
        for _ in range(2):
            tenant.deliver(before, after)

    assert tenant.running() == [second.id, fourth.id]
    assert tenant.store.read(ADA.owner_key, first.id).holding == Holding()
    assert counted(scan(aws.dynamodb)) == {
        "active": 2,
        "running": 2,
        "queued": 0,
        "suspended": 0,
        "using.active": 2,
        "using.running": 2,
        "using.queued": 0,
        "using.suspended": 0,
    }


def test_a_request_starts_one_task_at_most_and_the_stream_the_others(on_dynamodb: Tenant) -> None:
    tenant = on_dynamodb
    tasks = [tenant.start() for _ in range(6)]
    # The records of these have not been delivered yet.
    for task in tasks[:2]:
        tenant.tasks.finish(ADA.owner_key, task.id, DONE)

    newest = tenant.start()
    assert tenant.running() == [tasks[2].id]

    tenant.deliver(None, newest)
    assert tenant.running() == [tasks[2].id, tasks[3].id]


@pytest.mark.parametrize(
    ("kind", "plan"),
    [("quota", TWO), ("using", Plan(running_tasks=4, active_tasks=12))],
    ids=["of the tenant", "of the subject"],
)
def test_a_counter_that_was_deleted_lets_no_more_run_once_what_ran_then_has_ended(
    on_dynamodb: Tenant, aws: Cloud, kind: str, plan: Plan
) -> None:
    tenant = on_dynamodb.under(plan)
    tasks = [tenant.start() for _ in range(4)]
    for item in scan(aws.dynamodb):
        if item["SK"]["S"].partition("#")[0] == kind:
            aws.dynamodb.delete_item(TableName=TABLE, Key={name: item[name] for name in ("PK", "SK")})
    for task in tasks:
        tenant.finish(task)

    later = [tenant.start() for _ in range(5)]
    assert tenant.running() == [task.id for task in later[:2]]
    tenant.finish(later[0])

    assert tenant.running() == [task.id for task in later[1:3]]
    assert (counted(scan(aws.dynamodb))["running"], counted(scan(aws.dynamodb))["using.running"]) == (2, 2)


@pytest.mark.parametrize("ends", ["answered", "cancelled", "deleted", "ended by 0.3"])
def test_a_task_that_waits_for_input_is_counted_until_it_does_not(on_dynamodb: Tenant, aws: Cloud, ends: str) -> None:
    tenant, task = on_dynamodb, on_dynamodb.start()
    tenant.ask(task)
    waits = tenant.store.read(ADA.owner_key, task.id)
    assert (counted(scan(aws.dynamodb))["suspended"], waits.holding) == (1, Holding(active=True, suspended=True))

    match ends:
        case "answered":
            tenant.answer(task)
        case "cancelled":
            tenant.cancel(task)
        case "deleted":
            for _ in range(2):
                tenant.deliver(waits, None)
        case _:
            ended = replace(advance(waits, Finished(outcome=DONE), now=tenant.clock.now()), version=waits.version + 1)
            after = tenant.store.write(ADA.owner_key, waits, replace(ended, holding=waits.holding))
            for _ in range(2):
                tenant.deliver(waits, after)

    sums = counted(scan(aws.dynamodb))
    assert (sums["suspended"], sums["using.suspended"]) == (0, 0)


@pytest.mark.parametrize("slots", [1, 4])
def test_a_newcomer_passes_those_who_wait_at_other_counters_only_where_its_own_has_a_free_slot(
    on_dynamodb: Tenant, slots: int
) -> None:
    """It may come before the record of whoever freed that; another counter is tried once all were read."""
    tenant = on_dynamodb.under(Plan(running_tasks=slots, subject_share=1))
    others = [tenant.start() for _ in range(slots - 1)]
    for _ in range(6):
        before, first = tenant.start(BOB), tenant.start()
        # From now on it is Bob's turn.
        tenant.finish(before, BOB)
        waiting = tenant.start(BOB)
        slot = tenant.store.read(ADA.owner_key, first.id).holding.slot
        assert (waiting.state, waiting.holding.queue in range(slots)) == (State.QUEUED, True)
        # The record of it has not been delivered yet.
        tenant.tasks.finish(ADA.owner_key, first.id, DONE)

        newcomer = tenant.start()

        own = next(counter for counter in from_home(newcomer.id) if counter < slots)
        passes = own == slot != waiting.holding.queue
        expected = {*(task.id for task in others), newcomer.id if passes else waiting.id}
        assert set(tenant.running(ADA, BOB)) == expected
        for task, caller in [(newcomer, ADA), (waiting, BOB)] if passes else [(waiting, BOB), (newcomer, ADA)]:
            tenant.finish(task, caller)


@pytest.mark.parametrize("active", [8, 400], ids=["refused", "queued"])
def test_a_start_for_which_no_slot_is_free_writes_twice_at_most(on_dynamodb: Tenant, aws: Cloud, active: int) -> None:
    """One transaction fails at the home counter; then all counters are read, and the other one queues the task."""
    tenant = on_dynamodb.under(Plan(active_tasks=active, running_tasks=8, subject_share=1))
    for caller in [ADA, BOB] * 4:
        tenant.start(caller)
    transactions: list[str] = []

    def count(event_name: str, **_: object) -> None:
        transactions.append(event_name)

    events = aws.dynamodb.meta.events
    events.register("before-call.dynamodb.TransactWriteItems", count)
    try:
        with pytest.raises(TooManyTasks) if active == 8 else nullcontext():
            assert tenant.start().state is State.QUEUED
    finally:
        events.unregister("before-call.dynamodb.TransactWriteItems", count)

    assert len(transactions) == (1 if active == 8 else 2)
