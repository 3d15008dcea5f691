"""Token buckets in the memory of one process."""

import threading
from datetime import datetime

from mcp_tasks.adapters.memory.shelves import Shelves
from mcp_tasks.ports.buckets import Rate
from mcp_tasks.ports.clock import Clock


class MemoryBuckets:
    """The time at which each bucket will be full, and is forgotten."""

    def __init__(self, clock: Clock) -> None:
        """Begin with full buckets; this clock fills them."""
        self._clock = clock
        self._full_at: Shelves[datetime] = Shelves(clock)
        self._lock = threading.Lock()

    def take(self, owner: str, bucket: str, count: int, rate: Rate, *, least: int = 1) -> datetime | None:
        """Take from a bucket that holds at least so much; returns when it will, if it does not."""
        with self._lock:
            now = self._clock.now()
            full_at = self._full_at.find(owner, bucket) or now
            ready_at = full_at - rate.time_for(rate.burst - least)
            if ready_at > now:
                return ready_at
            full_at += rate.time_for(count)
            self._full_at.put(owner, bucket, full_at, full_at)
            return None

    def left(self, owner: str, bucket: str, rate: Rate) -> float:
        """Return what a bucket holds."""
        now = self._clock.now()
        with self._lock:
            missing = (self._full_at.find(owner, bucket) or now) - now
        return rate.burst - missing.total_seconds() * rate.per_second
