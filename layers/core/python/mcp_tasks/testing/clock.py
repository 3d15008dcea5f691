"""Time that stands still until a test moves it, and what falls due while it moves."""

import heapq
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count

START = datetime(2026, 1, 1, 12, tzinfo=UTC)


class SimulatedClock:
    """A `Clock` with a schedule: whatever is due happens at its moment, in the thread that lets the time pass."""

    def __init__(self, now: datetime = START) -> None:
        self._now = now
        self._due: list[tuple[datetime, int, Callable[[], object]]] = []
        self._order = count()

    def now(self) -> datetime:
        """Return the simulated time."""
        return self._now

    def sleep(self, duration: timedelta) -> None:
        """Let time pass for who sleeps; see `Clock`."""
        self.advance(duration)

    def at(self, moment: datetime, happen: Callable[[], object]) -> None:
        """Let something happen at a moment, and never before the next time that somebody lets time pass."""
        heapq.heappush(self._due, (moment, next(self._order), happen))

    def next_deadline(self) -> datetime | None:
        """Return the first moment at which something happens."""
        return self._due[0][0] if self._due else None

    def advance(self, duration: timedelta) -> None:
        """Let time pass, and everything happen that falls due, each thing at its moment."""
        target = self._now + duration
        while self._due and self._due[0][0] <= target:
            moment, _, happen = heapq.heappop(self._due)
            self._now = max(self._now, moment)
            happen()
        self._now = max(self._now, target)
