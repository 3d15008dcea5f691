"""What every `TaskStore` promises, in memory and on DynamoDB."""

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from mcp_tasks.ports import Backlog, IdempotencyKey, TaskStore
from mcp_tasks.tasks.errors import KeyReused, StaleTask, TaskError, TaskNotFound, TooManyTasks
from mcp_tasks.tasks.events import Asked, Cancelled, Event, Progressed, Settled
from mcp_tasks.tasks.machine import advance
from mcp_tasks.tasks.model import Faulted, Outcome, Progress, Question, Returned, Task
from tests.kit import ADA, BOB, EVE, NOON, FixedClock, a_task

DONE = Returned(result={"content": [{"type": "text", "text": "hello"}]})
MILLION = "ü" * 1_000_000


def add(store: TaskStore, task: Task, *, scope: str = ADA.scope, limit: int = 100) -> Task:
    return store.create(scope, task, {"name": "Ada"}, key=None, limit=limit)


def move(store: TaskStore, before: Task, event: Event, *, scope: str = ADA.scope) -> Task:
    after = replace(advance(before, event, now=NOON), version=before.version + 1)
    store.write(scope, before, after, event.outcome if isinstance(event, Settled) else None)
    return after


def finish(store: TaskStore, task: Task, outcome: Outcome = DONE, *, scope: str = ADA.scope) -> Task:
    return move(store, task, Settled(outcome=outcome), scope=scope)


def room(store: TaskStore, *, limit: int, scope: str = ADA.scope) -> int:
    """Return how many more tasks the tenant may start, by trying; they end again at once."""
    found = []
    try:
        while True:
            found.append(add(store, a_task(), scope=scope, limit=limit))
    except TooManyTasks:
        for task in found:
            move(store, task, Cancelled(note="only trying"), scope=scope)
        return len(found)


# --- reading what was written


def test_a_task_is_read_as_it_was_created(store: TaskStore) -> None:
    task = a_task(
        created_at=NOON + timedelta(microseconds=123_456),
        updated_at=NOON + timedelta(microseconds=123_457),
        ttl=timedelta(hours=3, microseconds=5),
        progress_token="7",
        scopes=frozenset({"mcp:tasks", "mcp:read"}),
        note="starting",
    )

    assert add(store, task) == task
    assert store.read(ADA.scope, task.id) == task


def test_every_version_of_a_task_is_read_as_it_was_written(store: TaskStore) -> None:
    task = add(store, a_task(progress_token=7))
    task = move(store, task, Progressed(progress=Progress(progress=1, total=2.5, message="half \ud83d of it")))

    assert store.read(ADA.scope, task.id) == task

    task = move(store, task, Asked(questions=(Question(key="q", method="elicitation/create", params={"a": [1]}),)))

    assert store.read(ADA.scope, task.id) == task

    task = finish(store, task)

    assert store.read(ADA.scope, task.id) == task


@pytest.mark.parametrize(
    "arguments",
    [{}, {"text": "\x00 é 😀 \ud800", "n": 1, "x": 1.5, "deep": [{"a": None}, True]}, {"text": MILLION}],
    ids=["none", "odd ones", "a megabyte"],
)
def test_arguments_are_read_as_they_were_given(store: TaskStore, arguments: dict[str, Any]) -> None:
    task = store.create(ADA.scope, a_task(), arguments, key=None, limit=1)

    assert store.arguments(ADA.scope, task.id) == arguments


@pytest.mark.parametrize(
    "outcome",
    [
        DONE,
        Returned(result={"content": []}, is_error=True),
        Returned(result={"content": [{"type": "text", "text": MILLION}]}),
        Faulted(code=-32603, message="broken"),
        Faulted(code=-32000, message="broken", data={"why": [MILLION]}),
    ],
    ids=["returned", "error", "a megabyte", "faulted", "a megabyte of fault"],
)
def test_an_outcome_is_read_as_it_was_written(store: TaskStore, outcome: Outcome) -> None:
    task = finish(store, add(store, a_task()), outcome)

    assert store.outcome(ADA.scope, task.id) == outcome
    assert store.arguments(ADA.scope, task.id) == {"name": "Ada"}


def test_a_task_without_an_outcome_has_none_to_read(store: TaskStore) -> None:
    live, cancelled = add(store, a_task()), add(store, a_task())
    move(store, cancelled, Cancelled(note="enough"))

    for task in (live, cancelled):
        with pytest.raises(TaskNotFound):
            store.outcome(ADA.scope, task.id)


# --- what is not there


@pytest.mark.parametrize(
    "name", ["", "nobody", "#", "x" * 5_000, "é" * 600, "\ud800", "\x00", "a/b", "~"], ids=lambda name: repr(name[:8])
)
def test_no_text_at_all_is_an_error_instead_of_an_unknown_id(store: TaskStore, name: str) -> None:
    add(store, a_task())

    for read in (store.read, store.arguments, store.outcome):
        with pytest.raises(TaskNotFound):
            read(ADA.scope, name)


