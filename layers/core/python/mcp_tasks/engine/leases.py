"""What one process has taken of buckets that all processes share, so that not each request has to be written down."""

from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from mcp_tasks.limits.tenants import MAX_KNOWN_TENANTS
from mcp_tasks.limits.waits import BETWEEN_LEASES
from mcp_tasks.ports.buckets import Buckets, Rate
from mcp_tasks.ports.clock import Clock
from mcp_tasks.records import record

REQUESTS = "requests"


@record
class Bucket:
    """A bucket of requests: whose it is, its rate, how many are taken of it at once, and why a request was refused.

    The first `unleased` requests of a process are served before it takes, and taken with the first batch.  Without any,
    the first batch is one request, which may be the only one that the process gets.
    """

    owner: str
    rate: Rate
    batch: int
    reason: str
    unleased: int = 0
    name: str = REQUESTS


@dataclass(slots=True, kw_only=True)
class Lease:
    """How many requests are `left` to be served, and how many more to take at once."""

    left: int
    unpaid: int
    batch: int
    empty_until: datetime | None = None


@dataclass(slots=True, kw_only=True)
class Leases:
    """The leases of a process, by owner and bucket; those that were not used for the longest are forgotten."""

    buckets: Buckets
    clock: Clock
    _all: OrderedDict[tuple[str, str], Lease] = field(default_factory=OrderedDict, init=False)

    def fill(self, bucket: Bucket) -> timedelta | None:
        """Have at least one request left; returns after how long to try again where there is none."""
        lease = self._lease(bucket)
        if lease.left > 0:
            return None
        now = self.clock.now()
        if lease.empty_until is None or lease.empty_until <= now:
            taken = lease.batch + lease.unpaid - lease.left
            ready = self.buckets.take(bucket.owner, bucket.name, taken, bucket.rate)
            if ready is None:
                lease.left, lease.unpaid, lease.batch, lease.empty_until = lease.batch, 0, bucket.batch, None
                return None
            # An empty bucket is not asked by each request, nor by each client that tries again.
            lease.empty_until = max(ready, now + BETWEEN_LEASES)
        return lease.empty_until - now

    def use(self, bucket: Bucket, count: int) -> None:
        """Serve requests; what was not left is taken with the next batch."""
        self._all[bucket.owner, bucket.name].left -= count

    def _lease(self, bucket: Bucket) -> Lease:
        place = bucket.owner, bucket.name
        lease = self._all.get(place)
        if lease is None:
            lease = Lease(left=bucket.unleased, unpaid=bucket.unleased, batch=bucket.batch if bucket.unleased else 1)
            self._all[place] = lease
        self._all.move_to_end(place)
        # Each tenant's, and those of some of its subjects.
        if len(self._all) > 4 * MAX_KNOWN_TENANTS:
            self._all.popitem(last=False)
        return lease
