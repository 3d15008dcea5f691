"""A clock for tests of waiting: calls are planned for times at which the code under test sleeps."""

from collections.abc import Callable
from datetime import datetime, timedelta

from tests.kit import NOON, FixedClock


class Timeline(FixedClock):
    """A clock that advances only while a caller sleeps, and makes the calls planned for that time."""

    def __init__(self) -> None:
        super().__init__(NOON)
        self._plans: list[tuple[datetime, Callable[[], object]]] = []

    @property
    def elapsed(self) -> float:
        """Return the seconds since the start."""
        return (self.now() - NOON).total_seconds()

    def sleep(self, duration: timedelta) -> None:
        assert duration >= timedelta(), "nobody sleeps for less than no time"
        self.advance(duration)

    def advance(self, duration: timedelta) -> None:
        """Move on; a plan sees the time it was made for."""
        end = self.now() + duration
        while due := [plan for plan in self._plans if plan[0] <= end]:
            plan = min(due, key=lambda plan: plan[0])
            self._plans.remove(plan)
            super().advance(max(plan[0] - self.now(), timedelta()))
            plan[1]()
        super().advance(max(end - self.now(), timedelta()))

    def after(self, seconds: float, action: Callable[[], object]) -> None:
        """Plan an action."""
        self._plans.append((self.now() + timedelta(seconds=seconds), action))

    def every(self, seconds: float, action: Callable[[], object]) -> None:
        """Plan an action that is repeated for ever."""

        def again() -> None:
            action()
            self.every(seconds, action)

        self.after(seconds, again)
