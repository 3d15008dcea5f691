"""The reconciler does the side effects that a crash of a suspended task left out."""

from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest

from mcp_tasks.limits.waits import BETWEEN_CHECKS_SUSPENDED, GRACE, KEPT
from mcp_tasks.ports.executor import ExecutorUnavailable
from mcp_tasks.tasks.errors import TaskNotFound
from mcp_tasks.tasks.model import Failed, State
from tests.kit import ADA
from tests.unit.jobs import BLUE, COLOUR, DONE, MINUTE, RED, SIZE
from tests.unit.one_task import OneTask, one_task, suspended, with_input_requests

DAY = timedelta(days=1)


def answered_only() -> OneTask:
    """Return a task at which the answer was kept, and nobody let the work go on."""
    made = suspended(COLOUR, ttl=DAY)
    made.executor.down = True
    made.answer(colour=RED)
    made.executor.down = False
    return made


# --- the table's stream


def test_a_task_that_was_answered_resumes_once_however_often_its_change_is_delivered() -> None:
    made = suspended(COLOUR)
    before = made.current()
    made.executor.down = True
    after = made.answer(colour=RED)
    with pytest.raises(ExecutorUnavailable):
        made.reconciler.changed(ADA.owner_key, before, after)
    made.executor.down = False

    for _ in range(2):
        made.reconciler.changed(ADA.owner_key, before, after)

    assert made.executor.resumed == ["token", "token"]


def test_updates_that_come_late_use_the_token_of_their_own_time() -> None:
    made = suspended(COLOUR)
    before = made.current()
    after = made.answer(colour=RED)
    made.request_input(SIZE)
    made.suspend("second")
    made.executor.resumed.clear()

    made.reconciler.changed(ADA.owner_key, before, after)

    assert made.executor.resumed == ["token"]


def test_suspended_work_of_a_task_that_ended_is_stopped() -> None:
    made = suspended(COLOUR)
    before = made.current()
    after = made.tasks.finish(ADA.owner_key, made.task.id, DONE)

    made.reconciler.changed(ADA.owner_key, before, after)

    assert made.executor.stopped == {made.task.id: "the task has finished"}


def test_work_of_a_task_that_ended_while_it_waited_for_its_turn_is_stopped() -> None:
    made = suspended(COLOUR)
    queued = replace(made.current(), state=State.QUEUED, input_requests=())
    after = made.tasks.finish(ADA.owner_key, made.task.id, DONE)

    made.reconciler.changed(ADA.owner_key, queued, after)

    assert made.executor.stopped == {made.task.id: "the task has finished"}


def test_suspended_work_of_a_task_that_was_cancelled_or_deleted_is_stopped() -> None:
    for end in ("cancelled", "deleted"):
        made = suspended(COLOUR)
        before = made.current()
        after = made.cancel() if end == "cancelled" else None
        made.executor.stopped.clear()

        made.reconciler.changed(ADA.owner_key, before, after)

        assert list(made.executor.stopped) == [made.task.id]


def test_requesting_input_suspending_and_a_partial_response_need_no_reconciliation() -> None:
    made = one_task()
    story = [made.current()]
    made.request_input(COLOUR, SIZE)
    story.append(made.current())
    made.suspend()
    story.append(made.current())
    made.suspend("again")
    story.append(made.current())
    story.append(made.answer(colour=RED))
    made.executor.started.clear()

    for before, after in pairwise(story):
        made.reconciler.changed(ADA.owner_key, before, after)

    assert (made.executor.started, made.executor.stopped, made.executor.resumed) == ({}, {}, [])


def test_work_that_ends_as_usual_is_not_stopped() -> None:
    made = suspended(COLOUR)
    before = made.answer(colour=RED)
    after = made.tasks.finish(ADA.owner_key, made.task.id, DONE)

    made.reconciler.changed(ADA.owner_key, before, after)

    assert made.executor.stopped == {}


# --- the sweep


def test_the_sweep_lets_work_go_on_that_was_answered() -> None:
    made = answered_only()
    made.clock.advance(MINUTE)

    assert made.reconciler.sweep(limit=10) == 0
    assert made.executor.resumed == ["token"]


