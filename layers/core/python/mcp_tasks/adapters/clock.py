"""The machine's own clock."""

import time
from datetime import UTC, datetime, timedelta


class SystemClock:
    """The time as the operating system tells it."""

    def now(self) -> datetime:
        """Return the present; see `Clock`."""
        return datetime.now(UTC)

    def sleep(self, duration: timedelta) -> None:
        """Sleep; see `Clock`."""
        time.sleep(max(0.0, duration.total_seconds()))
