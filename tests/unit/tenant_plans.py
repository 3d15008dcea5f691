"""A service whose tenants have plans of their own, and other ports than the usual."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.tasks.errors import UnreadableItem
from mcp_tasks.tasks.plan import Plan
from tests.unit.jobs import service


@dataclass
class PlansOfTwo:
    """Plans of which each tenant has its own; that of a tenant that is not here cannot be read."""

    plans: dict[str, Plan] = field(default_factory=dict)

    def of(self, tenant: str) -> Plan:
        if tenant not in self.plans:
            raise UnreadableItem(f"the plan of {tenant}", "damaged")
        return self.plans[tenant]


def with_ports(tasks: TaskService, /, **ports: Any) -> TaskService:
    return replace(tasks, ports=replace(tasks.ports, **ports))


def of_plans(**plans: Plan) -> TaskService:
    return with_ports(service(), plans=PlansOfTwo(plans))


def fallbacks(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [vars(each)["fallback"] for each in caplog.records if "fallback" in vars(each)]
