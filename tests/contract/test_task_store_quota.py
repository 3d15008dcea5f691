"""The contract of `TaskStore` for the number of live tasks, in memory and on DynamoDB."""

from datetime import timedelta

import pytest

from mcp_tasks.ports.store import Backlog, TaskStore
from mcp_tasks.tasks.errors import TooManyTasks
from tests.contract.store_actions import add, at_once, finish, room
from tests.kit import ADA, BOB, EVE, FixedClock, a_task


@pytest.mark.parametrize("limit", [1, 2, 4, 7])
def test_a_tenant_has_exactly_its_limit_of_live_tasks(store: TaskStore, limit: int) -> None:
    tasks = [add(store, a_task(), limit=limit) for _ in range(limit)]

    with pytest.raises(TooManyTasks) as rejection:
        add(store, a_task(), limit=limit)
    assert rejection.value.limit == limit
    assert len(store.page(ADA.owner_key, before=None, limit=100)) == limit

    for task in tasks:
        finish(store, task)

    assert room(store, limit=limit) == limit


def test_nobody_may_start_a_task_under_a_limit_of_none(store: TaskStore) -> None:
    with pytest.raises(TooManyTasks):
        add(store, a_task(), limit=0)


def test_the_callers_of_a_tenant_share_its_limit_and_no_other_tenant_does(store: TaskStore) -> None:
    add(store, a_task(), limit=1)

    with pytest.raises(TooManyTasks):
        add(store, a_task(), owner_key=BOB.owner_key, limit=1)
    add(store, a_task(), owner_key=EVE.owner_key, limit=1)


def test_a_lowered_limit_holds_for_new_tasks_and_lets_the_old_ones_end(store: TaskStore) -> None:
    tasks = [add(store, a_task(), limit=6) for _ in range(6)]

    assert room(store, limit=2) == 0

    for task in tasks:
        finish(store, task)

    assert room(store, limit=2) == 2


def test_threads_that_race_for_the_last_places_get_exactly_these(store: TaskStore) -> None:
    rejections = at_once(*[lambda: add(store, a_task(), limit=5)] * 12)

    assert [type(rejection) for rejection in rejections] == [TooManyTasks] * 7
    assert len(store.page(ADA.owner_key, before=None, limit=100)) == 5
    assert room(store, limit=5) == 0


def test_a_task_deleted_while_live_stops_counting_once(store: TaskStore, backlog: Backlog, clock: FixedClock) -> None:
    gone = add(store, a_task(ttl=timedelta(minutes=1)), limit=2)
    add(store, a_task(ttl=timedelta(days=1)), limit=2)
    clock.advance(timedelta(minutes=1))
    backlog.discard(ADA.owner_key, gone.id)

    for _ in range(3):
        store.release(ADA.owner_key, gone.id)

    assert room(store, limit=2) == 1
