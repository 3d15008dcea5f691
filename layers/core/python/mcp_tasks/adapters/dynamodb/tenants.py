"""The tenants of a stage on DynamoDB: a `tenant` item for each in one partition, since no read may scan the table."""

from collections import OrderedDict
from collections.abc import Sequence
from datetime import datetime
from threading import Lock
from typing import Final

from mcp_tasks.adapters.dynamodb.counters import read_counters
from mcp_tasks.adapters.dynamodb.items import Item, count_in, expiry_attributes, primary_key
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.limits.tenants import MAX_KNOWN_TENANTS
from mcp_tasks.limits.waits import COUNTER_LIFETIME, TENANT_SEEN
from mcp_tasks.ports.tenants import TenantUse

PARTITION: Final = "!tenants"
"""No name is quoted with a "!", so that no caller has this partition."""


class DynamoTenants:
    """Writes one item for each tenant and process in `TENANT_SEEN`; it has nothing but its key."""

    def __init__(self, table: Table) -> None:
        """Begin without having seen anybody."""
        self._table = table
        self._seen: OrderedDict[str, datetime] = OrderedDict()
        self._lock = Lock()

    def seen(self, tenant: str) -> None:
        """Put the tenant's item, unless this process did so lately."""
        now = self._table.clock.now()
        if self._seen.get(tenant, now) > now:
            return
        self._table.put({**_key(tenant), **expiry_attributes(now + COUNTER_LIFETIME)})
        with self._lock:
            self._seen[tenant] = now + TENANT_SEEN
            self._seen.move_to_end(tenant)
            if len(self._seen) > MAX_KNOWN_TENANTS:
                self._seen.popitem(last=False)

    def forget(self, tenant: str) -> None:
        """Delete the tenant's item, for an operator who erases the tenant."""
        self._table.delete(Key=_key(tenant))

    def page(self, *, after: str, limit: int) -> Sequence[str]:
        """Query the one partition."""
        # No name has a `!`, which comes before all that names have, and `$` comes after the `#`.
        first, last = f"tenant#{after}!", "tenant$"
        found = self._table.between(lambda item: item["SK"]["S"].partition("#")[2], PARTITION, first, last, limit=limit)
        return [name for _, name in zip(range(limit), found, strict=False)]

    def use(self, tenant: str) -> TenantUse:
        """Read the tenant's counters by one query."""
        counters = read_counters(self._table, tenant).values()
        return TenantUse(*(max(0, sum(count_in(each, name) for each in counters)) for name in TenantUse._fields))


def _key(tenant: str) -> Item:
    return primary_key(PARTITION, "tenant", tenant)
