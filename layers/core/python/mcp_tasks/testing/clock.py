"""Simulated time: it stands still until a test advances it, and then runs what was scheduled."""

import heapq
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count

Timer = tuple[datetime, int, Callable[[], object]]
"""What was scheduled: when, in which order among others of that time, and what."""

START = datetime(2026, 1, 1, 12, tzinfo=UTC)


class SimulatedClock:
    """A `Clock` that a test advances; what is scheduled runs at its time, in the thread that advances the clock."""

    def __init__(self, now: datetime = START) -> None:
        self._now = now
        self._due: list[Timer] = []
        self._order = count()

    def now(self) -> datetime:
        """Return the simulated time."""
        return self._now

    def sleep(self, duration: timedelta) -> None:
        """Advance the clock, in place of sleeping."""
        self.advance(duration)

    def at(self, moment: datetime, happen: Callable[[], object]) -> Timer:
        """Schedule a callback, which runs when the clock is next advanced to its time or beyond."""
        timer = (moment, next(self._order), happen)
        heapq.heappush(self._due, timer)
        return timer

    def cancel(self, timer: Timer) -> None:
        """Take a callback off the schedule, unless it has run."""
        if timer in self._due:
            self._due.remove(timer)
            heapq.heapify(self._due)

    def next_deadline(self) -> datetime | None:
        """Return the time of the next callback, or None if none is scheduled."""
        return self._due[0][0] if self._due else None

    def advance(self, duration: timedelta) -> None:
        """Advance the clock, and run each callback that is due, in order, at its own time."""
        target = self._now + duration
        while self._due and self._due[0][0] <= target:
            moment, _, happen = heapq.heappop(self._due)
            self._now = max(self._now, moment)
            happen()
        self._now = max(self._now, target)
