"""The tenants of one process: those whose tasks its store has."""

from collections.abc import Sequence

from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.ports.tenants import TenantUse
from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.transitions import is_final


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
            names = {tenant_of(owner_key) for owner_key, _ in self._store.all_tasks()}
        return sorted(name for name in names if name > after)[:limit]

    def use(self, tenant: str) -> TenantUse:
        """Count what the tenant's tasks hold."""
        with self._store.changed:
            tasks = [task for owner_key, task in self._store.all_tasks() if tenant_of(owner_key) == tenant]
        return TenantUse(
            active=sum(not is_final(task) for task in tasks),
            running=sum(task.holding.slot is not None for task in tasks),
            queued=sum(task.holding.queue is not None for task in tasks),
            suspended=sum(task.holding.suspended for task in tasks),
        )
