"""The reconciler gives back what tasks held, lets others run, and keeps how long work took and whose it was."""

from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest

from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.adapters.memory.tenants import MemoryTenants
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.engine.reconciler import Reconciler
from mcp_tasks.ports.executor import ExecutorUnavailable
from mcp_tasks.tasks.model import Holding, State, Task
from mcp_tasks.tasks.plan import Plan
from tests.kit import ADA, BOB, NOON, FixedClock, IdleExecutor, a_task, memory_ports
from tests.unit.jobs import DONE, MINUTE, job


class RecordingStore(MemoryTaskStore):
    """A store that says what was to be given back: in memory the tasks themselves are counted."""

    def __init__(self, clock: FixedClock) -> None:
        super().__init__(clock)
        self.released: list[tuple[str, str, Task | None]] = []
        self.settled: list[tuple[str, Task]] = []

    def release(self, owner_key: str, task_id: str, task: Task | None = None) -> None:
        self.released.append((owner_key, task_id, task))

    def settle(self, owner_key: str, task: Task) -> None:
        self.settled.append((owner_key, task))


class SeenTenants(MemoryTenants):
    """Tenants that say which of them were seen."""

    def __init__(self, store: MemoryTaskStore) -> None:
        super().__init__(store)
        self.names: list[str] = []

    def seen(self, tenant: str) -> None:
        self.names.append(tenant)


@dataclass
class MeasuredDurations:
    """Durations that say what was added."""

    added: list[tuple[str, str, timedelta]] = field(default_factory=list)

    def add(self, tenant: str, tool: str, duration: timedelta) -> None:
        self.added.append((tenant, tool, duration))

    def of(self, tenant: str, tool: str) -> None:
        return None


class Room:
    """A service whose plan lets one task run, and the reconciler of what it stores."""

    def __init__(self) -> None:
        self.clock, self.executor = FixedClock(), IdleExecutor()
        self.store = RecordingStore(self.clock)
        self.tenants, self.durations = SeenTenants(self.store), MeasuredDurations()
        ports = memory_ports(self.clock, executor=self.executor, plan=Plan(running_tasks=1, subject_share=1))
        ports = replace(ports, tasks=self.store, backlog=self.store, queue=self.store)
        self.ports = replace(ports, tenants=lambda: self.tenants, durations=self.durations)
        self.tasks = TaskService(ports=self.ports)
        self.reconciler = Reconciler(tasks=self.tasks, ports=self.ports)

    def start(self) -> Task:
        self.clock.advance(timedelta(milliseconds=2))
        return self.tasks.start(ADA, job, {})

    def changed(self, before: Task | None, after: Task | None) -> None:
        self.reconciler.changed(ADA.owner_key, before, after)

    def state(self, task: Task) -> State:
        return self.tasks.get(ADA, task.id).state


def test_the_tenant_of_a_new_task_is_kept_and_that_of_another_change_is_known() -> None:
    room = Room()
    task = room.start()

    room.changed(task, task)
    assert room.tenants.names == []
    room.changed(None, task)
    assert room.tenants.names == ["acme"]


def test_where_nobody_wants_to_know_of_tenants_or_durations_nothing_is_kept() -> None:
    room = Room()
    task = room.start()
    finished = room.tasks.finish(ADA.owner_key, task.id, DONE)
    ports = replace(room.ports, tenants=None, durations=None)

    for before, after in [(None, task), (task, finished)]:
        Reconciler(tasks=room.tasks, ports=ports).changed(ADA.owner_key, before, after)

    assert (room.tenants.names, room.durations.added) == ([], [])


# --- what tasks held


def test_a_live_task_that_was_deleted_gives_back_what_it_held_and_one_that_was_over_has_done_so() -> None:
    room = Room()
    task = room.start()
    finished = room.tasks.finish(ADA.owner_key, task.id, DONE)

    room.changed(finished, None)
    assert room.store.released == []
    room.changed(task, None)
    assert room.store.released == [(ADA.owner_key, task.id, task)]


