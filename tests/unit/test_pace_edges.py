"""When to poll, and how long a connection is held, to the second: what the table in `tasks/pace.py` says."""

from datetime import timedelta

import pytest

from mcp_tasks.limits.pace import CALLS_HOLD_UNTIL_AGE, MAX_EXTRA_POLLS
from mcp_tasks.tasks.model import Progress, Task
from mcp_tasks.tasks.pace import Known, Pacing, backoff, listening_pace, pace
from tests.kit import NOON, a_task
from tests.unit.test_durations import after as measured

SECOND, MINUTE, HOUR, DAY = (timedelta(**{each: 1}) for each in ("seconds", "minutes", "hours", "days"))
NOTHING = timedelta()
WEEK = 7 * DAY


def look(task: Task, seconds: float, known: Known | None = None) -> tuple[float, float]:
    """Return after how many seconds to poll, and for how many to hold the connection, so long after noon."""
    pacing = pace(task, NOON + timedelta(seconds=seconds), known or Known())
    return pacing.after.total_seconds(), pacing.hold.total_seconds()


@pytest.mark.parametrize(
    ("quiet", "retry", "hold"), [(0, 5, 50), (20, 5, 30), (50, 5, 0), (60, 6, 0), (900, 90, 0), (9000, 90, 0)]
)
def test_a_listener_comes_back_the_later_the_longer_it_was_sent_nothing(quiet: int, retry: int, hold: int) -> None:
    waits = quiet * SECOND

    assert listening_pace(waits, watches=True) == Pacing(retry * SECOND, hold * SECOND)
    assert listening_pace(waits, watches=False) == Pacing(retry * SECOND, NOTHING)


def test_the_interval_is_bounded_otherwise_from_two_hours_on() -> None:
    assert [backoff(each) for each in (NOTHING, 40 * SECOND, 2 * HOUR - SECOND)] == [
        SECOND / 2,
        2 * SECOND,
        30 * SECOND,
    ]
    assert [backoff(each) for each in (2 * HOUR, 20 * HOUR, 6 * DAY)] == [6 * MINUTE, HOUR, HOUR]


@pytest.mark.parametrize(("polls", "debounce"), [(0, 1), (1, 1.1), (10, 2), (30, 4)])
def test_each_further_poll_collects_updates_for_a_tenth_longer(polls: int, debounce: float) -> None:
    assert pace(a_task(), NOON, Known(polls=polls)).debounce == debounce * SECOND


@pytest.mark.parametrize("waited", [50 * SECOND, 10 * MINUTE, 2 * HOUR, 20 * HOUR, 6 * DAY])
def test_who_polls_thirty_times_more_than_usual_is_paced_by_the_whole_wait(waited: timedelta) -> None:
    usual, at = 0, 50 * SECOND
    while at < waited:
        usual, at = usual + 1, at + backoff(at)
    now = NOON + waited
    resumed = a_task(ttl=WEEK, resumed_at=now)
    fewer, more = (
        pace(resumed, now, Known(waits_since=NOON, polls=MAX_EXTRA_POLLS + usual + each)) for each in (-3, 3)
    )

    assert (fewer.after, fewer.hold) == (SECOND / 2, 50 * SECOND)
    assert more.after == backoff(waited)
    assert more.debounce >= backoff(waited)


def test_thirty_more_are_no_more_than_thirty() -> None:
    now = NOON + 50 * SECOND
    resumed = a_task(resumed_at=now)

    assert pace(resumed, now, Known(waits_since=NOON, polls=30)) == Pacing(SECOND / 2, 50 * SECOND, 4 * SECOND)
    assert pace(resumed, now, Known(waits_since=NOON, polls=31)) == Pacing(2.5 * SECOND, 50 * SECOND, 4.1 * SECOND)


@pytest.mark.parametrize(("age", "hold"), [(0, 50), (20, 30), (21, 0), (45, 0)])
def test_who_polls_too_often_is_held_for_no_less_than_the_interval(age: int, hold: int) -> None:
    resumed = a_task(resumed_at=NOON + 10 * MINUTE)

    found = look(resumed, 600 + age, Known(waits_since=NOON + age * SECOND, polls=1_000))

    assert found == (30, hold)


