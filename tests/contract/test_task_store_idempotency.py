"""The contract of `TaskStore` for idempotency keys, in memory and on DynamoDB."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.ports.store import TaskStore
from mcp_tasks.tasks.errors import KeyReused
from mcp_tasks.tasks.events import CancelRequested, Event, Finished
from mcp_tasks.tasks.idempotency import IdempotencyKey
from mcp_tasks.tasks.model import Failed, Returned, Task
from mcp_tasks.tasks.transitions import advance
from tests.contract.store_actions import SAME, at_once, finish, room
from tests.kit import ADA, BOB, EVE, FixedClock, a_task, plan_of


def start(
    store: TaskStore, key: IdempotencyKey, *, owner_key: str = ADA.owner_key, limit: int = 9, **changes: Any
) -> Task:
    return store.create(owner_key, a_task(**changes), {}, key=key, plan=plan_of(limit))


def test_the_same_request_again_gets_the_same_task(store: TaskStore) -> None:
    first = start(store, SAME, limit=1)

    assert start(store, SAME, limit=1) == first

    final = finish(store, first)

    assert start(store, SAME, limit=1) == final
    assert store.page(ADA.owner_key, before=None, limit=10) == [final]
    assert room(store, limit=1) == 1


def test_one_key_cannot_name_two_requests(store: TaskStore) -> None:
    start(store, SAME)

    with pytest.raises(KeyReused):
        start(store, replace(SAME, fingerprint="g"))


def test_everybody_has_keys_of_their_own(store: TaskStore) -> None:
    tasks = {start(store, SAME, owner_key=caller.owner_key).id for caller in (ADA, BOB, EVE)}

    assert len(tasks) == 3


@pytest.mark.parametrize("name", ["", "x" * 5_000, "é😀\ud800", "#"], ids=["empty", "long", "odd", "sharp"])
def test_a_key_may_be_any_text(store: TaskStore, name: str) -> None:
    key = IdempotencyKey(name=name, fingerprint="f")

    assert start(store, key) == start(store, key)


def test_a_key_is_forgotten_after_a_day(store: TaskStore, clock: FixedClock) -> None:
    first = start(store, SAME, ttl=timedelta(days=3))
    clock.advance(timedelta(hours=24) - timedelta(microseconds=1))

    assert start(store, SAME) == first

    clock.advance(timedelta(microseconds=1))
    second = start(store, replace(SAME, fingerprint="g"), now=clock.now())

    assert second != first
    assert start(store, replace(SAME, fingerprint="g")) == second


def test_a_key_whose_task_is_gone_starts_a_new_one(store: TaskStore, clock: FixedClock) -> None:
    first = start(store, SAME, ttl=timedelta(minutes=1))
    clock.advance(timedelta(minutes=1))
    second = start(store, SAME, now=clock.now())

    assert second.id != first.id
    assert start(store, SAME) == second


def test_the_same_request_at_once_starts_one_task(store: TaskStore) -> None:
    started: list[Task] = []
    rejections = at_once(*[lambda: started.append(start(store, SAME, limit=2))] * 6)

    assert rejections == []
    assert len({task.id for task in started}) == 1
    assert room(store, limit=2) == 1


LOST: list[tuple[str, Event]] = [
    ("a failure of the tool", Finished(outcome=Returned(result={}, is_error=True))),
    ("a failure of the call", Finished(outcome=Failed(code=-1, message="no"))),
    ("cancelled", CancelRequested(status_message="no")),
]
MINUTE_KEY = IdempotencyKey(name="joined", fingerprint="f", lifetime=timedelta(minutes=1), unless_failed=True)


def end(store: TaskStore, task: Task, event: Event) -> None:
    after = advance(task, event, now=task.updated_at)
    outcome = event.outcome if isinstance(event, Finished) else None
    store.write(ADA.owner_key, task, replace(after, version=task.version + 1), outcome)


@pytest.mark.parametrize("event", [event for _, event in LOST], ids=[name for name, _ in LOST])
def test_a_key_may_stand_for_a_task_only_until_that_is_lost(store: TaskStore, event: Event) -> None:
    first = start(store, MINUTE_KEY)
    assert start(store, MINUTE_KEY) == first
    end(store, first, event)

    second = start(store, MINUTE_KEY)

    assert second.id != first.id
    assert start(store, MINUTE_KEY) == second


@pytest.mark.parametrize("event", [event for _, event in LOST], ids=[name for name, _ in LOST])
def test_any_other_key_stands_for_a_task_however_it_ends(store: TaskStore, event: Event) -> None:
    key = IdempotencyKey(name="order 7", fingerprint="f")
    first = start(store, key)
    end(store, first, event)

    assert start(store, key).id == first.id


def test_a_joinable_key_stands_for_a_task_that_has_a_result(store: TaskStore) -> None:
    first = start(store, MINUTE_KEY)
    end(store, first, Finished(outcome=Returned(result={})))

    assert start(store, MINUTE_KEY).id == first.id


def test_a_key_stands_for_a_task_for_its_lifetime(store: TaskStore, clock: FixedClock) -> None:
    first = start(store, MINUTE_KEY)
    clock.advance(timedelta(seconds=59))
    assert start(store, MINUTE_KEY) == first

    clock.advance(timedelta(seconds=1))

    assert start(store, MINUTE_KEY).id != first.id


def test_the_same_request_at_once_after_a_loss_starts_one_task(store: TaskStore) -> None:
    lost = start(store, MINUTE_KEY, limit=2)
    end(store, lost, CancelRequested(status_message="no"))
    started: list[Task] = []

    rejections = at_once(*[lambda: started.append(start(store, MINUTE_KEY, limit=2))] * 6)

    (task_id,) = {task.id for task in started}
    assert (rejections, task_id == lost.id, room(store, limit=2)) == ([], False, 1)
