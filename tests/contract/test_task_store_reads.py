"""The contract of `TaskStore` for reading and listing, in memory and on DynamoDB."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.ports.store import TaskStore
from mcp_tasks.tasks.errors import StaleTask, TaskNotFound
from mcp_tasks.tasks.events import CancelRequested, InputRequested, Progressed
from mcp_tasks.tasks.model import Failed, InputRequest, Outcome, Progress, Returned
from tests.contract.store_actions import DONE, MILLION, add, finish, move
from tests.kit import ADA, BOB, EVE, NOON, FixedClock, a_task, plan_of

# --- reading what was written


def test_a_task_is_read_as_it_was_created(store: TaskStore) -> None:
    task = a_task(
        created_at=NOON + timedelta(microseconds=123_456),
        updated_at=NOON + timedelta(microseconds=123_457),
        ttl=timedelta(hours=3, microseconds=5),
        progress_token="7",
        scopes=frozenset({"mcp:tasks", "mcp:read"}),
        status_message="starting",
    )

    assert add(store, task) == task
    assert store.read(ADA.owner_key, task.id) == task


def test_every_version_of_a_task_is_read_as_it_was_written(store: TaskStore) -> None:
    task = add(store, a_task(progress_token=7))
    task = move(store, task, Progressed(progress=Progress(progress=1, total=2.5, message="half \ud83d of it")))

    assert store.read(ADA.owner_key, task.id) == task

    task = move(
        store,
        task,
        InputRequested(input_requests=(InputRequest(key="q", method="elicitation/create", params={"a": [1]}),)),
    )

    assert store.read(ADA.owner_key, task.id) == task

    task = finish(store, task)

    assert store.read(ADA.owner_key, task.id) == task


@pytest.mark.parametrize(
    "arguments",
    [{}, {"text": "\x00 é 😀 \ud800", "n": 1, "x": 1.5, "deep": [{"a": None}, True]}, {"text": MILLION}],
    ids=["none", "odd ones", "a megabyte"],
)
def test_arguments_are_read_as_they_were_given(store: TaskStore, arguments: dict[str, Any]) -> None:
    task = store.create(ADA.owner_key, a_task(), arguments, key=None, plan=plan_of(1))

    assert store.arguments(ADA.owner_key, task.id) == arguments


@pytest.mark.parametrize(
    "outcome",
    [
        DONE,
        Returned(result={"content": []}, is_error=True),
        Returned(result={"content": [{"type": "text", "text": MILLION}]}),
        Failed(code=-32603, message="broken"),
        Failed(code=-32000, message="broken", data={"why": [MILLION]}),
    ],
    ids=["returned", "error", "a megabyte", "failed", "a megabyte of error data"],
)
def test_an_outcome_is_read_as_it_was_written(store: TaskStore, outcome: Outcome) -> None:
    task = finish(store, add(store, a_task()), outcome)

    assert store.outcome(ADA.owner_key, task.id) == outcome
    assert store.arguments(ADA.owner_key, task.id) == {"name": "Ada"}


def test_a_task_without_an_outcome_has_none_to_read(store: TaskStore) -> None:
    live, cancelled = add(store, a_task()), add(store, a_task())
    move(store, cancelled, CancelRequested(status_message="enough"))

    for task in (live, cancelled):
        with pytest.raises(TaskNotFound):
            store.outcome(ADA.owner_key, task.id)


# --- what is not there


@pytest.mark.parametrize(
    "name", ["", "nobody", "#", "x" * 5_000, "é" * 600, "\ud800", "\x00", "a/b", "~"], ids=lambda name: repr(name[:8])
)
def test_no_text_at_all_is_an_error_instead_of_an_unknown_id(store: TaskStore, name: str) -> None:
    add(store, a_task())

    for read in (store.read, store.arguments, store.outcome):
        with pytest.raises(TaskNotFound):
            read(ADA.owner_key, name)


@pytest.mark.parametrize("stranger", [EVE.owner_key, BOB.owner_key], ids=["of another tenant", "of the same tenant"])
def test_a_task_is_not_there_for_anybody_else(store: TaskStore, stranger: str) -> None:
    task = finish(store, add(store, a_task()))

    for read in (store.read, store.arguments, store.outcome):
        with pytest.raises(TaskNotFound):
            read(stranger, task.id)
    assert store.page(stranger, before=None, limit=10) == []
    with pytest.raises(StaleTask):
        store.write(stranger, task, task)


def test_an_expired_task_is_gone_to_the_microsecond(store: TaskStore, clock: FixedClock) -> None:
    task = finish(store, add(store, a_task(ttl=timedelta(seconds=10, microseconds=700_000))))
    clock.advance(timedelta(seconds=10, microseconds=699_999))

    assert store.read(ADA.owner_key, task.id) == task
    assert store.page(ADA.owner_key, before=None, limit=1) == [task]

    clock.advance(timedelta(microseconds=1))

    for read in (store.read, store.arguments, store.outcome):
        with pytest.raises(TaskNotFound):
            read(ADA.owner_key, task.id)
    assert store.page(ADA.owner_key, before=None, limit=1) == []


def test_an_expired_task_can_be_neither_moved_nor_recorded_nor_notified(store: TaskStore, clock: FixedClock) -> None:
    task = add(store, a_task(ttl=timedelta(seconds=10)))
    clock.advance(timedelta(seconds=10))

    with pytest.raises(StaleTask):
        finish(store, task)
    with pytest.raises(TaskNotFound):
        store.record(ADA.owner_key, task, "step", 1)
    with pytest.raises(TaskNotFound):
        store.claim(ADA.owner_key, task, "s")


# --- the list


def test_tasks_are_listed_newest_first_page_by_page(store: TaskStore) -> None:
    ids = [add(store, a_task(now=NOON - timedelta(milliseconds=n))).id for n in range(7)]
    add(store, a_task(), owner_key=BOB.owner_key)

    assert [task.id for task in store.page(ADA.owner_key, before=None, limit=3)] == ids[:3]
    assert [task.id for task in store.page(ADA.owner_key, before=ids[2], limit=3)] == ids[3:6]
    assert [task.id for task in store.page(ADA.owner_key, before=ids[5], limit=3)] == ids[6:]
    assert store.page(ADA.owner_key, before=ids[6], limit=3) == []


@pytest.mark.parametrize("last", "0123456789abcdefghijklmnopqrstuv")
def test_a_page_begins_below_its_place_whatever_the_id_ends_in(store: TaskStore, last: str) -> None:
    ids = [add(store, replace(a_task(), id=f"0123{end}")).id for end in "09av"]
    place = f"0123{last}"

    assert [task.id for task in store.page(ADA.owner_key, before=place, limit=9)] == sorted(
        (each for each in ids if each < place), reverse=True
    )


def test_a_page_goes_on_where_a_task_was_that_is_gone(store: TaskStore, clock: FixedClock) -> None:
    kept = add(store, a_task())
    gone = add(store, a_task(now=NOON + timedelta(milliseconds=1), ttl=timedelta(minutes=1)))
    clock.advance(timedelta(minutes=1))

    assert store.page(ADA.owner_key, before=gone.id, limit=3) == [kept]


def test_a_task_that_is_created_meanwhile_is_on_no_later_page(store: TaskStore) -> None:
    ids = [add(store, a_task(now=NOON - timedelta(milliseconds=n))).id for n in range(3)]
    first = store.page(ADA.owner_key, before=None, limit=1)
    add(store, a_task(now=NOON + timedelta(milliseconds=1)))

    assert [task.id for task in first] == ids[:1]
    assert [task.id for task in store.page(ADA.owner_key, before=first[-1].id, limit=9)] == ids[1:]


def test_any_number_of_expired_tasks_does_not_end_a_page(store: TaskStore, clock: FixedClock) -> None:
    kept = [add(store, a_task(now=NOON - timedelta(seconds=n))) for n in (1, 2)]
    for n in range(12):
        add(store, a_task(now=NOON + timedelta(milliseconds=n), ttl=timedelta(minutes=1)))
    clock.advance(timedelta(minutes=5))

    assert store.page(ADA.owner_key, before=None, limit=1) == kept[:1]
    assert store.page(ADA.owner_key, before=None, limit=5) == kept
