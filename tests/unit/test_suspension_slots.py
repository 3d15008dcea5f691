"""A task that was suspended, or slept, goes on with a slot: one that is free, or when its turn comes."""

from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest

from mcp_tasks import tool
from mcp_tasks.engine.suspension import Suspension
from mcp_tasks.limits.waits import KEPT
from mcp_tasks.tasks.errors import IllegalTransition
from mcp_tasks.tasks.model import State, Task
from tests.contract.process import Fuse
from tests.kit import ADA, FixedClock, IdleExecutor, plan_of
from tests.unit.jobs import COLOUR, DAY, DONE, RED, job, service, slow

HOUR = timedelta(hours=1)


@dataclass(slots=True, kw_only=True)
class Recorder(IdleExecutor):
    """An executor that records all tokens with which it resumes."""

    tokens: list[tuple[str, ...]] = field(default_factory=list)

    def resume(self, task: Task) -> None:
        self.tokens.append(task.tokens)


class Room:
    """A service with so many slots, and what happens to its tasks; no stream starts queued ones."""

    def __init__(self, running: int) -> None:
        self.clock, self.executor = FixedClock(), Recorder()
        plan = replace(plan_of(100), running_tasks=running)
        self.tasks = service(clock=self.clock, executor=self.executor, plan=plan)
        self.suspension = Suspension(tasks=self.tasks)

    def start(self, number: int = 1) -> list[Task]:
        return [self.tasks.start(ADA, job, {}, ttl=DAY) for _ in range(number)]

    def suspended(self) -> Task:
        (task,) = self.start()
        self.suspension.request_input(ADA.owner_key, task.id, [COLOUR])
        self.suspension.suspend(ADA.owner_key, task.id, "token")
        return task

    def slept(self) -> Task:
        """Return a task that has slept for an hour."""
        (task,) = self.start()
        assert self.suspension.sleep(ADA.owner_key, task.id, self.clock.now() + HOUR) == HOUR
        return self.tasks.read(ADA.owner_key, task.id)

    def finish(self, *tasks: Task) -> None:
        for task in tasks:
            self.tasks.finish(ADA.owner_key, task.id, DONE)

    def states(self, *tasks: Task) -> list[State]:
        return sorted(self.tasks.get(ADA, task.id).state for task in tasks)

    def admit(self, task: Task) -> Task:
        return self.suspension.admit(ADA.owner_key, task)


def test_an_answer_that_finds_a_queue_starts_one_task_of_it_with_a_slot_that_nobody_gave_away() -> None:
    room = Room(running=2)
    suspended, ended, waiting = room.suspended(), room.start(2), room.start(2)
    assert room.states(*waiting) == [State.QUEUED] * 2
    room.finish(*ended)

    answered = room.suspension.answer(ADA, suspended.id, {"colour": RED})

    assert answered.state is State.QUEUED
    assert room.suspension.remaining(answered) == answered.due_at - room.clock.now()
    # Its own turn comes first: it is the oldest.
    assert room.states(suspended) == [State.WORKING]
    assert room.states(*waiting) == [State.QUEUED] * 2
    assert room.executor.tokens == [("token",)]


def test_a_task_that_finds_a_slot_is_resumed_with_all_its_tokens() -> None:
    room = Room(running=1)
    task = room.suspended()
    room.suspension.suspend(ADA.owner_key, task.id, "late")

    assert room.suspension.answer(ADA, task.id, {"colour": RED}).state is State.WORKING
    assert room.executor.tokens == [("token", "late")]


def test_an_execution_that_comes_to_wait_for_what_is_there_is_resumed_with_its_own_token_alone() -> None:
    room = Room(running=1)
    task = room.suspended()
    room.suspension.suspend(ADA.owner_key, task.id, "late")
    room.suspension.answer(ADA, task.id, {"colour": RED})
    room.executor.tokens.clear()

    room.suspension.suspend(ADA.owner_key, task.id, "latest")
    assert room.executor.tokens == [("latest",)]


def test_a_task_sleeps_no_longer_than_its_outcome_can_be_kept() -> None:
    room = Room(running=1)
    (task,) = room.start()

    assert room.suspension.sleep(ADA.owner_key, task.id, room.clock.now() + 2 * DAY) == DAY - KEPT


def test_a_task_that_slept_gets_a_slot_before_it_runs() -> None:
    room = Room(running=1)
    task = room.slept()
    assert task.holding.slot is None
    room.clock.advance(HOUR)

    admitted = room.admit(task)
    assert (admitted.state, admitted.lacks_slot) == (State.WORKING, False)


def test_a_task_that_slept_waits_for_its_turn_where_no_slot_is_free() -> None:
    room = Room(running=1)
    task = room.slept()
    room.start()
    room.clock.advance(HOUR)

    assert room.admit(task).state is State.QUEUED


def test_one_that_sleeps_has_a_slot_or_waits_for_one_is_left_as_it_is() -> None:
    room = Room(running=2)
    sleeps, (runs,) = room.slept(), room.start()
    asks = room.suspended()
    fuse = Fuse()
    tasks = replace(room.tasks, ports=replace(room.tasks.ports, tasks=fuse.around(room.tasks.ports.tasks)))

    for task in (sleeps, room.tasks.get(ADA, runs.id), room.tasks.get(ADA, asks.id)):
        assert Suspension(tasks=tasks).admit(ADA.owner_key, task) == task
    assert fuse.calls == []


def test_a_state_machine_of_its_own_takes_no_slot() -> None:
    room = Room(running=1)
    room.start()
    task = replace(room.tasks.start(ADA, slow, {}), state=State.WORKING)

    assert room.admit(task) == task


def test_a_task_without_an_execution_cannot_be_suspended() -> None:
    @tool(tasks="always", machine="direct")
    def direct() -> str:
        """Work."""
        return ""

    room = Room(running=1)
    task = room.tasks.start(ADA, direct, {})
    why = r"^a task without an execution cannot be suspended: nothing would resume it$"
    with pytest.raises(IllegalTransition, match=why):
        room.suspension.request_input(ADA.owner_key, task.id, [COLOUR])
    with pytest.raises(IllegalTransition, match=why):
        room.suspension.sleep(ADA.owner_key, task.id, room.clock.now() + HOUR)
