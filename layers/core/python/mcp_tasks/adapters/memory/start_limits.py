"""Limits of a plan that hold back new tasks, found by looking at all that there are; pure, no I/O."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.errors import TooManyWait
from mcp_tasks.tasks.model import Task
from mcp_tasks.tasks.plan import Plan
from mcp_tasks.tasks.stored_bytes import check_room, kept_until


def check_waiting(tasks: Iterable[tuple[str, Task]], owner_key: str, plan: Plan) -> None:
    """Raise `TooManyWait` where as many tasks of the tenant, or of the subject, wait for input as may."""
    if plan.suspended_tasks is None:
        return
    suspended = [owner for owner, each in tasks if each.holding.suspended]
    if sum(tenant_of(owner) == tenant_of(owner_key) for owner in suspended) >= plan.suspended_tasks:
        raise TooManyWait(plan.suspended_tasks, whose="tenant")
    share = plan.share_of(plan.suspended_tasks)
    if suspended.count(owner_key) >= share:
        raise TooManyWait(share, whose="subject")


def check_bytes(kept: Sequence[tuple[str, Task, int]], owner_key: str, size: int, plan: Plan, now: datetime) -> None:
    """Raise `LimitReached` where the arguments do not fit beside what the tasks of the tenant, or the subject, keep."""
    if plan.stored_bytes is None:
        return
    tenant, subject = Counter[datetime](), Counter[datetime]()
    for owner, task, count in kept:
        if kept_until(task) > now:
            tenant[kept_until(task)] += count * (tenant_of(owner) == tenant_of(owner_key))
            subject[kept_until(task)] += count * (owner == owner_key)
    check_room(tenant, size, plan.stored_bytes, whose="tenant", now=now)
    check_room(subject, size, plan.share_of(plan.stored_bytes), whose="subject", now=now)
