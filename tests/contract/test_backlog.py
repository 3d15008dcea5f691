"""The contract of `Backlog`, in memory and on DynamoDB."""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError

from mcp_tasks.adapters.dynamodb.backlog import DynamoBacklog
from mcp_tasks.adapters.dynamodb.items import LIVE_SHARDS
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.ports.store import Backlog, TaskStore
from mcp_tasks.tasks.errors import TaskNotFound, Unavailable
from mcp_tasks.tasks.events import CancelRequested, Progressed
from mcp_tasks.tasks.model import Progress, RunLease, Task
from mcp_tasks.tasks.transitions import advance
from tests.harness.faults import THROTTLED
from tests.kit import ADA, BOB, EVE, NOON, FixedClock, a_task, plan_of

MINUTE = timedelta(minutes=1)
MOMENT = timedelta(microseconds=1)
NOT_LIVE = ["ended", "expired", "never there"]


def add(store: TaskStore, task: Task, *, owner_key: str = ADA.owner_key) -> Task:
    return store.create(owner_key, task, {}, key=None, plan=plan_of(100))


def cancel(store: TaskStore, task: Task) -> None:
    cancelled = advance(task, CancelRequested(status_message="enough"), now=NOON)
    store.write(ADA.owner_key, task, replace(cancelled, version=2))


def report(store: TaskStore, task: Task) -> Task:
    """Write progress of a task, and return its next version."""
    reported = replace(advance(task, Progressed(progress=Progress(progress=1)), now=NOON), version=2)
    store.write(ADA.owner_key, task, reported)
    return reported


def not_live(store: TaskStore, clock: FixedClock, how: str) -> Task:
    """Return a task that is not live, for one of the reasons of `NOT_LIVE`."""
    task = a_task(ttl=2 * MINUTE)
    if how != "never there":
        add(store, task)
    if how == "ended":
        cancel(store, task)
    if how == "expired":
        clock.advance(2 * MINUTE)
    return task


def test_a_task_is_due_for_a_check_a_minute_after_its_creation(
    store: TaskStore, backlog: Backlog, clock: FixedClock
) -> None:
    task = add(store, a_task())
    clock.advance(MINUTE - MOMENT)

    assert list(backlog.due(limit=5)) == []

    clock.advance(MOMENT)

    assert list(backlog.due(limit=5)) == [(ADA.owner_key, task.id)]


def test_the_most_overdue_of_all_tenants_come_first(store: TaskStore, backlog: Backlog, clock: FixedClock) -> None:
    owners = [ADA, EVE, BOB, EVE, ADA, BOB, ADA, EVE, BOB]
    made = [NOON + timedelta(seconds=n) for n in (5, 3, 8, 1, 7, 2, 6, 4, 0)]
    tasks = [
        (at, owner.owner_key, add(store, a_task(now=at), owner_key=owner.owner_key).id)
        for at, owner in zip(made, owners, strict=True)
    ]
    clock.advance(timedelta(hours=1) - MOMENT)

    expected = [(owner_key, task_id) for _, owner_key, task_id in sorted(tasks)]
    assert list(backlog.due(limit=4)) == expected[:4]
    assert list(backlog.due(limit=50)) == expected


def test_a_final_task_is_never_due(store: TaskStore, backlog: Backlog, clock: FixedClock) -> None:
    task = add(store, a_task())
    cancel(store, task)
    backlog.postpone(ADA.owner_key, task.id, NOON)
    clock.advance(timedelta(minutes=10))

    assert list(backlog.due(limit=5)) == []


def test_a_postponed_task_is_due_at_that_time(store: TaskStore, backlog: Backlog, clock: FixedClock) -> None:
    task = add(store, a_task())
    backlog.postpone(ADA.owner_key, task.id, NOON + 5 * MINUTE)
    clock.advance(5 * MINUTE - MOMENT)

    assert list(backlog.due(limit=5)) == []

    clock.advance(MOMENT)

    assert list(backlog.due(limit=5)) == [(ADA.owner_key, task.id)]


def test_to_postpone_a_task_changes_nothing_else_about_it(store: TaskStore, backlog: Backlog) -> None:
    task = add(store, a_task())
    backlog.postpone(ADA.owner_key, task.id, NOON + 5 * MINUTE)

    assert store.read(ADA.owner_key, task.id) == task


def test_a_task_that_goes_on_keeps_its_time_for_a_check(store: TaskStore, backlog: Backlog, clock: FixedClock) -> None:
    task = add(store, a_task())
    backlog.postpone(ADA.owner_key, task.id, NOON + 5 * MINUTE)
    report(store, task)
    clock.advance(2 * MINUTE)

    assert list(backlog.due(limit=5)) == []

    clock.advance(3 * MINUTE)

    assert list(backlog.due(limit=5)) == [(ADA.owner_key, task.id)]


def test_a_task_that_has_changed_since_it_was_read_is_not_postponed(
    store: TaskStore, backlog: Backlog, clock: FixedClock
) -> None:
    """Or a sweep that found it waiting for its user would put off for a day what was answered a moment later."""
    task = add(store, a_task())
    report(store, task)
    backlog.postpone(ADA.owner_key, task.id, NOON + 60 * MINUTE, version=1)
    clock.advance(MINUTE)

    assert list(backlog.due(limit=5)) == [(ADA.owner_key, task.id)]

    backlog.postpone(ADA.owner_key, task.id, NOON + 60 * MINUTE, version=2)

    assert list(backlog.due(limit=5)) == []


