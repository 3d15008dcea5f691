"""Plans that do not differ."""

from dataclasses import dataclass, field

from mcp_tasks.tasks.plan import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedPlans:
    """The `Plans` of tenants that all have the same one."""

    plan: Plan = field(default_factory=Plan)

    def of(self, tenant: str) -> Plan:
        """Return the one plan."""
        return self.plan
