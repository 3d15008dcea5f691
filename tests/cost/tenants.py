"""A month of three example tenants, and what else could serve them.  All of it is ASSUMED, and here to be changed."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tests.cost import prices
from tests.cost.bill import Stage

CALL_SECONDS: Final = 0.3
"""What a tool takes within a call."""

TOOL_GB: Final = 1.0
"""The memory of the function that runs tools."""

LONGEST_CALL: Final = 15 * 60
"""Seconds for which a Lambda function may hold a call."""

BUSY_HOURS: Final = 200
PEAK: Final = 3.0
"""A month's work comes in so many of its hours, and at times so much faster."""

RUNS_OF_A_CONTAINER: Final = 50
"""Tools that a vCPU with 2 GB runs at once, as they mostly wait for others; there are two containers at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenant:
    """What a tenant does in a month."""

    name: str
    users: int
    sessions: int
    calls: int
    tasks: int
    task_size: str
    task_seconds: float
    """What the tool computes: it takes a function for so long."""

    asks: bool = False
    """Each task asks once, and waits hours for the answer."""

    listening_hours: int = 0

    @property
    def tool_seconds(self) -> float:
        """Return for how long tools run."""
        return self.calls * CALL_SECONDS + self.tasks * self.task_seconds


TENANTS: Final = (
    Tenant(name="modest", users=20, sessions=1_000, calls=20_000, tasks=3_000, task_size="1 KB", task_seconds=20),
    Tenant(
        name="busy",
        users=500,
        sessions=50_000,
        calls=1_000_000,
        tasks=300_000,
        task_size="96 KB",
        task_seconds=60,
        listening_hours=10_000,
    ),
    Tenant(
        name="approvals",
        users=200,
        sessions=10_000,
        calls=50_000,
        tasks=50_000,
        task_size="1 KB",
        task_seconds=10,
        asks=True,
        listening_hours=5_000,
    ),
)


def month(
    stage: Stage, counts: Mapping[str, Any], tenant: Tenant, waited: float, listened: float
) -> Mapping[str, float]:
    """Return what a tenant's month costs here, by what it is for; `waited` and `listened` are dollars of one."""

    def cost(name: str) -> float:
        return stage.bill(counts[name]).total

    return {
        "sessions and calls": tenant.sessions * (cost("session") + cost("tools/list 2025-11-25"))
        + tenant.calls * cost("inline call 2025-11-25"),
        "tasks": tenant.tasks * (cost(f"task {tenant.task_size}") + (cost("question") if tenant.asks else 0)),
        "waiting": tenant.tasks * waited,
        "listening": tenant.listening_hours * listened,
        "the tools' own time": _tools_time(tenant),
    }


def holding(tenant: Tenant) -> float | None:
    """Return what it costs if a function of 1 GB holds each call until its tool has returned; None if it cannot."""
    requests = tenant.calls + tenant.tasks + 3 * tenant.sessions
    return _in_a_function(tenant, requests, prices.REQUEST)


def agentcore(tenant: Tenant) -> float | None:
    """Return what AgentCore Gateway costs in front of a function of 1 GB that runs the tools; None if it cannot."""
    return _in_a_function(tenant, tenant.calls + tenant.tasks, prices.AGENTCORE_CALL)


def _in_a_function(tenant: Tenant, requests: int, gateway: prices.Price) -> float | None:
    """Return what requests cost that a function answers once their tools have returned; None if that takes too long."""
    if tenant.asks or tenant.task_seconds > LONGEST_CALL:
        return None
    each = gateway.each + prices.INVOCATION.each + prices.PLATFORM_LOG * prices.LOGGED.each
    return requests * each + _tools_time(tenant)


def _tools_time(tenant: Tenant) -> float:
    return tenant.tool_seconds * TOOL_GB * prices.GB_SECOND.each


def always_on(tenant: Tenant) -> float:
    """Return what containers cost that hold all calls and tasks in memory, behind a load balancer."""
    at_once = PEAK * tenant.tool_seconds / (BUSY_HOURS * 3600)
    containers = max(2, math.ceil(at_once / RUNS_OF_A_CONTAINER))
    container = prices.FARGATE_CPU.each + 2 * prices.FARGATE_GB.each
    balancer = prices.BALANCER.each + prices.BALANCER_UNIT.each
    return prices.HOURS_A_MONTH * (containers * container + balancer)
