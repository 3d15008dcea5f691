"""Plans that do not differ."""

from dataclasses import field

from mcp_tasks.records import record
from mcp_tasks.tasks.plan import Plan


@record
class FixedPlans:
    """The `Plans` of tenants that all have the same one."""

    plan: Plan = field(default_factory=Plan)

    def of(self, tenant: str) -> Plan:
        """Return the one plan."""
        return self.plan
