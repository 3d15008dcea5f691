"""What every `TaskStore` promises of the client's own name for a request, in memory and on DynamoDB."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.ports import IdempotencyKey, TaskStore
from mcp_tasks.tasks.errors import KeyReused
from mcp_tasks.tasks.model import Task
from tests.contract.moves import SAME, at_once, finish, room
from tests.kit import ADA, BOB, EVE, FixedClock, a_task


def start(store: TaskStore, key: IdempotencyKey, *, scope: str = ADA.scope, limit: int = 9, **changes: Any) -> Task:
    return store.create(scope, a_task(**changes), {}, key=key, limit=limit)


def test_the_same_request_again_gets_the_same_task(store: TaskStore) -> None:
    first = start(store, SAME, limit=1)

    assert start(store, SAME, limit=1) == first

    final = finish(store, first)

    assert start(store, SAME, limit=1) == final
    assert store.page(ADA.scope, before=None, limit=10) == [final]
    assert room(store, limit=1) == 1


def test_one_key_cannot_name_two_requests(store: TaskStore) -> None:
    start(store, SAME)

    with pytest.raises(KeyReused):
        start(store, replace(SAME, fingerprint="g"))


def test_everybody_has_keys_of_their_own(store: TaskStore) -> None:
    tasks = {start(store, SAME, scope=caller.scope).id for caller in (ADA, BOB, EVE)}

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
    refusals = at_once(*[lambda: started.append(start(store, SAME, limit=2))] * 6)

    assert refusals == []
    assert len({task.id for task in started}) == 1
    assert room(store, limit=2) == 1
