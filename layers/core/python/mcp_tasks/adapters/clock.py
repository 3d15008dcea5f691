"""The operating system's clock."""

import time
from datetime import UTC, datetime, timedelta


class SystemClock:
    """The `Clock` of every process outside tests."""

    def now(self) -> datetime:
        """Return the present, in UTC."""
        return datetime.now(UTC)

    def sleep(self, duration: timedelta) -> None:
        """Block the thread; a negative duration does not block."""
        time.sleep(max(0.0, duration.total_seconds()))
