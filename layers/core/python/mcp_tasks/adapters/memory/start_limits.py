"""Limits of a plan that hold back new tasks, by what is counted; without I/O."""

from collections import Counter
from datetime import datetime

from mcp_tasks.adapters.memory.live import SUSPENDED, LiveTasks
from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.errors import TooManyWait
from mcp_tasks.tasks.plan import Plan
from mcp_tasks.tasks.stored_bytes import check_room


class StoredBytes:
    """The bytes that the tasks of each tenant and of each subject keep, by the hours in which they expire."""

    def __init__(self) -> None:
        self._hours: dict[tuple[str, str], Counter[datetime]] = {}

    def add(self, owner_key: str, hour: datetime, size: int) -> None:
        """Count the bytes of a task, or stop counting them where there are less than none."""
        for scope in _scopes(owner_key) if size else ():
            hours = self._hours.setdefault(scope, Counter())
            hours[hour] += size
            if not hours[hour]:
                del hours[hour]
            if not hours:
                del self._hours[scope]

    def kept(self, owner_key: str, now: datetime) -> list[Counter[datetime]]:
        """Return what the tenant and what the subject keep, by hours that are not over."""
        found = [self._hours.get(scope, Counter()) for scope in _scopes(owner_key)]
        return [Counter({hour: size for hour, size in hours.items() if hour > now}) for hours in found]


def check_waiting(live: LiveTasks, owner_key: str, plan: Plan) -> None:
    """Raise `TooManyWait` where as many tasks of the tenant, or of the subject, wait for input as may."""
    if plan.suspended_tasks is None:
        return
    if live.of_tenant[tenant_of(owner_key), SUSPENDED] >= plan.suspended_tasks:
        raise TooManyWait(plan.suspended_tasks, whose="tenant")
    share = plan.share_of(plan.suspended_tasks)
    if live.of_subject[owner_key, SUSPENDED] >= share:
        raise TooManyWait(share, whose="subject")


def check_bytes(stored: StoredBytes, owner_key: str, size: int, plan: Plan, now: datetime) -> None:
    """Raise `LimitReached` where the arguments do not fit beside what the tasks of the tenant, or the subject, keep."""
    if plan.stored_bytes is None:
        return
    tenant, subject = stored.kept(owner_key, now)
    check_room(tenant, size, plan.stored_bytes, whose="tenant", now=now)
    check_room(subject, size, plan.share_of(plan.stored_bytes), whose="subject", now=now)


def _scopes(owner_key: str) -> tuple[tuple[str, str], tuple[str, str]]:
    return ("tenant", tenant_of(owner_key)), ("subject", owner_key)
