"""The clock: the core takes the time from here, and never from the system."""

from datetime import datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Tells the time and sleeps; simulated in tests."""

    def now(self) -> datetime:
        """Return the time now, an aware datetime in UTC."""

    def sleep(self, duration: timedelta) -> None:
        """Return after that much time has passed."""
