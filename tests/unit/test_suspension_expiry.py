"""Input requests that timed out are closed, and the task resumes without their responses."""

from dataclasses import replace
from datetime import timedelta

import pytest

from mcp_tasks.limits.waits import KEPT
from mcp_tasks.tasks.errors import TaskNotFound
from mcp_tasks.tasks.model import InputResponse, State
from tests.unit.jobs import BLUE, COLOUR, MINUTE, RED, SIZE
from tests.unit.one_task import one_task, suspended, with_input_requests

MOMENT = timedelta(microseconds=1)
QUICK = replace(COLOUR, timeout=MINUTE)
SLOW = replace(SIZE, timeout=10 * MINUTE)
NOTHING_CAME = InputResponse()


def test_an_input_request_is_open_until_its_time_is_over_and_not_longer() -> None:
    made = suspended(QUICK)
    before = made.current()
    made.clock.advance(MINUTE - MOMENT)

    assert made.expire() == before

    made.clock.advance(MOMENT)
    task = made.expire()

    assert (task.state, task.input_requests) == (State.WORKING, ())
    assert made.response("colour") == NOTHING_CAME
    assert made.current() == task


def test_work_stays_suspended_for_those_who_still_have_time() -> None:
    made = suspended(QUICK, SLOW)
    made.clock.advance(MINUTE)

    task = made.expire()

    assert (task.state, task.open_input_requests) == (State.INPUT_REQUIRED, (SLOW,))
    assert (made.response("colour"), made.response("size")) == (NOTHING_CAME, None)
    assert made.suspension.timeout(task) == 9 * MINUTE

    made.clock.advance(9 * MINUTE)

    assert made.expire().state is State.WORKING


def test_an_answer_that_came_in_time_stays_when_the_others_do_not() -> None:
    made = suspended(QUICK, SLOW)
    made.answer(size=BLUE)
    made.clock.advance(MINUTE)

    assert made.expire().state is State.WORKING
    assert (made.response("colour"), made.response("size")) == (NOTHING_CAME, BLUE)


def test_an_answer_that_comes_too_late_changes_nothing() -> None:
    made = suspended(QUICK, SLOW)
    made.clock.advance(MINUTE)
    expired = made.expire()

    assert made.answer(colour=RED) == expired
    assert made.response("colour") == NOTHING_CAME


def test_an_answer_counts_until_somebody_says_that_time_is_over() -> None:
    made = suspended(QUICK)
    made.clock.advance(2 * MINUTE)
    answered = made.answer(colour=RED)

    assert made.expire() == answered
    assert made.response("colour") == RED


def test_an_input_request_without_a_timeout_lasts_until_shortly_before_the_task_expires() -> None:
    made = suspended(COLOUR)
    made.clock.advance(made.task.ttl - KEPT - MOMENT)

    assert made.expire().state is State.INPUT_REQUIRED

    made.clock.advance(MOMENT)

    assert made.expire().state is State.WORKING


def test_an_answer_that_comes_at_the_same_moment_may_win() -> None:
    made = suspended(QUICK, replace(SLOW, timeout=MINUTE))
    made.clock.advance(MINUTE)
    made.rivals.append(lambda: made.answer(colour=RED))

    assert made.expire().state is State.WORKING
    assert (made.response("colour"), made.response("size")) == (RED, NOTHING_CAME)


def test_nobody_goes_on_without_an_answer_that_comes_at_the_same_moment() -> None:
    made = suspended(QUICK)
    made.clock.advance(MINUTE)
    made.rivals.append(lambda: made.answer(colour=RED))

    assert made.expire().state is State.WORKING
    assert made.response("colour") == RED


def test_an_expiry_reported_by_the_execution_itself_sends_no_task_token() -> None:
    made = suspended(QUICK)
    made.clock.advance(MINUTE)
    made.expire()
    made.expire()

    assert made.executor.resumed == []


def test_what_is_not_published_yet_is_not_over() -> None:
    made = with_input_requests(QUICK)
    before = made.current()
    made.clock.advance(2 * MINUTE)

    assert made.expire() == before
    assert made.suspension.timeout(before) == -MINUTE


def test_nothing_expires_of_a_task_that_asks_nothing_or_is_over() -> None:
    made, over = one_task(), suspended(QUICK)
    over.cancel()

    for each in (made, over):
        before = each.current()
        each.clock.advance(2 * MINUTE)

        assert each.expire() == before


def test_a_task_that_is_gone_cannot_go_on() -> None:
    made = suspended(QUICK)
    made.clock.advance(made.task.ttl)

    with pytest.raises(TaskNotFound):
        made.expire()
