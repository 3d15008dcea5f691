"""A sweep where others act at the same time, at the edges of its times, and for what waits for other people."""

from dataclasses import replace
from datetime import timedelta

import pytest

from mcp_tasks import role
from mcp_tasks.engine import sweep
from mcp_tasks.engine.suspension import Suspension
from mcp_tasks.limits.aws import BETWEEN_DESCRIPTIONS, MAX_DESCRIBED
from mcp_tasks.limits.waits import BETWEEN_CHECKS_RUNNING, FIRST_CHECK, GRACE, LONGEST_SWEEP
from mcp_tasks.tasks.approvals import Approval
from mcp_tasks.tasks.model import Failed, State, Task
from tests.contract.process import Fuse
from tests.kit import ADA
from tests.unit.direct import Direct
from tests.unit.jobs import COLOUR, DONE, MINUTE, RED
from tests.unit.sweeps import ALL, Room

MOMENT = timedelta(microseconds=1)
HOUR = timedelta(hours=1)
REFUND = replace(COLOUR, approval=Approval(audience=role("finance"), remind=HOUR))


def suspended(room: Room, *, of_others: bool = False) -> Task:
    """Return a task that waits for its client or, `of_others`, for somebody else."""
    (task,) = room.start()
    suspension = Suspension(tasks=room.tasks)
    suspension.request_input(ADA.owner_key, task.id, [REFUND if of_others else COLOUR])
    suspension.suspend(ADA.owner_key, task.id, "token")
    return room.tasks.get(ADA, task.id)


def answer(room: Room, task: Task) -> None:
    Suspension(tasks=room.tasks).answer(ADA, task.id, {"colour": RED})


# --- others who act at the same time


def test_a_task_whose_run_began_since_it_was_found_overdue_has_its_time(caplog: pytest.LogCaptureFixture) -> None:
    made = Direct(timeout=MINUTE)
    task, host = made.start(), made.host("the first")
    ports = made.tasks.ports
    fuse = Fuse(number=0, when="after", burn=host.load)
    tasks = replace(made.tasks, ports=replace(ports, tasks=fuse.around(ports.tasks)))
    made.clock.advance(task.due_at + GRACE - made.clock.now())

    assert replace(made.does.reconciler, tasks=tasks).sweep(limit=ALL) == 0
    assert made.tasks.get(ADA, task.id).state is State.WORKING
    assert caplog.records == []


def test_a_task_that_ended_since_it_was_found_due_is_not_counted() -> None:
    room = Room()
    room.start(2)

    def end_the_other() -> None:
        (checked,) = room.executor.described
        (other,) = {*room.executor.started} - {checked}
        room.tasks.finish(ADA.owner_key, other, DONE)

    room.executor.meanwhile = end_the_other
    room.clock.advance(FIRST_CHECK)

    assert room.reconciler.sweep(limit=ALL) == 0
    assert len(room.executor.described) == 1


def test_a_task_that_was_answered_while_it_was_checked_is_checked_soon() -> None:
    room = Room()
    task = suspended(room)
    room.clock.advance(FIRST_CHECK)
    room.executor.meanwhile = lambda: answer(room, task)

    room.reconciler.sweep(limit=ALL)
    room.clock.advance(FIRST_CHECK)
    assert room.due() == [task.id]


# --- queued tasks


def test_a_slot_that_nobody_gave_away_is_found_with_one_look_at_each_queue() -> None:
    room = Room(running=1)
    (running,) = room.start()
    waiting = room.start(2)
    room.tasks.finish(ADA.owner_key, running.id, DONE)
    fuse = Fuse()
    tasks = replace(room.tasks, ports=replace(room.tasks.ports, queue=fuse.around(room.store)))
    room.clock.advance(FIRST_CHECK)

    assert replace(room.reconciler, tasks=tasks).sweep(limit=ALL) == 0
    begun = [task.id for task in waiting if room.tasks.get(ADA, task.id).state is State.WORKING]
    assert [running.id, *begun] == list(room.executor.started)
    assert len(begun) == 1
    # One task, and then none.
    assert fuse.calls.count("start_next") == 2


