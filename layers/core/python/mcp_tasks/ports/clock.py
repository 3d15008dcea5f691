"""The time, which no other module of the core asks the system for."""

from datetime import datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """The time, and the passing of it."""

    def now(self) -> datetime:
        """Return the present, aware and in UTC."""

    def sleep(self, duration: timedelta) -> None:
        """Come back when that much time has passed."""
