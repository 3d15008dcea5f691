"""Updates of several tasks at once: which are returned, and what ends the wait for them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.engine.current_call import noting
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.ports.waiter import Waker, Watch
from mcp_tasks.tasks.errors import UnreadableItem
from mcp_tasks.tasks.model import Task
from tests.kit import ADA, EVE, NOON, BusyWaiter, FixedClock
from tests.unit.jobs import DAY, DONE, MINUTE, job, progress, service


class Shelf:
    """Three tasks of one caller, and the waiter of a client that awaits updates of them."""

    def __init__(self, **waiter: Any) -> None:
        self.clock = FixedClock()
        self.waiter = BusyWaiter(clock=self.clock, **waiter)
        self.tasks: TaskService = service(clock=self.clock, waiter=self.waiter)
        self.first, self.second, self.third = (self.tasks.start(ADA, job, {}, ttl=DAY) for _ in range(3))

    @property
    def seen(self) -> Mapping[str, int]:
        return {task.id: task.version for task in (self.first, self.second, self.third)}

    def move(self, task: Task) -> Task:
        return progress(self.tasks, task, self.waiter.pauses + 1)

    def updates(self, seen: Mapping[str, int], timeout: timedelta = MINUTE) -> list[Task]:
        return self.tasks.updates(ADA, seen, timeout=timeout)


def test_what_is_newer_already_is_returned_at_once() -> None:
    shelf = Shelf()
    moved = shelf.move(shelf.second)

    assert shelf.updates(shelf.seen) == [moved]
    assert shelf.waiter.pauses == 0


def test_all_newer_changes_are_one_update_with_the_current_state() -> None:
    shelf = Shelf()
    shelf.move(shelf.first)
    latest = shelf.move(shelf.first)
    ended = shelf.tasks.finish(ADA.owner_key, shelf.third.id, DONE)

    assert shelf.updates(shelf.seen) == [latest, ended]


def test_the_wait_ends_with_the_first_update_of_any() -> None:
    shelf = Shelf()
    shelf.waiter.meanwhile = lambda: shelf.waiter.pauses == 3 and shelf.move(shelf.third)

    assert [task.id for task in shelf.updates(shelf.seen)] == [shelf.third.id]
    assert (shelf.waiter.pauses, shelf.waiter.watching) == (3, 0)


def test_what_was_seen_is_no_update() -> None:
    shelf = Shelf()
    moved = shelf.move(shelf.first)

    assert shelf.updates({**shelf.seen, moved.id: moved.version}) == []


@pytest.mark.parametrize("ahead", [1, 100])
def test_what_was_seen_cannot_be_newer_than_what_there_is(ahead: int) -> None:
    shelf = Shelf()

    assert shelf.updates({shelf.first.id: shelf.first.version + ahead}) == []


def test_a_task_of_which_nothing_was_seen_is_an_update() -> None:
    shelf = Shelf()

    assert shelf.updates({shelf.first.id: 0}) == [shelf.first]


def test_without_updates_the_timeout_ends_on_time() -> None:
    shelf = Shelf(pace=timedelta(seconds=7))

    assert shelf.updates(shelf.seen, timeout=timedelta(seconds=25)) == []
    assert (shelf.clock.now() - NOON, shelf.waiter.watching) == (timedelta(seconds=25), 0)


def test_updates_of_the_last_moment_are_sent() -> None:
    shelf = Shelf(pace=MINUTE)
    shelf.waiter.meanwhile = lambda: shelf.move(shelf.first)

    assert [task.id for task in shelf.updates(shelf.seen)] == [shelf.first.id]


@pytest.mark.parametrize("timeout", [timedelta(), timedelta(seconds=-1)])
def test_a_client_that_does_not_wait_gets_what_there_is(timeout: timedelta) -> None:
    shelf = Shelf()
    moved = shelf.move(shelf.first)

    assert shelf.updates(shelf.seen, timeout) == [moved]
    assert shelf.updates({moved.id: moved.version}, timeout) == []
    assert shelf.waiter.pauses == 0


def test_waiting_for_no_tasks_returns_no_updates() -> None:
    shelf = Shelf()
    shelf.move(shelf.first)

    assert shelf.updates({}) == []
    assert shelf.clock.now() - NOON == MINUTE


@pytest.mark.parametrize("task_id", ["", "0" * 36, "é", "x" * 5_000])
def test_a_task_that_is_not_there_has_no_updates_and_hides_nobody_elses(task_id: str) -> None:
    shelf = Shelf()
    moved = shelf.move(shelf.second)

    assert shelf.updates({task_id: 0, **shelf.seen}) == [moved]
    assert shelf.updates({task_id: 0}) == []


def test_another_callers_task_has_no_updates() -> None:
    shelf = Shelf()
    shelf.move(shelf.first)

    assert shelf.tasks.updates(EVE, shelf.seen, timeout=MINUTE) == []


def test_a_task_that_goes_while_somebody_waits_has_no_updates() -> None:
    shelf = Shelf(pace=timedelta(hours=1))
    brief = shelf.tasks.start(ADA, job, {}, ttl=timedelta())

    assert shelf.updates({brief.id: brief.version}, timeout=DAY) == []


@dataclass
class Order:
    """Records the order in which a waiting client calls the ports."""

    tasks: TaskService
    waiter: BusyWaiter
    done: list[str] = field(default_factory=list)

    @contextmanager
    def watch(self, owner_key: str, *task_ids: str) -> Iterator[Watch]:
        self.done.append(f"watch {len(task_ids)}")
        with self.waiter.watch(owner_key, *task_ids):
            yield self
        self.done.append("close")

    def pause(self, at_most: timedelta) -> Waker:
        self.done.append("pause")
        return self.waiter.pause(at_most)

    def read(self, owner_key: str, task_id: str) -> Task:
        self.done.append("read")
        return self.tasks.ports.tasks.read(owner_key, task_id)

    @property
    def service(self) -> TaskService:
        spied: Any = self
        return replace(self.tasks, ports=replace(self.tasks.ports, tasks=spied, waiter=spied))


def test_the_watch_is_open_before_the_tasks_are_read_and_they_are_read_before_each_pause() -> None:
    shelf = Shelf()
    order = Order(shelf.tasks, shelf.waiter)
    shelf.waiter.meanwhile = lambda: shelf.waiter.pauses == 2 and shelf.move(shelf.second)

    order.service.updates(ADA, shelf.seen, timeout=MINUTE)

    reads = ["read"] * 3
    assert order.done == ["watch 3", *reads, "pause", *reads, "pause", *reads, "close"]


def test_the_watch_is_closed_when_the_store_fails() -> None:
    shelf = Shelf()

    class Down:
        def read(self, owner_key: str, task_id: str) -> Task:
            raise ConnectionError

    down: Any = Down()
    with pytest.raises(ConnectionError):
        replace(shelf.tasks, ports=replace(shelf.tasks.ports, tasks=down)).updates(ADA, shelf.seen, timeout=MINUTE)

    assert shelf.waiter.watching == 0


def test_what_woke_a_wait_is_noted_and_waiting_for_nothing_is_not() -> None:
    shelf = Shelf()
    shelf.waiter.woken_by = Waker.STREAM
    shelf.waiter.meanwhile = lambda: shelf.waiter.pauses == 2 and shelf.move(shelf.second)
    noted = []
    first = {shelf.first.id: shelf.first.version}
    for seen, timeout in ((shelf.seen, MINUTE), ({}, MINUTE), (first, timedelta(seconds=3))):
        with noting() as one:
            shelf.updates(seen, timeout)
        noted.append(one)

    assert noted == [
        {"woken_by": Waker.STREAM, "waited_ms": 2_000},
        {"waited_ms": MINUTE // timedelta(milliseconds=1)},
        {"woken_by": Waker.DEADLINE, "waited_ms": 3_000},
    ]


def test_what_was_there_at_once_woke_nobody() -> None:
    shelf = Shelf()
    shelf.move(shelf.first)
    with noting() as noted:
        shelf.updates(shelf.seen)

    assert noted == {}


def test_a_task_that_cannot_be_read_has_no_updates_and_hides_no_others() -> None:
    shelf = Shelf()
    moved = shelf.move(shelf.second)
    read = shelf.tasks.ports.tasks.read

    class Damaged:
        def read(self, owner_key: str, task_id: str) -> Task:
            if task_id == shelf.first.id:
                raise UnreadableItem("an item", "damaged")
            return read(owner_key, task_id)

    damaged: Any = Damaged()
    tasks = replace(shelf.tasks, ports=replace(shelf.tasks.ports, tasks=damaged))
    assert tasks.updates(ADA, shelf.seen, timeout=MINUTE) == [moved]
