"""How long a caller waits for a task, and which changes end the wait."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.engine.current_call import noting
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.ports.waiter import Waker, Watch
from mcp_tasks.tasks.errors import TaskNotFound
from mcp_tasks.tasks.model import Progress, State, Task
from tests.contract.process import Fuse
from tests.kit import ADA, EVE, NOON, BusyWaiter, FixedClock
from tests.unit.jobs import DAY, DONE, MINUTE, job, progress, service


def waiting(waiter: BusyWaiter, clock: FixedClock) -> tuple[TaskService, Task]:
    tasks = service(clock=clock, waiter=waiter)
    return tasks, tasks.start(ADA, job, {}, ttl=DAY)


def test_a_final_task_is_not_waited_for() -> None:
    clock = FixedClock()
    waiter = BusyWaiter(clock=clock)
    tasks, task = waiting(waiter, clock)
    finished = tasks.finish(ADA.owner_key, task.id, DONE)

    assert tasks.wait(ADA, task.id, since=finished.version, timeout=MINUTE) == finished
    assert waiter.pauses == 0


def test_waiting_ends_with_the_task() -> None:
    clock = FixedClock()
    waiter = BusyWaiter(clock=clock)
    tasks, task = waiting(waiter, clock)
    waiter.meanwhile = lambda: waiter.pauses == 3 and tasks.finish(ADA.owner_key, task.id, DONE)

    final = tasks.wait(ADA, task.id, since=task.version, timeout=MINUTE)

    assert final == tasks.get(ADA, task.id)
    assert (final.state, waiter.pauses, waiter.watching) == (State.FINISHED, 3, 0)


def test_waiting_ends_with_an_update() -> None:
    clock = FixedClock()
    waiter = BusyWaiter(clock=clock)
    tasks, task = waiting(waiter, clock)
    waiter.meanwhile = lambda: waiter.pauses == 2 and progress(tasks, task, 1)

    assert tasks.wait(ADA, task.id, since=task.version, timeout=MINUTE).progress == Progress(progress=1)
    assert waiter.pauses == 2


def test_whoever_waits_for_the_end_alone_is_not_woken_by_updates() -> None:
    clock = FixedClock()
    waiter = BusyWaiter(clock=clock)
    tasks, task = waiting(waiter, clock)
    waiter.meanwhile = lambda: progress(tasks, task, waiter.pauses) if waiter.pauses < 9 else end(tasks, task)

    final = tasks.wait(ADA, task.id, timeout=MINUTE)

    assert (final.state, waiter.pauses) == (State.FINISHED, 9)


def test_whoever_waits_for_the_end_alone_sees_the_newest_version_when_the_timeout_ends() -> None:
    clock = FixedClock()
    waiter = BusyWaiter(clock=clock)
    tasks, task = waiting(waiter, clock)
    waiter.meanwhile = lambda: progress(tasks, task, waiter.pauses)

    assert tasks.wait(ADA, task.id, timeout=timedelta(seconds=3)).progress == Progress(progress=3)
    assert clock.now() - NOON == timedelta(seconds=3)


def end(tasks: TaskService, task: Task) -> Task:
    return tasks.finish(ADA.owner_key, task.id, DONE)


def test_updates_may_be_kept_back_for_a_debounce() -> None:
    clock = FixedClock()
    waiter = BusyWaiter(clock=clock)
    tasks, task = waiting(waiter, clock)
    waiter.meanwhile = lambda: progress(tasks, task, waiter.pauses)

    updates = tasks.wait(ADA, task.id, since=task.version, timeout=MINUTE, debounce=timedelta(seconds=5))

    assert (updates.progress, clock.now() - NOON) == (Progress(progress=5), timedelta(seconds=5))


def test_the_end_is_never_kept_back() -> None:
    clock = FixedClock()
    waiter = BusyWaiter(clock=clock)
    tasks, task = waiting(waiter, clock)
    waiter.meanwhile = lambda: tasks.finish(ADA.owner_key, task.id, DONE)

    tasks.wait(ADA, task.id, since=task.version, timeout=MINUTE, debounce=timedelta(seconds=30))

    assert clock.now() - NOON == timedelta(seconds=1)


def test_the_timeout_ends_on_time() -> None:
    clock = FixedClock()
    waiter = BusyWaiter(clock=clock, pace=timedelta(seconds=7))
    tasks, task = waiting(waiter, clock)

    assert tasks.wait(ADA, task.id, since=task.version, timeout=timedelta(seconds=25)) == task
    assert clock.now() - NOON == timedelta(seconds=25)


def test_whoever_does_not_wait_sees_the_task_as_it_is() -> None:
    clock = FixedClock()
    waiter = BusyWaiter(clock=clock)
    tasks, task = waiting(waiter, clock)

    assert tasks.wait(ADA, task.id, since=task.version, timeout=timedelta()) == task
    assert waiter.pauses == 0


def test_the_watch_is_open_before_the_task_is_read_and_closed_in_any_case() -> None:
    clock = FixedClock()
    waiter = BusyWaiter(clock=clock)
    tasks, task = waiting(waiter, clock)
    read, watched = tasks.ports.tasks.read, []

    class Store:
        def read(self, owner_key: str, task_id: str) -> Task:
            watched.append(waiter.watching)
            return read(owner_key, task_id)

    spied: Any = Store()
    with pytest.raises(TaskNotFound):
        replace(tasks, ports=replace(tasks.ports, tasks=spied)).wait(EVE, task.id, since=0, timeout=MINUTE)

    assert (watched, waiter.watching) == ([1], 0)


def test_a_task_that_expires_while_somebody_waits_is_gone() -> None:
    clock = FixedClock()
    waiter = BusyWaiter(clock=clock, pace=MINUTE)
    tasks = service(clock=clock, waiter=waiter)
    task = tasks.start(ADA, job, {}, ttl=timedelta())

    with pytest.raises(TaskNotFound):
        tasks.wait(ADA, task.id, since=task.version, timeout=DAY)


def test_the_notification_of_each_version_is_claimed_by_one() -> None:
    tasks = service()
    task = tasks.start(ADA, job, {})
    newer = progress(tasks, task, 1)

    claimed = [tasks.claim_notification(ADA, each, "s") for each in [task, task, newer, task, newer]]

    assert claimed == [True, False, True, False, False]


@pytest.mark.parametrize("waker", [Waker.STREAM, Waker.POLL])
def test_who_woke_a_wait_is_noted(waker: Waker) -> None:
    clock = FixedClock()
    waiter = BusyWaiter(clock=clock, woken_by=waker)
    tasks, task = waiting(waiter, clock)

    def end_late_in_the_third() -> None:
        if waiter.pauses == 3:
            tasks.finish(ADA.owner_key, task.id, DONE)
            clock.advance(timedelta(milliseconds=250))

    waiter.meanwhile = end_late_in_the_third
    with noting() as noted:
        tasks.wait(ADA, task.id, timeout=MINUTE)

    assert noted == {"woken_by": waker, "woken_ms": 250, "task": task.id, "waited_ms": 3_250}


def test_a_wait_in_vain_is_ended_by_its_deadline() -> None:
    clock = FixedClock()
    tasks, task = waiting(BusyWaiter(clock=clock, woken_by=Waker.STREAM), clock)
    with noting() as noted:
        tasks.wait(ADA, task.id, timeout=timedelta(seconds=3))

    assert noted == {"woken_by": Waker.DEADLINE, "task": task.id, "waited_ms": 3_000}


def test_the_debounce_after_the_update_is_not_what_woke_a_wait() -> None:
    clock = FixedClock()
    waiter = BusyWaiter(clock=clock, woken_by=Waker.STREAM)
    tasks, task = waiting(waiter, clock)

    def report_then_poll() -> None:
        if waiter.pauses == 1:
            progress(tasks, task, 1)
        else:
            waiter.woken_by = Waker.POLL

    waiter.meanwhile = report_then_poll
    with noting() as noted:
        tasks.wait(ADA, task.id, since=task.version, timeout=MINUTE, debounce=timedelta(seconds=5))

    assert waiter.pauses > 1
    assert noted == {"woken_by": Waker.STREAM, "task": task.id, "waited_ms": 1_000 * waiter.pauses}


def test_waiting_ends_with_what_is_waited_for() -> None:
    clock = FixedClock()
    waiter = BusyWaiter(clock=clock)
    tasks, task = waiting(waiter, clock)
    waiter.meanwhile = lambda: progress(tasks, task, waiter.pauses)

    half = tasks.wait(ADA, task.id, timeout=MINUTE, until=lambda task: task.progress == Progress(progress=2))
    assert (half.progress, waiter.pauses) == (Progress(progress=2), 2)


@dataclass(slots=True, kw_only=True)
class Watching(BusyWaiter):
    """A waiter that records what it watches."""

    watched: list[tuple[str, ...]] = field(default_factory=list)

    @contextmanager
    def watch(self, owner_key: str, *task_ids: str) -> Iterator[Watch]:
        self.watched.append((owner_key, *task_ids))
        with BusyWaiter.watch(self, owner_key, *task_ids) as watch:
            yield watch


def test_a_wait_watches_the_task_of_its_caller_that_it_waits_for() -> None:
    clock = FixedClock()
    waiter = Watching(clock=clock)
    tasks, task = waiting(waiter, clock)

    tasks.wait(ADA, task.id, timeout=timedelta())
    tasks.updates(ADA, {task.id: 0}, timeout=timedelta())
    assert waiter.watched == [(ADA.owner_key, task.id)] * 2


@pytest.mark.parametrize(("waker", "read"), [(Waker.STREAM, "read"), (Waker.POLL, "read_recent")])
def test_only_a_task_that_is_known_to_be_written_is_read_at_the_full_price(waker: Waker, read: str) -> None:
    clock = FixedClock()
    tasks, task = waiting(BusyWaiter(clock=clock, woken_by=waker), clock)
    fuse = Fuse()
    tasks = replace(tasks, ports=replace(tasks.ports, tasks=fuse.around(tasks.ports.tasks)))

    tasks.wait(ADA, task.id, timeout=timedelta(seconds=2))
    assert fuse.calls == ["read", read, read]


def test_a_call_that_need_not_wait_notes_no_waker() -> None:
    clock = FixedClock()
    tasks, task = waiting(BusyWaiter(clock=clock), clock)
    with noting() as noted:
        tasks.wait(ADA, task.id, timeout=timedelta())
        tasks.finish(ADA.owner_key, task.id, DONE)
        tasks.wait(ADA, task.id, timeout=MINUTE)

    assert noted == {"task": task.id}