@pytest.mark.parametrize("stranger", [EVE.scope, BOB.scope], ids=["of another tenant", "of the same tenant"])
def test_a_task_is_not_there_for_anybody_else(store: TaskStore, stranger: str) -> None:
    task = finish(store, add(store, a_task()))

    for read in (store.read, store.arguments, store.outcome):
        with pytest.raises(TaskNotFound):
            read(stranger, task.id)
    assert store.page(stranger, after=None, limit=10) == []
    with pytest.raises(StaleTask):
        store.write(stranger, task, task)


def test_an_expired_task_is_gone_to_the_microsecond(store: TaskStore, clock: FixedClock) -> None:
    task = finish(store, add(store, a_task(ttl=timedelta(seconds=10, microseconds=700_000))))
    clock.advance(timedelta(seconds=10, microseconds=699_999))

    assert store.read(ADA.scope, task.id) == task
    assert store.page(ADA.scope, after=None, limit=1) == [task]

    clock.advance(timedelta(microseconds=1))

    for read in (store.read, store.arguments, store.outcome):
        with pytest.raises(TaskNotFound):
            read(ADA.scope, task.id)
    assert store.page(ADA.scope, after=None, limit=1) == []


def test_an_expired_task_can_be_neither_moved_nor_recorded_nor_announced(store: TaskStore, clock: FixedClock) -> None:
    task = add(store, a_task(ttl=timedelta(seconds=10)))
    clock.advance(timedelta(seconds=10))

    with pytest.raises(StaleTask):
        finish(store, task)
    with pytest.raises(TaskNotFound):
        store.record(ADA.scope, task, "step", 1)
    with pytest.raises(TaskNotFound):
        store.claim(ADA.scope, task)


# --- writing


def test_only_the_first_of_two_writes_upon_the_same_version_succeeds(store: TaskStore) -> None:
    task = add(store, a_task())
    won = move(store, task, Progressed(progress=Progress(progress=1)))

    with pytest.raises(StaleTask):
        move(store, task, Progressed(progress=Progress(progress=1)))
    with pytest.raises(StaleTask):
        finish(store, task)
    assert store.read(ADA.scope, task.id) == won
    with pytest.raises(TaskNotFound):
        store.outcome(ADA.scope, task.id)


def test_a_task_that_was_never_created_cannot_be_written(store: TaskStore) -> None:
    with pytest.raises(StaleTask):
        finish(store, a_task())
    assert store.page(ADA.scope, after=None, limit=10) == []


def test_of_a_finish_and_a_cancel_at_once_exactly_one_wins(store: TaskStore) -> None:
    tasks = [add(store, a_task(), limit=4) for _ in range(4)]

    for task in tasks:
        refusals = at_once(partial(finish, store, task), partial(move, store, task, Cancelled(note="enough")))

        assert [type(refusal) for refusal in refusals] == [StaleTask]
    assert room(store, limit=4) == 4


# --- the quota


@pytest.mark.parametrize("limit", [1, 2, 4, 7])
def test_a_tenant_has_exactly_its_limit_of_live_tasks(store: TaskStore, limit: int) -> None:
    tasks = [add(store, a_task(), limit=limit) for _ in range(limit)]

    with pytest.raises(TooManyTasks) as refusal:
        add(store, a_task(), limit=limit)
    assert refusal.value.limit == limit
    assert len(store.page(ADA.scope, after=None, limit=100)) == limit

    for task in tasks:
        finish(store, task)

    assert room(store, limit=limit) == limit


def test_nobody_may_start_a_task_under_a_limit_of_none(store: TaskStore) -> None:
    with pytest.raises(TooManyTasks):
        add(store, a_task(), limit=0)


def test_the_callers_of_a_tenant_share_its_limit_and_no_other_tenant_does(store: TaskStore) -> None:
    add(store, a_task(), limit=1)

    with pytest.raises(TooManyTasks):
        add(store, a_task(), scope=BOB.scope, limit=1)
    add(store, a_task(), scope=EVE.scope, limit=1)


def test_a_lowered_limit_holds_for_new_tasks_and_lets_the_old_ones_end(store: TaskStore) -> None:
    tasks = [add(store, a_task(), limit=6) for _ in range(6)]

    assert room(store, limit=2) == 0

    for task in tasks:
        finish(store, task)

    assert room(store, limit=2) == 2


def test_threads_that_race_for_the_last_places_get_exactly_these(store: TaskStore) -> None:
    refusals = at_once(*[lambda: add(store, a_task(), limit=5)] * 12)

    assert [type(refusal) for refusal in refusals] == [TooManyTasks] * 7
    assert len(store.page(ADA.scope, after=None, limit=100)) == 5
    assert room(store, limit=5) == 0


def test_a_task_deleted_while_live_stops_counting_once(store: TaskStore, backlog: Backlog, clock: FixedClock) -> None:
    gone = add(store, a_task(ttl=timedelta(minutes=1)), limit=2)
    add(store, a_task(ttl=timedelta(days=1)), limit=2)
    clock.advance(timedelta(minutes=1))
    backlog.discard(ADA.scope, gone.id)

    for _ in range(3):
        store.release(ADA.scope, gone)

    assert room(store, limit=2) == 1


