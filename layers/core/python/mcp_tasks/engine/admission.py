"""Which requests are served: not those of a suspended tenant, nor more of a tenant or a subject than its plan says.

A process takes requests from the table's buckets in batches, and counts them by itself.  So a request costs a tenth of
a write, and one of a tenant without a rate none.  The tenant's bucket is the bound; that of a subject is there to be
fair to its colleagues, and lets each process serve a few requests before it is asked at all.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from threading import Lock

from mcp_tasks.engine.allowances import spend
from mcp_tasks.engine.current_call import note
from mcp_tasks.engine.leases import Bucket, Leases
from mcp_tasks.limits.tenants import MAX_LEASED_REQUESTS, MAX_UNLEASED_REQUESTS, MIN_LEASED_REQUESTS
from mcp_tasks.limits.waits import BURST_LASTS, WAIT_ENDS
from mcp_tasks.ports.buckets import Buckets, Rate
from mcp_tasks.ports.clock import Clock
from mcp_tasks.ports.held_waits import HeldWaits
from mcp_tasks.ports.plans import Plans
from mcp_tasks.security.tenancy import Caller, tenant_of
from mcp_tasks.tasks.errors import LimitReached, TenantSuspended
from mcp_tasks.tasks.plan import Plan


@dataclass(slots=True, kw_only=True)
class Admission:
    """Admits the requests of one process."""

    plans: Plans
    buckets: Buckets
    held_waits: HeldWaits
    clock: Clock
    _leases: Leases = field(init=False)
    _lock: Lock = field(default_factory=Lock, init=False)

    def __post_init__(self) -> None:
        """Begin without having taken anything."""
        self._leases = Leases(buckets=self.buckets, clock=self.clock)

    def admit(self, caller: Caller, count: int = 1, *, refusable: bool = True) -> Plan:
        """Count requests, and return the plan of the caller's tenant.

        Raises `TenantSuspended`, and `LimitReached` unless the requests are not `refusable`: those are served and count
        all the same, where there is something left.
        """
        plan = self.plans.of(tenant_of(caller.owner_key))
        note(plan=plan.name)
        if plan.suspended:
            raise TenantSuspended
        if plan.requests_per_second is not None:
            reached = self._take(caller, plan, plan.requests_per_second, count)
            if reached is not None and refusable:
                raise reached
        return plan

    def begin_session(self, caller: Caller) -> None:
        """Count a session that a client begins; raises `LimitReached`."""
        tenant = tenant_of(caller.owner_key)
        spend(self.buckets, self.clock, tenant, "sessions", 1, self.plans.of(tenant).sessions_per_day)

    @contextmanager
    def hold(self, caller: Caller) -> Iterator[bool]:
        """Count a connection that is held within the block; yields whether it may be, and counts it only then.

        It is whatever waits for a change: a GET, a `subscriptions/listen`, a call that waits for a task.
        """
        tenant = tenant_of(caller.owner_key)
        limit = self.plans.of(tenant).held_waits
        if limit is None:
            yield True
            return
        receipt = self.held_waits.begin(tenant, limit)
        try:
            yield receipt is not None
        finally:
            if receipt is not None:
                self.held_waits.end(tenant, receipt)

    def too_many_waits(self, caller: Caller) -> LimitReached:
        """Return the error for a connection that `hold` does not let be held."""
        limit = self.plans.of(tenant_of(caller.owner_key)).held_waits or 0
        return LimitReached("held_waits", limit=limit, remaining=0, retry_after=WAIT_ENDS)

    def _take(self, caller: Caller, plan: Plan, per_second: float, count: int) -> LimitReached | None:
        buckets = list(_buckets(caller, plan, per_second))
        with self._lock:
            for bucket in buckets:
                wait = self._leases.fill(bucket)
                if wait is not None:
                    limit = bucket.rate.per_second
                    return LimitReached(bucket.reason, limit=limit, remaining=0, retry_after=wait)
            for bucket in buckets:
                self._leases.use(bucket, count)
        return None


def rate_of(plan: Plan, per_second: float) -> Rate:
    """Return the rate of a plan that has one."""
    burst = plan.burst or max(per_second * BURST_LASTS.total_seconds(), MAX_LEASED_REQUESTS)
    return Rate(burst=burst, per_second=per_second)


def _buckets(caller: Caller, plan: Plan, per_second: float) -> Iterator[Bucket]:
    """Yield the bucket of the caller's tenant, and its own one; no part of their names is what clients send."""
    rate, share = rate_of(plan, per_second), plan.subject_share
    yield Bucket(owner=tenant_of(caller.owner_key), rate=rate, batch=_batch(rate.burst), reason="requests_per_second")
    # Callers who cannot be told apart are one subject.
    if share < 1 and caller.identified:
        burst = max(rate.burst * share, 1)
        yield Bucket(
            owner=caller.owner_key,
            rate=Rate(burst=burst, per_second=per_second * share),
            batch=_batch(burst),
            reason="requests_per_second_of_subject",
            unleased=MAX_UNLEASED_REQUESTS,
        )


def _batch(burst: float) -> int:
    """Return a tenth of a burst: so much a process leaves unused, and so much too much is let through."""
    return max(MIN_LEASED_REQUESTS, min(MAX_LEASED_REQUESTS, int(burst / 10)))


def seconds(wait: timedelta) -> int:
    """Return a time to wait in whole seconds, which it is not longer than."""
    return max(1, math.ceil(wait.total_seconds()))
