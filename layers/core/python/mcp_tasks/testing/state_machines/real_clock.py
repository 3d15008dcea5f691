"""The real clock for moto's state machines: a second takes a second."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta


class RealClock:
    """An `ExecutionClock` that goes by itself."""

    def __init__(self) -> None:
        """Keep one condition for all threads: each of them looks again whenever something has changed."""
        self._changed = threading.Condition()
        self.left = 0

    def now(self) -> datetime:
        """Return the machine's time."""
        return datetime.now(UTC)

    def wait(self, duration: timedelta | None, until: Callable[[], bool] = lambda: False) -> bool:
        """Block the calling thread until `until()`, at most for `duration`; return whether `until()` holds."""
        with self._changed:
            return self._changed.wait_for(until, None if duration is None else duration.total_seconds())

    def enter(self, thread: threading.Thread) -> None:
        """Let a thread start: nobody waits for it to be idle."""

    def leave(self, thread: threading.Thread) -> None:
        """Wake who waits for the thread."""
        with self._changed:
            self.left += 1
            self._changed.notify_all()

    def notify(self) -> None:
        """Have every waiting thread evaluate its condition again."""
        with self._changed:
            self._changed.notify_all()
