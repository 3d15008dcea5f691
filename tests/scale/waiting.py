"""One wait for a task in simulated time: its requests, for how long each is held, and how late the client hears."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from mcp_tasks.adapters.polling import LONGEST, SHORTEST
from mcp_tasks.limits.waits import MAX_HOLD, POLL_INTERVAL
from mcp_tasks.tasks.model import State, Task
from mcp_tasks.tasks.pace import Pacing, listening_pace
from tests.kit import NOON, a_task

LATENCY: Final = 0.1
"""ASSUMED seconds between a request and its answer, beyond what it is held."""

COMES_AGAIN: Final = timedelta(milliseconds=200)
"""After which a client comes again to a connection that is held then: the `retry` of 2025-11-25's streams."""

WEEK: Final = timedelta(days=7)


Pace = Callable[[Task, datetime, int], Pacing]
"""Says of a task when somebody should look again who has looked so often."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What a task takes, in seconds: it works, and may be suspended in between."""

    works: float
    asks_after: float | None = None
    answered_after: float = 0

    @property
    def seconds(self) -> float:
        """Return how long it is until the task ends."""
        return self.works + self.answered_after

    def task_at(self, task: Task, seconds: float) -> Task:
        """Return the task as it is at that age."""
        if self.asks_after is None or seconds < self.asks_after:
            return task
        asked, answered = self.asks_after, self.asks_after + self.answered_after
        if seconds < answered:
            return replace(task, state=State.INPUT_REQUIRED, updated_at=NOON + timedelta(seconds=asked))
        return replace(
            task, updated_at=NOON + timedelta(seconds=answered), resumed_at=NOON + timedelta(seconds=answered)
        )


@dataclass(slots=True, kw_only=True)
class Wait:
    """What one wait took: when each request began, from when to when it was held, and how late the end was heard."""

    requests: list[float] = field(default_factory=list)
    holds: list[tuple[float, float]] = field(default_factory=list)
    late: float = 0

    @property
    def held(self) -> float:
        """Return for how many seconds connections were held."""
        return sum(until - since for since, until in self.holds)


MODEL: Final = a_task(ttl=WEEK, state=State.WORKING, poll_interval=POLL_INTERVAL)


def wait(work: Work, pace: Pace, chance: random.Random, task: Task = MODEL) -> Wait:
    """Simulate a wait, from a task's start to when its client has heard of its end."""
    found, now = Wait(requests=[0]), LATENCY
    now += _pause(work, pace, now, 0, task)
    while True:
        found.requests.append(now)
        now += LATENCY
        if now >= work.seconds:
            break
        looks = len(found.requests) - 1
        hold = _look(work, pace, now, looks, task).hold.total_seconds()
        if hold:
            woken = work.seconds + chance.uniform(0, ((LONGEST + SHORTEST) / 2).total_seconds())
            until = min(now + hold, woken)
            found.holds.append((now, until))
            now = until
            if now >= work.seconds:
                break
        now += _pause(work, pace, now, looks, task)
    found.late = now - work.seconds
    return found


def _look(work: Work, pace: Pace, now: float, looks: int, task: Task) -> Pacing:
    return pace(work.task_at(task, now), NOON + timedelta(seconds=now), looks)


def _pause(work: Work, pace: Pace, now: float, looks: int, task: Task) -> float:
    """Return after how long a client comes again: at once where it is held then."""
    look = _look(work, pace, now, looks, task)
    return COMES_AGAIN.total_seconds() if look.hold else max(look.after, COMES_AGAIN).total_seconds()


def listen(seconds: float, *, watches: bool) -> Wait:
    """Simulate a client that listens for so long, to which nothing comes."""
    found, now = Wait(), 0.0
    while now < seconds:
        found.requests.append(now)
        now += LATENCY
        if hold := min(listening_pace(timedelta(seconds=now), watches=watches).hold, MAX_HOLD).total_seconds():
            found.holds.append((now, now + hold))
            now += hold
        following = listening_pace(timedelta(seconds=now), watches=watches)
        now += (COMES_AGAIN if following.hold else following.after).total_seconds()
    return found
