"""Transitions of a task with input requests: its requests, tokens, status message and deadlines."""

from dataclasses import replace
from datetime import timedelta

import pytest

from mcp_tasks.limits.waits import KEPT, MAX_EARLIER_TOKENS
from mcp_tasks.tasks.events import (
    CancelRequested,
    Event,
    Finished,
    InputReceived,
    InputRequested,
    Progressed,
    Resumed,
    SleepStarted,
    Started,
    Suspended,
)
from mcp_tasks.tasks.model import InputRequest, Progress, Returned, State, Task
from mcp_tasks.tasks.transitions import advance
from tests.kit import NOON, a_task
from tests.unit.jobs import COLOUR, MINUTE, RED, ROOTS, SIZE

LATER = NOON + MINUTE
HOUR = timedelta(hours=1)
FRESH = a_task(ttl=HOUR, timeout=5 * MINUTE)


def after(*events: Event) -> Task:
    """Return a task to which all of this happened, a minute apart."""
    task, now = FRESH, NOON
    for event in events:
        now += MINUTE
        task = advance(task, event, now=now)
    return task


BOTH = InputRequested(input_requests=(COLOUR, SIZE))
SUSPENDED = Suspended(task_token="token")
RESUMED = Resumed(responses={"colour": RED, "size": RED})
STARTED = Started(slot=0)

# --- input requests


def test_what_is_asked_is_open_once_the_work_is_suspended() -> None:
    requested, suspended = after(BOTH), after(BOTH, SUSPENDED)

    assert (requested.state, requested.input_requests, requested.open_input_requests) == (
        State.WORKING,
        (COLOUR, SIZE),
        (),
    )
    assert suspended.open_input_requests == (COLOUR, SIZE)


def test_one_answer_takes_away_its_input_request_and_no_other() -> None:
    answered = after(BOTH, SUSPENDED, InputReceived(responses={"colour": RED}))

    assert answered.open_input_requests == (SIZE,)
    assert after(BOTH, SUSPENDED, RESUMED).input_requests == ()


def test_responses_to_what_is_not_asked_take_nothing_away() -> None:
    assert after(BOTH, SUSPENDED, InputReceived(responses={"name": RED})).input_requests == (COLOUR, SIZE)


@pytest.mark.parametrize("end", [Finished(outcome=Returned(result={})), CancelRequested(status_message="enough")])
@pytest.mark.parametrize("before", [[BOTH], [BOTH, SUSPENDED]])
def test_a_task_that_is_over_asks_nothing(before: list[Event], end: Event) -> None:
    assert after(*before, end).input_requests == ()


def test_keys_are_remembered_in_the_order_in_which_they_were_first_asked() -> None:
    task = after(BOTH, SUSPENDED, RESUMED, STARTED, InputRequested(input_requests=(ROOTS, COLOUR)))

    assert task.requested == ("colour", "size", "roots")
    assert task.input_requests == (ROOTS, COLOUR)


# --- tokens


def test_a_suspended_task_has_the_token_that_lets_its_work_go_on() -> None:
    assert after(BOTH).tokens == ()
    assert after(BOTH, SUSPENDED).tokens == ("token",)


def test_the_tokens_of_one_wait_are_kept_the_last_one_last() -> None:
    task = after(BOTH, *(Suspended(task_token=token) for token in "ab"))

    assert (task.task_token, task.tokens) == ("b", ("a", "b"))
    assert advance(task, RESUMED, now=LATER).tokens == ("a", "b")


def test_the_next_wait_begins_with_a_token_of_its_own() -> None:
    assert after(BOTH, SUSPENDED, RESUMED, STARTED, BOTH, Suspended(task_token="next")).tokens == ("next",)


def test_no_number_of_tokens_is_too_large_for_a_task() -> None:
    task = after(BOTH, *(Suspended(task_token=str(n)) for n in range(50)))

    assert task.tokens == ("45", "46", "47", "48", "49")
    assert len(task.tokens) == MAX_EARLIER_TOKENS + 1


