"""Token buckets in the memory of one process."""

import threading
from datetime import datetime

from mcp_tasks.ports.buckets import Rate
from mcp_tasks.ports.clock import Clock


class MemoryBuckets:
    """The time at which each bucket will be full."""

    def __init__(self, clock: Clock) -> None:
        """Begin with full buckets; this clock fills them."""
        self._clock = clock
        self._full_at: dict[tuple[str, str], datetime] = {}
        self._lock = threading.Lock()

    def take(self, owner: str, bucket: str, count: int, rate: Rate, *, least: int = 1) -> datetime | None:
        """Take from a bucket that holds at least so much; returns when it will, if it does not."""
        with self._lock:
            now = self._clock.now()
            full_at = max(self._full_at.get((owner, bucket), now), now)
            ready_at = full_at - rate.time_for(rate.burst - least)
            if ready_at > now:
                return ready_at
            self._full_at[owner, bucket] = full_at + rate.time_for(count)
            return None

    def left(self, owner: str, bucket: str, rate: Rate) -> float:
        """Return what a bucket holds."""
        now = self._clock.now()
        missing = max(self._full_at.get((owner, bucket), now), now) - now
        return rate.burst - missing.total_seconds() * rate.per_second
