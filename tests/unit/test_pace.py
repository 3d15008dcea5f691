"""When it is worth looking at a task again: in simulated time, by the rules of a client that resumes its stream."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks.limits.pace import EARLY_WAIT, HOLD_UNTIL_AGE, MAX_EARLY_INTERVAL, MAX_INTERVAL, MIN_INTERVAL
from mcp_tasks.limits.waits import KEPT, MAX_HOLD
from mcp_tasks.tasks.durations import Durations
from mcp_tasks.tasks.model import Progress, State, Task
from mcp_tasks.tasks.pace import Known, Pacing, pace
from tests.kit import NOON, a_task

SECOND, MINUTE, HOUR, DAY = (timedelta(**{each: 1}) for each in ("seconds", "minutes", "hours", "days"))
WEEK = 7 * DAY
RETRY = timedelta(milliseconds=200)
NOTHING = timedelta()

WORK = st.one_of(st.timedeltas(SECOND / 10, MINUTE), st.timedeltas(MINUTE, 3 * HOUR), st.timedeltas(HOUR, 6 * DAY))


@dataclass(kw_only=True)
class Wait:
    """A wait for work that takes this long: how often its client looked, was held, and how late it learned."""

    work: timedelta
    looks: int = 0
    held: timedelta = NOTHING
    late: timedelta = NOTHING
    skipped: timedelta = NOTHING

    def run(self, task_at: Callable[[timedelta], Task], durations: Durations | None = None) -> "Wait":
        """Look, and be held, until the work is done."""
        at = NOTHING
        while at < self.work:
            self.looks += 1
            known = Known(durations=durations, waits_since=NOON, polls=self.looks)
            look = pace(task_at(at), NOON + at, known)
            if look.hold:
                until = min(at + min(look.hold, MAX_HOLD), self.work)
                self.held += until - at
                at = until if until == self.work else until + RETRY
            else:
                at += look.after
        self.late = at - self.work
        return self


def wait_for(work: timedelta, durations: Durations | None = None, **changes: Any) -> Wait:
    task = a_task(ttl=WEEK, **changes)
    return Wait(work=work).run(lambda at: task, durations)


def measured(*seconds: float) -> Durations:
    return Durations().adding([timedelta(seconds=each) for each in seconds])


def bound(work: timedelta) -> timedelta:
    """By how much the news of work of this duration may be late."""
    share = max(MIN_INTERVAL, work * 0.05)
    return min(share, MAX_EARLY_INTERVAL) if work <= EARLY_WAIT else min(share, MAX_INTERVAL)


# Where nothing is known


@given(WORK)
def test_the_delay_is_a_twentieth_of_the_wait_at_most(work: timedelta) -> None:
    # What a look began within the two hours, it may end after them.
    assert wait_for(work).late <= bound(work)


@pytest.mark.parametrize("work", [SECOND / 10, 3 * SECOND, 9 * SECOND, 24 * SECOND])
def test_short_work_is_held_for_and_its_end_is_known_at_once(work: timedelta) -> None:
    assert wait_for(work) == Wait(work=work, looks=1, held=work)


def test_longer_work_is_held_for_while_that_is_cheaper_than_to_look() -> None:
    waited = wait_for(10 * MINUTE)

    assert HOLD_UNTIL_AGE - SECOND < waited.held <= HOLD_UNTIL_AGE
    assert pace(a_task(), NOON + HOLD_UNTIL_AGE) == Pacing(2.5 * SECOND, NOTHING, SECOND)


def test_a_client_resumes_less_than_400_times_in_a_day_and_survives_a_week() -> None:
    assert 300 < wait_for(DAY).looks < 400
    assert wait_for(6 * DAY + 20 * HOUR).looks < 500


@given(st.lists(st.timedeltas(SECOND, 2 * HOUR), min_size=50, max_size=2_000))
def test_a_client_resumes_less_than_400_times_in_a_day_however_often_the_task_is_resumed(
    phases: list[timedelta],
) -> None:
    starts = [NOTHING]
    for each in phases:
        starts.append(starts[-1] + each)

    def task_at(at: timedelta) -> Task:
        return a_task(ttl=WEEK, resumed_at=NOON + max(each for each in starts if each <= at))

    assert Wait(work=DAY).run(task_at).looks < 400


@given(st.sampled_from([SECOND / 10, SECOND, 10 * SECOND, MINUTE]))
def test_a_client_resumes_less_than_400_times_in_a_day_however_often_progress_is_reported(every: timedelta) -> None:
    task, at, looks = a_task(ttl=WEEK), NOTHING, 0
    while at < DAY:
        looks += 1
        look = pace(task, NOON + at, Known(waits_since=NOON, polls=looks))
        # Held, it is sent what comes after the debounce; and something comes at once.
        at += min(max(look.debounce, every), look.hold, MAX_HOLD) + RETRY if look.hold else look.after

    assert looks < 400


def test_progress_does_not_begin_it_all_again() -> None:
    assert pace(a_task(updated_at=NOON + 10 * MINUTE), NOON + 10 * MINUTE).after == 30 * SECOND


def test_a_task_that_awaits_input_is_looked_at_less_and_less_and_at_once_when_it_has_it() -> None:
    requested = a_task(ttl=WEEK, state=State.INPUT_REQUIRED, updated_at=NOON + HOUR)
    gaps = [pace(requested, NOON + HOUR + since).after for since in (NOTHING, MINUTE, HOUR, 5 * DAY)]

    assert gaps == [SECOND / 2, 3 * SECOND, 30 * SECOND, HOUR]
    assert not pace(requested, NOON + HOUR + MINUTE).hold
    assert pace(a_task(ttl=WEEK, resumed_at=NOON + DAY), NOON + DAY).hold == HOLD_UNTIL_AGE


def test_a_task_that_sleeps_is_looked_at_when_it_wakes() -> None:
    def sleeping(sleep: timedelta) -> Task:
        return a_task(ttl=WEEK, wakes_at=NOON + sleep)

    assert pace(sleeping(20 * MINUTE), NOON + SECOND)[:2] == (20 * MINUTE - SECOND, NOTHING)
    assert pace(sleeping(6 * DAY), NOON + SECOND)[:2] == (HOUR, NOTHING)
    assert pace(sleeping(20 * MINUTE), NOON + 20 * MINUTE)[:2] == (SECOND / 2, HOLD_UNTIL_AGE)


def test_a_task_whose_machine_waits_is_looked_at_when_that_is_over() -> None:
    waiting = a_task(ttl=WEEK, not_before=NOON + 30 * MINUTE, expected=SECOND)

    assert pace(waiting, NOON + MINUTE)[:2] == (29 * MINUTE, NOTHING)
    # Its age counts from then, too: the work has but begun.
    assert pace(replace(waiting, expected=None), NOON + 31 * MINUTE).after == 3 * SECOND
    waited = wait_for(6 * DAY + SECOND, not_before=NOON + 6 * DAY)
    assert (waited.late, waited.held) == (NOTHING, SECOND)
    assert waited.looks < 150


@pytest.mark.parametrize("state", [State.FINISHED, State.CANCELLED])
def test_nothing_is_awaited_of_a_task_that_is_over(state: State) -> None:
    assert pace(a_task(state=state), NOON + HOUR) == Pacing(NOTHING)


def test_a_client_looks_once_more_between_the_last_end_of_the_work_and_the_end_of_the_task() -> None:
    task = a_task(ttl=WEEK)
    for waited in (timedelta(), DAY, 6 * DAY, WEEK - HOUR, WEEK - 10 * MINUTE, WEEK - 5 * MINUTE):
        at = NOON + waited
        while at < task.expires_at - KEPT:
            at += pace(task, at).after
        assert at < task.expires_at - SECOND


# Where something is known


@pytest.mark.parametrize("seconds", [57.5, 60, 62.5])
def test_a_minute_of_which_the_tool_said_so_is_held_for_a_few_seconds(seconds: float) -> None:
    work = timedelta(seconds=seconds)
    for task in ({"expected": MINUTE}, {"expected_at": NOON + MINUTE}):
        waited = wait_for(work, **task)
        assert waited.late <= 3 * SECOND
        assert waited.looks <= 3
        assert waited.held <= 6 * SECOND


def test_a_minute_that_such_tasks_took_lately_is_held_for_a_few_seconds() -> None:
    waited = wait_for(MINUTE, measured(*(55 + each / 5 for each in range(50))))

    assert waited.late <= 3 * SECOND
    # One of them is held for being young, for two seconds of its fiftieth.
    assert waited.looks <= 5
    assert waited.held <= 20 * SECOND


def test_too_few_tasks_say_nothing() -> None:
    assert pace(a_task(), NOON, Known(durations=measured(*[60] * 19))) == pace(a_task(), NOON)
    assert pace(a_task(), NOON, Known(durations=measured(*[60] * 20))).hold == NOTHING


def test_work_that_took_longer_than_all_of_its_kind_is_work_of_which_nothing_is_known() -> None:
    at = NOON + 5 * MINUTE

    assert pace(a_task(), at, Known(durations=measured(*[60] * 30))) == pace(a_task(), at)


def test_progress_says_when_the_work_is_done() -> None:
    task = a_task(progress=Progress(progress=10, total=40), updated_at=NOON + 20 * SECOND)

    # A quarter took 20 s, so that a minute is left: three quarters of it later there is more to go by.
    assert pace(task, NOON + 35 * SECOND)[:2] == (30 * SECOND, NOTHING)
    assert pace(task, NOON + 45 * SECOND)[:2] == (20 * SECOND, NOTHING)


def test_the_runs_own_word_comes_before_the_rate_and_that_before_what_others_took() -> None:
    says = a_task(expected_at=NOON + 20 * SECOND, progress=Progress(progress=1, total=2), updated_at=NOON + 5 * SECOND)
    durations = measured(*[28] * 30)

    assert pace(says, NOON + 6 * SECOND, Known(durations=durations)).after == 13 * SECOND
    rated = replace(says, expected_at=None)
    assert pace(rated, NOON + 6 * SECOND, Known(durations=durations)).after == 2.75 * SECOND
    silent = replace(rated, progress=None, expected=10 * SECOND)
    assert pace(silent, NOON + 6 * SECOND, Known(durations=durations)).after > 15 * SECOND
    assert pace(silent, NOON + 6 * SECOND).after == 3.5 * SECOND


def test_a_queued_task_is_not_looked_at_before_one_of_its_kind_could_be_done() -> None:
    queued = a_task(state=State.QUEUED)

    assert pace(queued, NOON + MINUTE, Known(durations=measured(*[20] * 30))).after > 15 * SECOND
    assert pace(queued, NOON + MINUTE).after == 3 * SECOND


KNOWN_TASKS = st.builds(
    lambda expected, at, progress, total: a_task(
        ttl=WEEK,
        expected=expected,
        expected_at=at and NOON + at,
        progress=None if progress is None else Progress(progress=progress, total=total),
        updated_at=NOON + MINUTE,
    ),
    st.none() | WORK,
    st.none() | WORK,
    st.none() | st.floats(0, 1e6),
    st.none() | st.floats(0, 1e6),
)
DURATIONS = st.none() | st.lists(WORK, max_size=60).map(Durations().adding)


@given(KNOWN_TASKS, DURATIONS, WORK)
def test_nobody_learns_of_the_end_later_than_30_seconds_in_two_hours_whatever_was_thought_of_it(
    task: Task, durations: Durations | None, work: timedelta
) -> None:
    waited = Wait(work=work).run(lambda at: task, durations)

    assert waited.late <= max(MAX_EARLY_INTERVAL, bound(work))
    assert waited.looks < 500


@given(KNOWN_TASKS, DURATIONS, st.timedeltas(-HOUR, 8 * DAY), st.sampled_from(State), st.integers(0, 1_000))
def test_a_look_is_sound_whatever_the_task(
    task: Task, durations: Durations | None, age: timedelta, state: State, looks: int
) -> None:
    task = replace(task, state=state)
    look = pace(task, NOON + age, Known(durations=durations, waits_since=NOON, polls=looks))

    assert NOTHING <= look.after <= MAX_INTERVAL
    assert NOTHING <= look.hold <= HOLD_UNTIL_AGE
