"""The tenants of one process: those whose tasks its store has."""

from collections.abc import Sequence

from mcp_tasks.adapters.memory.live import LIVE, PLACE, SLOT, SUSPENDED
from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.ports.tenants import TenantUse
from mcp_tasks.security.tenancy import tenant_of


class MemoryTenants:
    """Reads them from the tasks themselves."""

    def __init__(self, store: MemoryTaskStore) -> None:
        """Take the store."""
        self._store = store

    def seen(self, tenant: str) -> None:
        """Keep nothing: the store knows."""

    def page(self, *, after: str, limit: int) -> Sequence[str]:
        """Return the tenants of all tasks."""
        with self._store.changed:
            names = {tenant_of(owner_key) for owner_key in self._store.owners()}
        return sorted(name for name in names if name > after)[:limit]

    def use(self, tenant: str) -> TenantUse:
        """Return what the tenant's tasks hold."""
        counts = self._store.live.of_tenant
        with self._store.changed:
            active, running, queued, suspended = (counts[tenant, held] for held in (LIVE, SLOT, PLACE, SUSPENDED))
        return TenantUse(active=active, running=running, queued=queued, suspended=suspended)
