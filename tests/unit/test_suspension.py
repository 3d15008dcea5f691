"""Suspending stores the token and publishes the input requests; a token that cannot be stored is used at once."""

from collections.abc import Callable

import pytest

from mcp_tasks.ports.executor import ExecutorUnavailable
from mcp_tasks.tasks.model import State
from tests.kit import ADA
from tests.unit.jobs import BLUE, COLOUR, DONE, RED, SIZE
from tests.unit.one_task import OneTask, one_task, suspended, with_input_requests


def test_input_requests_and_token_are_published_in_one_write() -> None:
    made = with_input_requests(COLOUR, SIZE)
    before = made.current()

    made.suspend()

    task = made.current()
    assert task.version == before.version + 1
    assert (task.state, task.open_input_requests, task.tokens) == (State.INPUT_REQUIRED, (COLOUR, SIZE), ("token",))


def test_to_suspend_again_brings_a_new_token() -> None:
    made = suspended(COLOUR, SIZE)
    made.answer(colour=RED)

    made.suspend("later")

    task = made.current()
    assert (task.state, task.task_token, task.open_input_requests) == (State.INPUT_REQUIRED, "later", (SIZE,))
    assert made.executor.resumed == []


def test_an_attempt_to_suspend_that_comes_late_does_not_lose_the_token_of_the_one_after_it() -> None:
    made = suspended(COLOUR)
    made.suspend("late")

    assert made.current().tokens == ("token", "late")


def test_work_that_was_answered_before_it_suspended_goes_on_at_once_with_the_new_token() -> None:
    made = suspended(COLOUR)
    answered = made.answer(colour=RED)
    made.executor.resumed.clear()

    made.suspend("later")

    assert made.executor.resumed == ["later"]
    assert made.current() == answered


def test_whoever_cannot_let_the_work_go_on_has_to_suspend_again() -> None:
    made = suspended(COLOUR)
    made.answer(colour=RED)
    made.executor.down = True

    with pytest.raises(ExecutorUnavailable):
        made.suspend("later")


@pytest.mark.parametrize("end", ["finished", "cancelled"])
@pytest.mark.parametrize(
    "begin", [one_task, lambda: with_input_requests(COLOUR), lambda: suspended(COLOUR)], ids=["", "asked", "suspended"]
)
def test_to_suspend_a_task_that_is_over_changes_nothing_and_holds_up_nothing(
    begin: Callable[[], OneTask], end: str
) -> None:
    made = begin()
    if end == "finished":
        made.tasks.finish(ADA.owner_key, made.task.id, DONE)
    else:
        made.cancel()
    over = made.current()

    made.suspend("later")

    assert made.current() == over
    assert made.executor.resumed == ["later"]


def test_to_suspend_a_task_that_is_gone_does_nothing() -> None:
    made = with_input_requests(COLOUR)
    made.clock.advance(made.task.ttl)

    made.suspend()

    assert made.executor.resumed == []


def test_a_second_input_request_is_suspended_with_a_token_of_its_own() -> None:
    made = suspended(COLOUR)
    made.answer(colour=BLUE)
    made.request_input(SIZE)

    made.suspend("second")

    assert (made.current().open_input_requests, made.current().tokens) == ((SIZE,), ("second",))
