"""A plan: how much a tenant may use."""

from dataclasses import dataclass

from mcp_tasks.limits.tenants import MAX_ACTIVE_TASKS


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a tenant may use: `active_tasks` have not ended yet, suspended ones included."""

    active_tasks: int = MAX_ACTIVE_TASKS