# --- the client's own name for a request

SAME = IdempotencyKey(name="order 7", fingerprint="f")


def start(store: TaskStore, key: IdempotencyKey, *, scope: str = ADA.scope, limit: int = 9, **changes: Any) -> Task:
    return store.create(scope, a_task(**changes), {}, key=key, limit=limit)


def test_the_same_request_again_gets_the_same_task(store: TaskStore) -> None:
    first = start(store, SAME, limit=1)

    assert start(store, SAME, limit=1) == first

    final = finish(store, first)

    assert start(store, SAME, limit=1) == final
    assert store.page(ADA.scope, after=None, limit=10) == [final]
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


# --- the list


def test_tasks_are_listed_in_the_order_of_their_creation_page_by_page(store: TaskStore) -> None:
    ids = [add(store, a_task(now=NOON + timedelta(milliseconds=n))).id for n in range(7)]
    add(store, a_task(), scope=BOB.scope)

    assert [task.id for task in store.page(ADA.scope, after=None, limit=3)] == ids[:3]
    assert [task.id for task in store.page(ADA.scope, after=ids[2], limit=3)] == ids[3:6]
    assert [task.id for task in store.page(ADA.scope, after=ids[5], limit=3)] == ids[6:]
    assert store.page(ADA.scope, after=ids[6], limit=3) == []


def test_a_page_goes_on_where_a_task_was_that_is_gone(store: TaskStore, clock: FixedClock) -> None:
    first = add(store, a_task(ttl=timedelta(minutes=1)))
    second = add(store, a_task(now=NOON + timedelta(milliseconds=1)))
    clock.advance(timedelta(minutes=1))

    assert store.page(ADA.scope, after=first.id, limit=3) == [second]


def test_any_number_of_expired_tasks_does_not_end_a_page(store: TaskStore, clock: FixedClock) -> None:
    for n in range(12):
        add(store, a_task(now=NOON + timedelta(milliseconds=n), ttl=timedelta(minutes=1)))
    kept = [add(store, a_task(now=NOON + timedelta(seconds=n))) for n in (1, 2)]
    clock.advance(timedelta(minutes=5))

    assert store.page(ADA.scope, after=None, limit=1) == kept[:1]
    assert store.page(ADA.scope, after=None, limit=5) == kept


# --- steps and announcements


def test_a_step_is_recorded_once_and_recalled(store: TaskStore) -> None:
    task = add(store, a_task())

    assert store.recall(ADA.scope, task.id, "a") is None
    assert store.record(ADA.scope, task, "a", {"n": 1}) == {"n": 1}
    assert store.record(ADA.scope, task, "a", {"n": 2}) == {"n": 1}
    assert store.recall(ADA.scope, task.id, "a") == ({"n": 1},)
    assert store.recall(ADA.scope, task.id, "b") is None


@pytest.mark.parametrize("value", [None, False, 0, "", [], MILLION], ids=["null", "no", "0", "''", "[]", "megabyte"])
def test_a_step_may_have_produced_anything(store: TaskStore, value: Any) -> None:
    task = add(store, a_task())
    store.record(ADA.scope, task, "an odd / name # of é \ud800 " + 2_000 * "x", value)

    assert store.recall(ADA.scope, task.id, "an odd / name # of é \ud800 " + 2_000 * "x") == (value,)


def test_steps_belong_to_one_task_of_one_caller(store: TaskStore) -> None:
    task, other = add(store, a_task()), add(store, a_task())
    add(store, task, scope=EVE.scope)
    store.record(ADA.scope, task, "a", 1)

    assert store.recall(ADA.scope, other.id, "a") is None
    assert store.recall(EVE.scope, task.id, "a") is None


def test_each_version_is_announced_once_and_never_after_a_later_one(store: TaskStore) -> None:
    task = add(store, a_task())
    second, third = replace(task, version=2), replace(task, version=3)

    assert store.claim(ADA.scope, task)
    assert not store.claim(ADA.scope, task)
    assert store.claim(ADA.scope, third)
    assert not store.claim(ADA.scope, second)
    assert not store.claim(ADA.scope, third)


def test_one_of_many_gets_to_announce_a_version(store: TaskStore) -> None:
    task = add(store, a_task())
    claims: list[bool] = []
    at_once(*[lambda: claims.append(store.claim(ADA.scope, task))] * 6)

    assert sorted(claims) == [False] * 5 + [True]


def at_once(*actions: Callable[[], object]) -> list[TaskError]:
    """Do all of these in threads of their own and return how the domain refused."""
    refusals: list[TaskError] = []
    ready = threading.Barrier(len(actions))

    def act(action: Callable[[], object]) -> None:
        ready.wait()
        try:
            action()
        except TaskError as error:
            refusals.append(error)

    threads = [threading.Thread(target=act, args=(action,)) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return refusals
