"""What a tenant may begin or store in a day: sessions, idempotency keys, bytes of arguments.

Each is a bucket that holds what a day allows and fills within a day, so that nobody waits for midnight.
"""

from datetime import timedelta
from typing import Final

from mcp_tasks.ports.buckets import Buckets, Rate
from mcp_tasks.ports.clock import Clock
from mcp_tasks.tasks.errors import ArgumentsTooLarge, LimitReached

DAY: Final = timedelta(days=1)


def spend(buckets: Buckets, clock: Clock, tenant: str, what: str, count: int, per_day: int | None) -> None:
    """Count what a tenant uses, by one write where its plan has a limit.

    Raises `LimitReached` where less is left of the day, and `ArgumentsTooLarge` where a whole day allows less: no time
    would make it fit.
    """
    if per_day is None:
        return
    if per_day == 0:
        raise LimitReached(f"{what}_per_day", limit=0, remaining=0, retry_after=DAY)
    if count > per_day:
        raise ArgumentsTooLarge(count, per_day)
    rate = Rate(burst=per_day, per_second=per_day / DAY.total_seconds())
    ready = buckets.take(tenant, what, count, rate, least=count)
    if ready is not None:
        # A bucket is a time, to the microsecond: what it holds is not exact, and is less than would have been enough.
        left = max(0, min(count - 1, int(buckets.left(tenant, what, rate) + 0.01)))
        raise LimitReached(f"{what}_per_day", limit=per_day, remaining=left, retry_after=ready - clock.now())
