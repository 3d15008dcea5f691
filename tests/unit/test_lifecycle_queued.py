"""A task that waits for its turn says so, and its place; a call starts one that should have had its turn already."""

from dataclasses import replace
from datetime import timedelta

import pytest

from mcp_tasks.engine import pacing
from mcp_tasks.engine.lifecycle import InitialState
from mcp_tasks.limits.waits import MAX_PLACE
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import State, Task
from tests.kit import ADA, BOB, FixedClock, IdleExecutor, plan_of
from tests.unit.jobs import COLOUR, DAY, DONE, MINUTE, job, service

NONE = "Waiting for its turn: 0 of your tasks come before it."
ONE = "Waiting for its turn: 1 of your tasks comes before it."
TWO = "Waiting for its turn: 2 of your tasks come before it."


class Room:
    """A service with so many slots, and no stream that starts queued tasks."""

    def __init__(self, running: int = 1) -> None:
        self.clock, self.executor = FixedClock(), IdleExecutor()
        plan = replace(plan_of(1_000), running_tasks=running)
        self.tasks = service(clock=self.clock, executor=self.executor, plan=plan)

    def start(self, caller: Caller = ADA) -> Task:
        self.clock.advance(MINUTE / 60)
        return self.tasks.start(caller, job, {}, ttl=DAY)

    def running(self) -> int:
        return sum(task.state is State.WORKING for task in self.tasks.page(ADA, before=None, limit=100)[0])


def test_a_queued_task_says_its_place_among_those_of_its_caller_wherever_it_is_read() -> None:
    room = Room()
    room.start()
    room.start(BOB)
    waiting = [room.start() for _ in range(3)]

    assert [task.status_message for task in waiting] == [NONE, ONE, TWO]
    for task, says in zip(waiting, [NONE, ONE, TWO], strict=True):
        assert task.state is State.QUEUED
        assert room.tasks.get(ADA, task.id).status_message == says
        assert room.tasks.wait(ADA, task.id, timeout=timedelta()).status_message == says
        (updated,) = room.tasks.updates(ADA, {task.id: 0}, timeout=MINUTE)
        assert updated.status_message == says


def test_in_a_list_it_says_that_it_waits_and_tasks_that_work_say_what_they_said() -> None:
    room = Room()
    works, waits = room.start(), room.start()

    page, _ = room.tasks.page(ADA, before=None, limit=2)

    assert [(task.id, task.state, task.status_message) for task in page] == [
        (waits.id, State.QUEUED, "Waiting for its turn."),
        (works.id, State.WORKING, None),
    ]


@pytest.mark.parametrize(
    ("most", "says"),
    [(2, TWO), (1, "Waiting for its turn: more than 1 of your tasks come before it."), (MAX_PLACE, TWO)],
)
def test_a_place_far_behind_is_not_counted(most: int, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "MAX_PLACE", most)
    room = Room()
    room.start()

    assert [room.start() for _ in range(3)][-1].status_message == says


def test_a_call_that_finds_a_queue_starts_one_task_of_it_with_a_slot_that_nobody_gave_away() -> None:
    room = Room(running=2)
    ended = [room.start() for _ in range(2)]
    waiting = [room.start() for _ in range(2)]
    for task in ended:
        room.tasks.finish(ADA.owner_key, task.id, DONE)
    assert (room.running(), len(room.executor.started)) == (0, 2)

    latest = room.start()

    assert latest.state is State.QUEUED
    assert room.running() == 1
    assert list(room.executor.started)[2:] == [waiting[0].id]


def test_a_call_that_need_not_run_now_does_not_wait_for_a_slot() -> None:
    room = Room()
    room.start()

    asks = room.tasks.start(ADA, job, {}, initial_state=InitialState(input_requests=(COLOUR,)))
    ended = room.tasks.start(ADA, job, {}, outcome=DONE)
    assert (asks.state, ended.state) == (State.WORKING, State.WORKING)
    assert asks.holding.slot is None
    assert room.tasks.get(ADA, ended.id).state is State.FINISHED