def test_the_sweep_soon_checks_a_task_that_was_answered_however_long_it_was_suspended() -> None:
    made = suspended(COLOUR, ttl=DAY)
    made.clock.advance(MINUTE)
    made.reconciler.sweep(limit=10)
    made.executor.down = True
    made.answer(colour=RED)
    made.executor.down = False
    made.clock.advance(MINUTE)

    made.reconciler.sweep(limit=10)

    assert made.executor.resumed == ["token"]


def test_the_sweep_leaves_suspended_work_alone_and_checks_it_now_and_then() -> None:
    made = suspended(COLOUR, ttl=3 * DAY)
    made.clock.advance(MINUTE)

    assert made.reconciler.sweep(limit=10) == 0
    assert list(made.tasks.ports.backlog.due(limit=10)) == []
    made.clock.advance(BETWEEN_CHECKS_SUSPENDED)
    assert list(made.tasks.ports.backlog.due(limit=10)) == [(ADA.owner_key, made.task.id)]
    assert (made.executor.resumed, made.current().state) == ([], State.INPUT_REQUIRED)


def test_the_sweep_fails_a_suspended_task_whose_work_ended_without_a_word() -> None:
    made = suspended(COLOUR, ttl=DAY)
    made.executor.ended.add(made.task.id)
    made.clock.advance(MINUTE)

    assert made.reconciler.sweep(limit=10) == 1
    assert made.tasks.outcome(ADA, made.task.id) == Failed(
        code=-32603, message="The work ended, and its outcome was not recorded."
    )
    assert made.current().input_requests == ()


def test_the_sweep_starts_work_whose_call_asked_before_it_was_a_task() -> None:
    made = one_task(ttl=DAY)
    made.request_input(COLOUR)
    made.executor.started.clear()
    made.clock.advance(MINUTE)

    assert made.reconciler.sweep(limit=10) == 1
    assert list(made.executor.started) == [made.task.id]


def test_a_suspended_task_may_wait_longer_than_its_work_may_take() -> None:
    made = suspended(COLOUR, ttl=DAY)
    made.clock.advance(DAY - KEPT)

    assert made.reconciler.sweep(limit=10) == 0
    assert made.current().state is State.INPUT_REQUIRED


def test_the_sweep_ends_a_suspended_task_that_nobody_answered_in_time() -> None:
    made = suspended(COLOUR, ttl=DAY)
    made.clock.advance(DAY - KEPT + GRACE)

    assert made.reconciler.sweep(limit=10) == 1
    assert made.tasks.outcome(ADA, made.task.id) == Failed(code=-32603, message="Nobody answered in time.")
    assert made.executor.stopped == {made.task.id: "timed out"}


def test_the_sweep_ends_work_that_does_not_end_after_an_answer() -> None:
    made = suspended(COLOUR, ttl=DAY)
    made.clock.advance(timedelta(hours=3))
    made.answer(colour=RED)
    made.clock.advance(made.task.timeout + GRACE - timedelta(seconds=1))
    assert made.reconciler.sweep(limit=10) == 0

    made.clock.advance(MINUTE)

    assert made.reconciler.sweep(limit=10) == 1
    assert made.current().status_message == "The work did not end within 0:05:00."


def test_the_sweep_ends_work_that_asked_and_never_suspended() -> None:
    made = with_input_requests(COLOUR, ttl=DAY)
    made.clock.advance(made.task.timeout + GRACE)

    assert made.reconciler.sweep(limit=10) == 1
    assert made.current().state is State.FINISHED


def test_a_sweep_without_an_executor_leaves_what_was_answered_for_the_next() -> None:
    made = answered_only()
    made.clock.advance(MINUTE)
    made.executor.down = True
    made.reconciler.sweep(limit=10)
    made.executor.down = False
    made.clock.advance(GRACE)

    made.reconciler.sweep(limit=10)

    assert made.executor.resumed == ["token"]


def test_the_sweep_deletes_a_suspended_task_that_expired() -> None:
    made = suspended(replace(COLOUR, timeout=MINUTE), session="s")
    made.clock.advance(made.task.ttl)

    assert made.reconciler.sweep(limit=10) == 1
    with pytest.raises(TaskNotFound):
        made.current()
    with pytest.raises(TaskNotFound):
        made.answer(colour=BLUE)
    assert made.tasks.awaiting_input(ADA, "s") == []
