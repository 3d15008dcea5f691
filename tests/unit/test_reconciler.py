"""The reconciler does the side effects that a crash left out."""

from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from mcp_tasks import tool
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.engine.reconciler import Reconciler
from mcp_tasks.features.tools import Tool
from mcp_tasks.limits.aws import BETWEEN_DESCRIPTIONS
from mcp_tasks.limits.waits import BETWEEN_CHECKS_RUNNING, GRACE
from mcp_tasks.ports.executor import ExecutorUnavailable
from mcp_tasks.tasks.errors import TaskNotFound
from mcp_tasks.tasks.model import Failed, Returned, State, Task
from tests.kit import ADA, BOB, FixedClock, IdleExecutor, memory_ports
from tests.unit.jobs import slow

MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)


@tool(timeout=10 * MINUTE)
def job(name: str = "") -> str:
    """Work."""
    return name


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A service whose executor may be down, and its reconcile."""

    clock: FixedClock
    executor: IdleExecutor
    tasks: TaskService
    reconciler: Reconciler

    def crash_after_create(self) -> Task:
        self.executor.down = True
        task = self.tasks.start(ADA, job, {"name": "x"}, ttl=DAY)
        self.executor.down = False
        return task

    def crash_after_cancel(self) -> tuple[Task, Task]:
        task = self.tasks.start(ADA, job, {}, ttl=DAY)
        self.executor.down = True
        cancelled = self.tasks.cancel(ADA, task.id)
        self.executor.down = False
        return task, cancelled


def scenario() -> Scenario:
    clock, executor = FixedClock(), IdleExecutor()
    tasks = TaskService(ports=memory_ports(clock, executor=executor))
    return Scenario(clock=clock, executor=executor, tasks=tasks, reconciler=Reconciler(tasks=tasks, ports=tasks.ports))


def test_a_new_task_is_started_with_its_arguments_once_however_often_its_change_is_delivered() -> None:
    room = scenario()
    task = room.crash_after_create()

    for _ in range(2):
        room.reconciler.changed(ADA.owner_key, None, task)

    assert room.executor.started == {task.id: {"name": "x"}}


def test_a_task_whose_work_the_request_started_is_not_started_again_by_the_stream() -> None:
    room = scenario()
    task = room.tasks.start(ADA, job, {}, ttl=DAY)

    for before in (None, replace(task, state=State.QUEUED)):
        room.reconciler.changed(ADA.owner_key, before, task)

    assert room.executor.starts == [task.id]


def test_a_task_whose_request_died_before_it_started_the_work_is_started_by_the_stream_once() -> None:
    room = scenario()
    task = room.crash_after_create()

    for _ in range(2):
        room.reconciler.changed(ADA.owner_key, None, task)

    assert room.executor.starts == [task.id]


def test_a_task_that_was_launched_and_has_no_execution_is_started_by_the_sweep() -> None:
    room = scenario()
    task = room.tasks.start(ADA, job, {}, ttl=DAY)
    room.executor.started.clear()
    room.clock.sleep(MINUTE)

    assert room.reconciler.sweep(limit=10) == 1
    assert room.executor.starts == [task.id] * 2


@pytest.mark.parametrize("over", ["cancelled", "expired"])
def test_a_new_task_that_is_over_by_now_is_not_started(over: str) -> None:
    room = scenario()
    task = room.crash_after_create()
    if over == "cancelled":
        room.tasks.cancel(ADA, task.id)
    else:
        room.clock.sleep(task.ttl)

    room.reconciler.changed(ADA.owner_key, None, task)

    assert room.executor.started == {}


def test_a_cancelled_task_is_stopped_once_however_often_its_change_is_delivered() -> None:
    room = scenario()
    task, cancelled = room.crash_after_cancel()
    assert room.executor.stopped == {}

    for _ in range(2):
        room.reconciler.changed(ADA.owner_key, task, cancelled)

    assert room.executor.stopped == {task.id: "cancelled"}


def test_a_live_task_that_was_deleted_is_stopped() -> None:
    room = scenario()
    task = room.tasks.start(ADA, job, {})

    room.reconciler.changed(ADA.owner_key, task, None)

    assert room.executor.stopped == {task.id: "the task expired"}


def test_other_changes_call_for_nothing() -> None:
    room = scenario()
    task = room.tasks.start(ADA, job, {})
    finished = room.tasks.finish(ADA.owner_key, task.id, Returned(result={}))
    room.executor.started.clear()

    for before, after in [(task, finished), (None, finished), (finished, finished), (finished, None), (task, task)]:
        room.reconciler.changed(ADA.owner_key, before, after)

    assert (room.executor.started, room.executor.stopped) == ({}, {})


def test_what_cannot_be_done_now_raises_so_that_it_is_repeated() -> None:
    room = scenario()
    waiting = room.crash_after_create()
    task, cancelled = room.crash_after_cancel()
    room.executor.down = True

    for before, after in [(None, waiting), (task, cancelled), (task, None)]:
        with pytest.raises(ExecutorUnavailable):
            room.reconciler.changed(ADA.owner_key, before, after)


def test_the_sweep_leaves_a_young_task_alone() -> None:
    room = scenario()
    room.crash_after_create()

    assert room.reconciler.sweep(limit=10) == 0
    assert room.executor.started == {}


def test_the_sweep_starts_what_nobody_started() -> None:
    room = scenario()
    task = room.crash_after_create()
    room.clock.sleep(MINUTE)

    assert room.reconciler.sweep(limit=10) == 1
    assert room.executor.started == {task.id: {"name": "x"}}


@pytest.mark.parametrize(("work", "checks"), [(job, 2), (slow, 1)], ids=["holds a slot", "holds none"])
def test_each_sweep_checks_work_that_holds_a_slot_and_other_work_once_an_hour(work: Tool, checks: int) -> None:
    room = scenario()
    task = room.tasks.start(ADA, work, {})

    for after in (MINUTE, BETWEEN_CHECKS_RUNNING):
        room.clock.advance(after)
        assert room.reconciler.sweep(limit=10) == 0
    assert room.executor.described == [task.id] * checks


def test_the_sweep_fails_a_task_whose_work_ended_without_a_word() -> None:
    room = scenario()
    task = room.tasks.start(ADA, job, {})
    room.executor.ended.add(task.id)
    room.clock.sleep(MINUTE)

    assert room.reconciler.sweep(limit=10) == 1
    assert room.tasks.outcome(ADA, task.id) == Failed(
        code=-32603, message="The work ended, and its outcome was not recorded."
    )
    assert room.reconciler.sweep(limit=10) == 0


def test_the_sweep_ends_work_that_does_not_end() -> None:
    room = scenario()
    task = room.tasks.start(ADA, job, {}, ttl=DAY)
    room.clock.advance(task.timeout + GRACE)

    assert room.reconciler.sweep(limit=10) == 1
    assert room.tasks.get(ADA, task.id).status_message == "The work did not end within 0:10:00."
    assert room.executor.stopped == {task.id: "timed out"}


def test_the_sweep_gives_work_that_ends_late_some_grace() -> None:
    room = scenario()
    task = room.tasks.start(ADA, job, {}, ttl=DAY)
    room.clock.advance(task.timeout + GRACE - timedelta(seconds=1))

    assert room.reconciler.sweep(limit=10) == 0
    assert room.tasks.get(ADA, task.id).state is State.WORKING


def test_the_sweep_deletes_what_expired() -> None:
    room = scenario()
    task = room.tasks.start(ADA, job, {})
    room.clock.sleep(task.ttl)

    assert room.reconciler.sweep(limit=10) == 1
    assert room.reconciler.sweep(limit=10) == 0
    with pytest.raises(TaskNotFound):
        room.tasks.get(ADA, task.id)


def test_the_sweep_passes_over_tasks_that_are_over() -> None:
    room = scenario()
    room.tasks.cancel(ADA, room.tasks.start(ADA, job, {}).id)
    room.tasks.finish(BOB.owner_key, room.tasks.start(BOB, job, {}).id, Returned(result={}))
    room.clock.sleep(MINUTE)

    assert room.reconciler.sweep(limit=10) == 0


def test_the_sweep_takes_its_time_and_so_many_tasks_and_leaves_the_rest_for_the_next() -> None:
    room = scenario()
    for _ in range(5):
        room.crash_after_create()
    room.clock.sleep(MINUTE)
    began = room.clock.now()

    assert room.reconciler.sweep(limit=3) == 3
    assert room.clock.now() - began == 3 * BETWEEN_DESCRIPTIONS
    assert room.reconciler.sweep(limit=3) == 2
    assert len(room.executor.started) == 5
