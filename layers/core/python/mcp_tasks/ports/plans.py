"""The plans of tenants."""

from typing import Protocol

from mcp_tasks.tasks.plan import Plan


class Plans(Protocol):
    """Knows each tenant's plan."""

    def of(self, tenant: str) -> Plan:
        """Return the plan of a tenant, by its name as in owner keys; a change of it may show late, within a minute."""
