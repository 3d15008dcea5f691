"""Token buckets that all processes share."""

from datetime import datetime, timedelta
from typing import Protocol

from mcp_tasks.limits.waits import COUNTER_LIFETIME
from mcp_tasks.records import record


@record
class Rate:
    """A bucket's size, at least 1, and how fast it fills; it begins full."""

    burst: float
    per_second: float

    def time_for(self, count: float) -> timedelta:
        """Return how long it takes to fill in so much; what takes longer than a counter is kept counts as that."""
        return timedelta(seconds=min(count / self.per_second, COUNTER_LIFETIME.total_seconds()))


class Buckets(Protocol):
    """Counts what owners use, by the name of each bucket; an owner is a tenant or an owner key, never what clients say.

    A bucket is one number, the time at which it will be full, so that nothing has to fill it.
    """

    def take(self, owner: str, bucket: str, count: int, rate: Rate, *, least: int = 1) -> datetime | None:
        """Take `count` from a bucket that holds at least `least`, and return None; it then owes what it did not hold.

        From one that holds less nothing is taken, and the time is returned at which it will hold so much.
        """

    def left(self, owner: str, bucket: str, rate: Rate) -> float:
        """Return what a bucket holds, below 0 what it owes."""
