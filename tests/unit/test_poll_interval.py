"""How long clients should wait between two polls of a task."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks.limits.waits import KEPT, LONGEST_POLL_INTERVAL
from mcp_tasks.tasks.model import State, Task
from mcp_tasks.tasks.poll_interval import current_poll_interval
from tests.kit import NOON, a_task

SECOND, MINUTE, HOUR, DAY = (timedelta(**{each: 1}) for each in ("seconds", "minutes", "hours", "days"))
WEEK = 7 * DAY


def polls(task: Task, work: timedelta) -> tuple[int, timedelta]:
    """Return how often a client polls work of this duration, and how late it learns of the end."""
    number, at = 1, current_poll_interval(task, NOON)
    while at < work:
        number, at = number + 1, at + current_poll_interval(task, NOON + at)
    return number, at - work


@pytest.mark.parametrize("work", [2 * SECOND, 10 * SECOND, 20 * SECOND])
def test_short_work_is_polled_as_often_as_its_tool_says(work: timedelta) -> None:
    assert polls(a_task(), work) == (work / SECOND, timedelta())


@pytest.mark.parametrize("work", [SECOND * 2.5, MINUTE, 14 * MINUTE, HOUR, 6 * DAY])
def test_polling_delays_the_outcome_by_a_small_fraction_of_the_duration(work: timedelta) -> None:
    _, late = polls(a_task(ttl=WEEK), work)

    assert late <= max(SECOND, min(work * 0.06, LONGEST_POLL_INTERVAL))


def test_a_reminder_in_six_days_is_not_polled_every_second() -> None:
    number, _ = polls(a_task(ttl=WEEK), 6 * DAY)

    assert number < 6 * 400 < 6 * DAY / SECOND


def test_a_suspended_task_is_polled_less_and_less_until_it_resumes() -> None:
    requested = a_task(ttl=WEEK, state=State.INPUT_REQUIRED, updated_at=NOON + HOUR)
    intervals = [
        current_poll_interval(requested, NOON + HOUR + since) for since in (timedelta(), MINUTE, HOUR, 3 * DAY)
    ]

    assert intervals == [SECOND, 3 * SECOND, 3 * MINUTE, LONGEST_POLL_INTERVAL]

    resumed = a_task(ttl=WEEK, resumed_at=NOON + DAY, updated_at=NOON + DAY)
    assert current_poll_interval(resumed, NOON + DAY + SECOND) == SECOND


def test_progress_does_not_begin_it_all_again() -> None:
    reported = a_task(updated_at=NOON + 10 * MINUTE)

    assert current_poll_interval(reported, NOON + 10 * MINUTE) == 30 * SECOND


def test_a_client_that_polls_so_often_misses_no_outcome() -> None:
    assert LONGEST_POLL_INTERVAL < KEPT


@pytest.mark.parametrize("interval", [timedelta(milliseconds=200), 10 * MINUTE])
def test_never_sooner_than_the_tool_says(interval: timedelta) -> None:
    for age in (timedelta(), 3 * SECOND):
        assert current_poll_interval(a_task(poll_interval=interval), NOON + age) == interval


@pytest.mark.parametrize("state", [State.FINISHED, State.CANCELLED])
def test_nothing_is_awaited_of_a_task_that_is_over(state: State) -> None:
    assert current_poll_interval(a_task(state=state), NOON + 30 * MINUTE) == SECOND


@given(st.timedeltas(SECOND, WEEK), st.timedeltas(-HOUR, 8 * DAY), st.sampled_from(State))
def test_it_is_bounded_whatever_the_task(ttl: timedelta, age: timedelta, state: State) -> None:
    task = a_task(ttl=ttl, state=state)
    interval = current_poll_interval(task, NOON + age)

    assert SECOND <= interval <= max(SECOND, min(LONGEST_POLL_INTERVAL, ttl - age))
