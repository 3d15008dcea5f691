"""Tasks that a session follows: each change is sent once, and final tasks are no longer followed."""

from datetime import timedelta

import pytest

from mcp_tasks.adapters.memory.change_feed import MemoryChangeFeed
from mcp_tasks.limits.requests import MAX_SUBSCRIPTIONS
from mcp_tasks.tasks.model import State, Task
from mcp_tasks.wire.rev_2025_11_25.adapters.memory import MemorySessions
from mcp_tasks.wire.rev_2025_11_25.subscriptions import SessionSubscriptions
from tests.kit import ADA, BOB, FixedClock, plan_of
from tests.unit.jobs import job, progress, service

SESSION, OTHER = "session-1", "session-2"


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def all_of(clock: FixedClock) -> SessionSubscriptions:
    tasks = service(clock=clock, plan=plan_of(2 * MAX_SUBSCRIPTIONS))
    return SessionSubscriptions(store=MemorySessions(clock), change_feed=MemoryChangeFeed(clock), tasks=tasks)


def followed(all_of: SessionSubscriptions, session: str = SESSION) -> Task:
    task = all_of.tasks.start(ADA, job, {})
    all_of.follow(ADA, session, task)
    return task


def updates(all_of: SessionSubscriptions, session: str = SESSION) -> list[tuple[str, int]]:
    return [(task.id, task.version) for task in all_of.task_updates(ADA, session)]


def test_each_change_is_sent_once(all_of: SessionSubscriptions) -> None:
    task = followed(all_of)
    before = all_of.has_task_updates(ADA, SESSION), updates(all_of)
    progress(all_of.tasks, task, 1)
    behind = all_of.has_task_updates(ADA, SESSION)

    assert before == (False, [])
    assert (behind, updates(all_of), updates(all_of)) == (True, [(task.id, 2)], [])
    assert not all_of.has_task_updates(ADA, SESSION)


def test_each_session_is_sent_the_changes_of_the_tasks_that_it_follows(all_of: SessionSubscriptions) -> None:
    mine, theirs = followed(all_of), followed(all_of, OTHER)
    progress(all_of.tasks, mine, 1)
    progress(all_of.tasks, theirs, 1)

    assert (updates(all_of), updates(all_of, OTHER)) == ([(mine.id, 2)], [(theirs.id, 2)])
    assert list(all_of.task_updates(BOB, SESSION)) == []


def test_a_final_task_is_sent_and_no_longer_followed(all_of: SessionSubscriptions) -> None:
    task = followed(all_of)
    all_of.tasks.cancel(ADA, task.id)
    (last,) = all_of.task_updates(ADA, SESSION)

    assert (last.state, all_of.store.subscriptions(ADA.owner_key, f"{SESSION}:tasks")) == (State.CANCELLED, {})


def test_an_expired_task_is_no_longer_followed_and_not_sent(clock: FixedClock, all_of: SessionSubscriptions) -> None:
    task = followed(all_of)
    clock.advance(task.ttl + timedelta(seconds=1))

    assert (updates(all_of), all_of.store.subscriptions(ADA.owner_key, f"{SESSION}:tasks")) == ([], {})


def test_of_too_many_tasks_the_first_are_followed(all_of: SessionSubscriptions) -> None:
    tasks = [followed(all_of) for _ in range(MAX_SUBSCRIPTIONS + 1)]
    for task in tasks:
        progress(all_of.tasks, task, 1)

    assert {task_id for task_id, _ in updates(all_of)} == {task.id for task in tasks[:MAX_SUBSCRIPTIONS]}


def test_followed_tasks_are_no_subscriptions_to_resources(all_of: SessionSubscriptions) -> None:
    followed(all_of)

    assert not all_of.watches_any(ADA, SESSION)
    assert all_of.updated_uris(ADA, SESSION, timeout=timedelta()) == []