def test_a_task_whose_turn_never_came_fails_and_says_so() -> None:
    room = Room(running=1)
    running, waiting = room.start(2)
    room.clock.advance(waiting.due_at + GRACE - room.clock.now())
    room.tasks.finish(ADA.owner_key, running.id, DONE)

    assert room.reconciler.sweep(limit=ALL) == 1
    assert room.tasks.outcome(ADA, waiting.id) == Failed(code=-32603, message="No slot became free in time.")


# --- what waits for other people


def test_people_are_told_again_by_the_sweep_that_is_due_for_it() -> None:
    room = Room()
    suspended(room, of_others=True)
    told: list[int] = []
    room.store.inbox.listener = lambda before, after: told.append(after.notices)
    room.clock.advance(FIRST_CHECK)
    room.reconciler.sweep(limit=ALL)
    room.clock.advance(HOUR - FIRST_CHECK - BETWEEN_DESCRIPTIONS - MOMENT)
    assert (room.due(), told) == ([], [])

    for hour in range(1, 4):
        room.clock.advance(MOMENT + BETWEEN_DESCRIPTIONS)
        room.reconciler.sweep(limit=ALL)
        assert told == [*range(1, hour + 1)]
        room.clock.advance(HOUR - 2 * BETWEEN_DESCRIPTIONS - MOMENT)
        assert room.due() == []


def test_people_who_are_to_be_told_by_the_end_of_a_check_are_told_by_the_next_sweep() -> None:
    room = Room()
    task = suspended(room, of_others=True)
    told: list[int] = []
    room.store.inbox.listener = lambda before, after: told.append(after.notices)
    room.executor.meanwhile = lambda: room.clock.advance(HOUR)
    room.clock.advance(HOUR)

    room.reconciler.sweep(limit=ALL)
    assert (room.due(), told) == ([task.id], [1])
    room.executor.meanwhile = lambda: None
    room.reconciler.sweep(limit=ALL)
    assert (room.due(), told) == ([], [1, 2])


# --- the edges of its times


def test_a_task_that_is_nearly_overdue_is_checked_when_it_is() -> None:
    room = Room()
    (task,) = room.start()
    room.clock.advance(task.due_at - MINUTE - room.clock.now())
    room.reconciler.sweep(limit=ALL)
    assert task.due_at + GRACE - room.clock.now() < BETWEEN_CHECKS_RUNNING

    room.clock.advance(task.due_at + GRACE - MOMENT - room.clock.now())
    assert room.due() == []
    room.clock.advance(MOMENT)
    assert room.due() == [task.id]


def test_a_task_that_cannot_be_read_is_not_the_first_of_the_next_sweep() -> None:
    room = Room()
    first = room.crash()
    room.store.unreadable[first.id] = RuntimeError()
    room.clock.advance(FIRST_CHECK)
    room.reconciler.sweep(limit=ALL)

    room.clock.advance(GRACE - MOMENT)
    assert room.due() == []
    room.clock.advance(MOMENT)
    assert room.due() == [first.id]


def test_a_sweep_begins_no_check_when_its_time_is_over() -> None:
    room = Room()
    room.executor.meanwhile = lambda: room.clock.advance(LONGEST_SWEEP - BETWEEN_DESCRIPTIONS)
    room.start(2)
    room.clock.advance(FIRST_CHECK)

    room.reconciler.sweep(limit=ALL)
    assert len(room.executor.described) == 1


def test_no_more_running_executions_are_listed_than_a_sweep_keeps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep, "MAX_LISTED", 2)
    room = Room()
    tasks = [task.id for task in room.start(MAX_DESCRIBED + 1)]
    room.executor.pages = [tasks[:1], tasks[1:2], tasks[2:]]
    room.clock.advance(FIRST_CHECK)

    room.reconciler.sweep(limit=ALL)
    assert sorted(room.executor.described) == sorted(tasks[2:])