def test_a_deleted_task_that_cannot_be_read_is_given_back_by_its_key() -> None:
    room = Room()

    room.reconciler.deleted(BOB.owner_key, "a task")

    assert room.store.released == [(BOB.owner_key, "a task", None)]


def test_a_task_that_holds_more_than_it_may_is_settled_and_no_other() -> None:
    room = Room()
    rightful = a_task(holding=Holding(active=True, slot=0))
    wrongful = replace(rightful, state=State.FINISHED)

    room.changed(rightful, rightful)
    assert room.store.settled == []
    room.changed(wrongful, wrongful)
    assert room.store.settled == [(ADA.owner_key, wrongful)]


# --- who runs next


@pytest.mark.parametrize("end", ["finished", "deleted", "wrongful"])
def test_where_a_slot_became_free_the_next_task_runs(end: str) -> None:
    room = Room()
    task, queued = room.start(), room.start()
    # As a process leaves them that died before it started the next.
    finished = replace(task, state=State.FINISHED, holding=task.holding if end == "wrongful" else Holding())
    room.store._records.drop(ADA.owner_key, task.id)

    room.changed(task, None if end == "deleted" else finished)

    assert room.state(queued) is State.WORKING
    assert room.executor.starts == [task.id, queued.id]


def test_where_no_slot_became_free_nobody_looks_for_the_next_task() -> None:
    room = Room()
    task, queued = room.start(), room.start()
    room.store._records.drop(ADA.owner_key, task.id)
    slotless = replace(task, holding=Holding(active=True))

    for before, after in [(task, task), (slotless, slotless), (None, task), (slotless, None), (slotless, task)]:
        room.changed(before, after)
    assert room.state(queued) is State.QUEUED
    room.changed(None, queued)
    assert room.state(queued) is State.WORKING


def test_the_next_task_runs_also_where_the_work_of_the_last_could_not_be_stopped() -> None:
    room = Room()
    task, queued = room.start(), room.start()
    cancelled = replace(task, state=State.CANCELLED, holding=Holding())
    room.store._records.drop(ADA.owner_key, task.id)
    room.executor.down = True

    with pytest.raises(ExecutorUnavailable):
        room.changed(task, cancelled)

    assert room.state(queued) is State.WORKING


def test_a_task_that_got_its_slot_is_started_or_resumed_where_whoever_gave_it_died() -> None:
    room = Room()
    working = room.tasks.read(ADA.owner_key, room.start().id)
    # `launched` is no part of what changes, and is set by whoever starts the execution.
    room.store._records[ADA.owner_key, working.id].task = replace(working, launched=False)
    room.executor.starts.clear()
    queued = replace(working, state=State.QUEUED)

    room.changed(queued, working)
    assert (room.executor.starts, room.executor.resumed) == ([working.id], [])

    room.store._records[ADA.owner_key, working.id].task = replace(working, launched=False)
    for token in ("token", None):
        room.changed(queued, replace(working, resumed_at=NOON, task_token=token))
    assert (room.executor.starts, room.executor.resumed) == ([working.id], ["token"])


# --- how long work took


def test_the_time_that_work_took_is_kept_by_tenant_and_tool() -> None:
    room = Room()
    task = room.start()
    room.clock.advance(7 * MINUTE)
    finished = room.tasks.finish(ADA.owner_key, task.id, DONE)

    room.changed(task, finished)

    assert room.durations.added == [("acme", "job", 7 * MINUTE)]


def test_what_did_not_come_to_its_end_at_once_says_nothing_of_how_long_work_takes() -> None:
    room = Room()
    task = room.start()
    finished = room.tasks.finish(ADA.owner_key, task.id, DONE)
    cancelled = replace(task, state=State.CANCELLED)
    # Somebody was waited for.
    answered = replace(task, resumed_at=NOON)

    changes = [(None, finished), (finished, None), (finished, finished), (task, cancelled), (task, task)]
    for before, after in [*changes, (answered, finished)]:
        room.changed(before, after)

    assert room.durations.added == []