def test_that_a_live_task_was_launched_is_kept_and_is_no_new_version_of_it(store: TaskStore, backlog: Backlog) -> None:
    task = add(store, a_task())
    assert not store.read(ADA.owner_key, task.id).launched

    assert backlog.launched(ADA.owner_key, task.id)
    stored = store.read(ADA.owner_key, task.id)
    assert (stored, stored.launched) == (task, True)

    moved = report(store, task)
    stored = store.read(ADA.owner_key, task.id)
    assert (stored, stored.launched) == (moved, True)


@pytest.mark.parametrize("how", NOT_LIVE)
def test_a_task_that_is_not_live_cannot_be_launched(
    store: TaskStore, backlog: Backlog, clock: FixedClock, how: str
) -> None:
    task = not_live(store, clock, how)

    assert not backlog.launched(ADA.owner_key, task.id)


def test_of_two_who_take_a_lease_one_has_it_also_when_it_asks_twice(store: TaskStore, backlog: Backlog) -> None:
    task = add(store, a_task())
    first, second = (RunLease(run=name, number=1, until=NOON + MINUTE) for name in ("first", "second"))

    assert backlog.lease(ADA.owner_key, task, first)
    assert backlog.lease(ADA.owner_key, task, first), "its answer was lost"
    assert not backlog.lease(ADA.owner_key, task, second)
    assert store.read(ADA.owner_key, task.id).lease == first


def test_a_lease_is_renewed_and_taken_over_by_who_has_read_it(store: TaskStore, backlog: Backlog) -> None:
    add(store, created := a_task())
    for lease in (RunLease(run="a", number=1, until=NOON), RunLease(run="a", number=1, until=NOON + MINUTE)):
        assert backlog.lease(ADA.owner_key, store.read(ADA.owner_key, created.id), lease)
    before = store.read(ADA.owner_key, created.id)
    assert backlog.lease(ADA.owner_key, before, RunLease(run="b", number=2, until=NOON + MINUTE))

    assert not backlog.lease(ADA.owner_key, before, RunLease(run="a", number=1, until=NOON + 2 * MINUTE))


def test_a_lease_is_no_change_of_its_task_and_outlasts_changes(store: TaskStore, backlog: Backlog) -> None:
    task, lease = add(store, a_task()), RunLease(run="a", number=1, until=NOON + MINUTE)
    backlog.lease(ADA.owner_key, task, lease)
    reported = report(store, task)

    assert store.read(ADA.owner_key, task.id) == reported
    assert store.read(ADA.owner_key, task.id).lease == lease


@pytest.mark.parametrize("how", NOT_LIVE)
def test_nobody_has_the_lease_of_a_task_that_is_over(
    store: TaskStore, backlog: Backlog, clock: FixedClock, how: str
) -> None:
    task = not_live(store, clock, how)

    assert not backlog.lease(ADA.owner_key, task, RunLease(run="a", number=1, until=NOON + MINUTE))


def test_an_expired_task_is_due_until_it_is_discarded(store: TaskStore, backlog: Backlog, clock: FixedClock) -> None:
    task = add(store, a_task(ttl=2 * MINUTE))
    clock.advance(2 * MINUTE)

    assert list(backlog.due(limit=5)) == [(ADA.owner_key, task.id)]

    backlog.discard(ADA.owner_key, task.id)
    backlog.discard(ADA.owner_key, task.id)

    assert list(backlog.due(limit=5)) == []


def test_a_task_that_is_not_expired_cannot_be_discarded(store: TaskStore, backlog: Backlog, clock: FixedClock) -> None:
    task = add(store, a_task(ttl=2 * MINUTE))
    clock.advance(2 * MINUTE - MOMENT)
    backlog.discard(ADA.owner_key, task.id)

    assert store.read(ADA.owner_key, task.id) == task


def test_nothing_becomes_of_a_task_that_is_not_there(store: TaskStore, backlog: Backlog, clock: FixedClock) -> None:
    backlog.postpone(ADA.owner_key, "nobody", NOON)
    backlog.discard(ADA.owner_key, "nobody")
    clock.advance(MINUTE)

    assert list(backlog.due(limit=5)) == []
    with pytest.raises(TaskNotFound):
        store.read(ADA.owner_key, "nobody")


class Throttled:
    """A client of DynamoDB that refuses to query some shards of the index until a moment."""

    def __init__(self, client: Any, shards: Collection[str], clock: FixedClock, ends: datetime) -> None:
        self._client, self._shards, self._clock, self._ends = client, shards, clock, ends

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def query(self, **request: Any) -> Any:
        if request["ExpressionAttributeValues"][":shard"]["S"] in self._shards and self._clock.now() < self._ends:
            raise ClientError(THROTTLED, "Query")
        return self._client.query(**request)


@pytest.mark.parametrize(("lasting", "found"), [(30, 20), (70, 14)])
def test_a_shard_that_is_throttled_is_tried_again_for_a_minute_and_then_left_out(
    dynamo_store: DynamoTaskStore, clock: FixedClock, lasting: int, found: int
) -> None:
    for number in range(20):
        add(dynamo_store, a_task(id=f"task {number}"), owner_key=f"acme#{number}")
    clock.advance(MINUTE)
    table = dynamo_store.table
    client = Throttled(table.client, {"0"}, clock, clock.now() + timedelta(seconds=lasting))

    assert len(list(DynamoBacklog(table=replace(table, client=client)).due(limit=50))) == found


def test_no_shard_that_can_be_read_is_an_error(dynamo_store: DynamoTaskStore, clock: FixedClock) -> None:
    table = dynamo_store.table
    client = Throttled(table.client, [str(shard) for shard in range(LIVE_SHARDS)], clock, clock.now() + 2 * MINUTE)

    with pytest.raises(Unavailable):
        list(DynamoBacklog(table=replace(table, client=client)).due(limit=50))