def test_a_token_that_comes_again_takes_no_place_from_another() -> None:
    late = [Suspended(task_token="late")] * (MAX_EARLIER_TOKENS + 1)

    assert after(BOTH, SUSPENDED, *late).tokens == ("token", "late")


# --- status messages


def test_a_suspended_task_says_what_it_waits_for() -> None:
    assert after(BOTH, SUSPENDED).status_message == "Which colour?"
    assert after(BOTH, SUSPENDED, InputReceived(responses={"colour": RED})).status_message == "Which size?"
    assert after(InputRequested(input_requests=(ROOTS,)), SUSPENDED).status_message == "An answer is needed."


def test_a_task_that_goes_on_waits_for_nothing() -> None:
    assert after(BOTH, SUSPENDED, RESUMED).status_message is None


def test_an_endless_input_request_makes_a_short_status_message() -> None:
    long = replace(COLOUR, params={"message": "x" * 10_000})

    assert after(InputRequested(input_requests=(long,)), SUSPENDED).status_message == "x" * 500


# --- times


def test_a_task_that_sleeps_has_its_whole_time_when_it_wakes() -> None:
    asleep = after(SleepStarted(wakes_at=NOON + 30 * MINUTE))
    assert asleep.due_at == NOON + 35 * MINUTE
    assert after(SleepStarted(wakes_at=NOON + 58 * MINUTE)).due_at == NOON + HOUR - KEPT

    late = advance(asleep, SleepStarted(wakes_at=NOON + 20 * MINUTE), now=NOON)
    assert late.wakes_at == NOON + 30 * MINUTE, "of a run that another one has overtaken"


def test_work_has_its_time_from_the_start_and_again_from_each_answer() -> None:
    resumed = after(BOTH, SUSPENDED, RESUMED)

    assert FRESH.due_at == NOON + 5 * MINUTE
    assert after(Progressed(progress=Progress(progress=1)), BOTH).due_at == NOON + 5 * MINUTE
    assert resumed.resumed_at == NOON + 3 * MINUTE
    assert resumed.due_at == NOON + HOUR - KEPT
    assert after(BOTH, SUSPENDED, RESUMED, STARTED).due_at == NOON + 9 * MINUTE


def test_a_client_has_until_shortly_before_the_task_expires() -> None:
    assert after(BOTH, SUSPENDED).due_at == NOON + HOUR - KEPT
    assert after(BOTH, SUSPENDED, InputReceived(responses={"size": RED})).due_at == NOON + HOUR - KEPT


def test_work_that_goes_on_late_has_no_longer_than_the_task_lives() -> None:
    task = replace(after(BOTH, SUSPENDED, RESUMED, STARTED), started_at=NOON + timedelta(minutes=54))

    assert task.due_at == NOON + HOUR - KEPT


@pytest.mark.parametrize(
    ("timeout", "minutes"), [(None, 55), (10 * MINUTE, 11), (timedelta(days=3), 55), (54 * MINUTE, 55)]
)
def test_an_input_request_has_its_time_from_when_it_was_asked(timeout: timedelta | None, minutes: int) -> None:
    input_request = InputRequest(key="k", method="roots/list", params={}, timeout=timeout)
    task = after(InputRequested(input_requests=(input_request,)), SUSPENDED)

    assert task.requested_at == NOON + MINUTE
    assert task.deadline(input_request) == NOON + minutes * MINUTE


def test_an_input_request_that_nobody_asked_has_as_long_as_the_task_lives() -> None:
    assert FRESH.deadline(replace(COLOUR, timeout=MINUTE)) == NOON + HOUR - KEPT


def test_a_clock_that_lags_behind_gives_nobody_less_time() -> None:
    late = replace(FRESH, updated_at=LATER)

    assert advance(late, BOTH, now=NOON).requested_at == LATER
    assert advance(replace(after(BOTH, SUSPENDED), updated_at=LATER), RESUMED, now=NOON).resumed_at == LATER
