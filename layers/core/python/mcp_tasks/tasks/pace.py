"""When to poll a task again, and how long to hold a connection for it: pure, and the one place for it.

    the task                              poll again after                       hold the connection
    has ended                             at once                                no
    sleeps, or waits in its machine       when it wakes, an hour at most         no
    says when it is done, or its          shortly before that, 30 s at most      from shortly before until shortly
      progress gives a rate, or the       (5 % of its age after two hours)         after, if that is 20 s at most
      durations of its tool are known
    is queued                             no sooner than such a tool is done     as below
    anything else, under 50 s old, or     0.5 s                                  until it is 50 s old, by a call 7 s
      anything that reports progress to
      who asked for it
    anything else                         5 % of its age, 30 s at most in the    no
                                            first two hours, then an hour

A task's age counts from its last change of phase: its creation, its start, the end of a sleep, a response to its input
requests, or that it awaits some.  Poll intervals, the `retry` of a stream, how long a GET is held and how listeners end
are all rendered from this.  What is known may be wrong, so that the 30 s hold whatever is known; a sleep alone is
certain, since only a cancellation ends it early.
"""

import math
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from mcp_tasks.limits.pace import (
    DEBOUNCE,
    EARLY_WAIT,
    HOLD_IF_WITHIN,
    HOLD_MARGIN,
    HOLD_UNTIL_AGE,
    LAST_POLL,
    MAX_EARLY_INTERVAL,
    MAX_EXTRA_POLLS,
    MAX_INTERVAL,
    MAX_LISTENING_RETRY,
    MAX_LISTENING_SHARE,
    MAX_SHARE,
    MIN_INTERVAL,
    MIN_LISTENING_RETRY,
    MIN_PROGRESS,
)
from mcp_tasks.records import record
from mcp_tasks.tasks.durations import Durations
from mcp_tasks.tasks.model import State, Task
from mcp_tasks.tasks.transitions import is_final

NOTHING: Final = timedelta()


class Pacing(NamedTuple):
    """Poll again `after` so long, or hold the connection for `hold` and collect updates for `debounce` meanwhile."""

    after: timedelta
    hold: timedelta = NOTHING
    debounce: timedelta = NOTHING


class Window(NamedTuple):
    """Between which times the end of a task is expected."""

    opens: datetime
    closes: datetime


@record
class Known:
    """What is known beside the task: how long its tool took lately, and how the client waits.

    The client waits since `waits_since`, has made so many `polls`, and may have asked for `progress`.  While nothing is
    known of the task, a connection is held until it has the age `hold_until_age`, as the function that holds it costs.
    """

    durations: Durations | None = None
    waits_since: datetime | None = None
    polls: int = 0
    progress: bool = False
    hold_until_age: timedelta = HOLD_UNTIL_AGE


UNKNOWN: Final = Known()


def pace(task: Task, now: datetime, known: Known = UNKNOWN) -> Pacing:
    """Return when a client should poll the task again, and how long to hold the connection of its poll now."""
    if is_final(task):
        return Pacing(NOTHING)
    pacing = _pacing(task, now, known)
    after, hold = min(pacing.after, _until_last_poll(task, now)), pacing.hold
    debounce = DEBOUNCE * (1 + known.polls / 10)
    waited = NOTHING if known.waits_since is None else max(now - known.waits_since, NOTHING)
    if known.polls > MAX_EXTRA_POLLS + _usual_polls(waited):
        least = backoff(waited)
        after, debounce, hold = max(after, least), max(debounce, least), hold if hold >= least else NOTHING
    return Pacing(max(after, MIN_INTERVAL), hold, debounce)


def listening_pace(quiet: timedelta, *, watches: bool) -> Pacing:
    """Return when a listener that was sent nothing for that long should reconnect, and how long to hold its connection.

    It is held while it `watches` something that changed lately; what else is sent is rare.
    """
    after = min(max(quiet * MAX_LISTENING_SHARE, MIN_LISTENING_RETRY), MAX_LISTENING_RETRY)
    return Pacing(after, max(HOLD_UNTIL_AGE - quiet, NOTHING) if watches else NOTHING)


def until_report(task: Task, now: datetime) -> timedelta:
    """Return after how long a client should poll for the next progress of a task, which has reported some before.

    Reports come as far apart as its changes did so far, or as the last one is away; beyond that, the age decides.
    """
    since = phase_began(task)
    if task.state is not State.WORKING or since > now:
        return timedelta.max
    apart = (task.updated_at - since) / max(task.version - 1, 1)
    return max(apart, now - task.updated_at, backoff(max(now - since, NOTHING)))