def test_a_sleep_is_waited_for_from_two_seconds_on() -> None:
    assert look(a_task(wakes_at=NOON + 2 * SECOND), 0) == (2, 0)
    assert look(a_task(wakes_at=NOON + 1.9 * SECOND), 0) == (0.5, 50)


@pytest.mark.parametrize(("seconds", "found"), [(10, (0.5, 40)), (49, (2.45, 1)), (50, (30, 0))])
def test_who_asked_for_progress_is_held_while_there_is_some_whatever_else_is_known(
    seconds: int, found: tuple[float, float]
) -> None:
    reports = a_task(progress=Progress(progress=1), expected_at=NOON + 10 * MINUTE)

    assert look(reports, seconds, Known(progress=True)) == found
    # Who did not ask, or what reports nothing, is paced by the expected end.
    assert look(reports, 10) == (30, 0)
    assert look(a_task(expected_at=NOON + 10 * MINUTE), 10, Known(progress=True)) == (30, 0)


def test_a_function_that_costs_more_holds_for_less() -> None:
    reports = a_task(progress=Progress(progress=1))
    known = Known(progress=True, hold_until_age=CALLS_HOLD_UNTIL_AGE)

    assert look(reports, 3, known) == (0.5, 4)
    assert look(a_task(expected_at=NOON + 300 * SECOND), 299, known) == (14.95, 0)


@pytest.mark.parametrize(
    ("ends", "seconds", "found"),
    [
        # Expected within a second of the twentieth: polled as that begins, held from two seconds before until its end.
        (20, 10, (9, 0)),
        (20, 17, (2, 0)),
        (20, 17.5, (0.875, 3.5)),
        (20, 20.5, (1.025, 0.5)),
        # It has not come: nothing is known any more.
        (20, 21, (1.05, 29)),
        (100, 93, (4.65, 12)),
        # Twenty seconds of holding are the most.
        (300, 289, (14.45, 0)),
        (300, 290, (14.5, 20)),
    ],
)
def test_a_connection_is_held_around_the_expected_end(ends: int, seconds: float, found: tuple[float, float]) -> None:
    assert look(a_task(expected_at=NOON + ends * SECOND), seconds) == found


def test_the_last_poll_comes_before_the_task_expires() -> None:
    assert look(a_task(ttl=HOUR), 3560) == (20, 0)
    assert look(a_task(ttl=HOUR, wakes_at=NOON + DAY), 1800) == (1680, 0)


@pytest.mark.parametrize(
    ("done", "total", "spent", "seconds", "found"),
    [
        # Half of it in twenty seconds: the other half ends within a quarter of as many around the fortieth.
        (20, 40, 20, 20, (15, 0)),
        (20, 40, 20, 34, (1.7, 11.5)),
        # All of it is done: the end is at hand.
        (40, 40, 20, 20, (1, 0.5)),
        # More than all of it says nothing.
        (40.04, 40, 20, 20, (1, 30)),
        # A hundredth is the least that says something, and two seconds are.
        (1, 100, 10, 10, (30, 0)),
        (0.99, 100, 10, 10, (0.5, 40)),
        (10, 40, 2, 2, (4.5, 0)),
        (10, 40, 1.9, 1.9, (0.5, 48.1)),
        (10, None, 20, 20, (1, 30)),
    ],
)
def test_progress_gives_a_rate(
    done: float, total: float | None, spent: float, seconds: float, found: tuple[float, float]
) -> None:
    task = a_task(progress=Progress(progress=done, total=total), updated_at=NOON + spent * SECOND)

    assert look(task, seconds) == found


def test_what_such_tasks_took_is_waited_for_from_where_the_shortest_ended() -> None:
    # Ten seconds are in the bucket from 9.6 to 11.5.
    after, hold = look(a_task(), 0, Known(durations=measured(*[10] * 20)))

    assert after == pytest.approx(9.584, abs=0.001)
    assert hold == 0