def backoff(age: timedelta) -> timedelta:
    """Return the poll interval after a wait of that age whose end is unknown: it grows with the age."""
    longest = MAX_EARLY_INTERVAL if age < EARLY_WAIT else MAX_INTERVAL
    return max(MIN_INTERVAL, min(age * MAX_SHARE, longest))


def _usual_polls(waited: timedelta) -> float:
    """Return how many polls a wait takes whose end is unknown."""
    steady, early, rare = (
        min(waited, each) for each in (MAX_EARLY_INTERVAL / MAX_SHARE, EARLY_WAIT, MAX_INTERVAL / MAX_SHARE)
    )
    growing = max(steady / HOLD_UNTIL_AGE, 1) * max(rare / EARLY_WAIT, 1)
    return math.log(growing, 1 + MAX_SHARE) + (early - steady) / MAX_EARLY_INTERVAL + (waited - rare) / MAX_INTERVAL


def _pacing(task: Task, now: datetime, known: Known) -> Pacing:
    sleeps_for = max((each - now for each in (task.wakes_at, task.not_before) if each is not None), default=NOTHING)
    if sleeps_for >= HOLD_IF_WITHIN and task.state is State.WORKING:
        return Pacing(min(sleeps_for, MAX_INTERVAL))
    age = max(now - phase_began(task), NOTHING)
    interval = backoff(age)
    if known.progress and task.progress is not None and age < known.hold_until_age:
        return Pacing(interval, known.hold_until_age - age)
    if (window := _window(task, now, known.durations)) is not None:
        if window.opens - now >= max(interval, HOLD_IF_WITHIN):
            return Pacing(min(window.opens - now, max(interval, MAX_EARLY_INTERVAL)))
        longest = min(2 * HOLD_MARGIN, known.hold_until_age)
        if window.opens <= now + HOLD_IF_WITHIN and NOTHING < window.closes - now <= longest:
            return Pacing(interval, window.closes - now)
    return Pacing(interval, max(known.hold_until_age - age, NOTHING))


def phase_began(task: Task) -> datetime:
    """Return when the task's phase began."""
    if task.state is State.INPUT_REQUIRED:
        return task.updated_at
    return max(filter(None, (task.created_at, task.started_at, task.resumed_at, task.wakes_at, task.not_before)))


def _until_last_poll(task: Task, now: datetime) -> timedelta:
    """Return the time until the last poll, when the outcome is there and the task has not expired."""
    left = task.expires_at - now
    return max(left - LAST_POLL, left / 2)


def _window(task: Task, now: datetime, durations: Durations | None) -> Window | None:
    """Return when the end of the task is expected, by what is said of it before what is measured; None if unknown."""
    since = phase_began(task)
    if task.state is State.INPUT_REQUIRED:
        return None
    if task.state is State.QUEUED:
        return _of_durations(task, now, NOTHING, durations)
    if task.expected_at is not None:
        return _around(task.expected_at, task.expected_at - since)
    if (rated := _by_rate(task, since)) is not None:
        return rated
    if (measured := _of_durations(task, since, now - since, durations)) is not None:
        return measured
    return None if task.expected is None or task.was_begun else _around(since + task.expected, task.expected)


def _around(end: datetime, whole: timedelta) -> Window:
    margin = min(max(whole * MAX_SHARE, MIN_INTERVAL), HOLD_MARGIN)
    return Window(end - margin, end + margin)


def _by_rate(task: Task, since: datetime) -> Window | None:
    """Return the window that the progress of this phase gives; its start is three quarters of what is left away."""
    progress, spent = task.progress, task.updated_at - since
    if progress is None or not progress.total or spent < HOLD_IF_WITHIN or task.was_begun:
        return None
    done = progress.progress / progress.total
    if not MIN_PROGRESS <= done <= 1:
        return None
    left = spent * (1 / done - 1)
    return Window(task.updated_at + left * 0.75, task.updated_at + left * 1.25 + MIN_INTERVAL)


def _of_durations(task: Task, since: datetime, age: timedelta, durations: Durations | None) -> Window | None:
    if durations is None or task.was_begun or (found := durations.window(age)) is None:
        return None
    return Window(since + found[0], since + found[1])
