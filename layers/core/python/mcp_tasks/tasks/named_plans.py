"""The plans of a stage by name, and how the plan of one tenant is made of them."""

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any, Self

from mcp_tasks.limits.plans import DEFAULT, check_plan, check_plans
from mcp_tasks.records import record
from mcp_tasks.tasks.model import JSON
from mcp_tasks.tasks.plan import Plan


@record
class Grant:
    """What is stored of one tenant: the name of its plan, what differs from it, and whether it is suspended."""

    plan: str = DEFAULT
    overrides: Mapping[str, JSON] = field(default_factory=dict)
    suspended: bool = False


@record
class NamedPlans:
    """The plans of a stage."""

    default: Plan = field(default_factory=Plan)
    others: Mapping[str, Plan] = field(default_factory=dict)

    @classmethod
    def of(cls, documents: Any, base: Plan) -> Self:
        """Read plans as `cdk.json` has them; raises `ValueError`, whose text says what to write instead.

        Each plan begins with the default one, and the default one with `base`.
        """
        check_plans(documents)
        default = _changed(base, documents.get(DEFAULT, {}))
        others = {
            name: replace(_changed(default, each), name=name) for name, each in documents.items() if name != DEFAULT
        }
        return cls(default=default, others=others)

    def names(self) -> list[str]:
        """Return the names of all plans."""
        return [DEFAULT, *self.others]

    def resolved(self, grant: Grant) -> Plan:
        """Return the plan of a tenant; raises `KeyError` where the stage has none of that name, else `ValueError`."""
        plan = self.default if grant.plan == DEFAULT else self.others[grant.plan]
        check_plan(grant.overrides, "what differs for the tenant")
        return replace(_changed(plan, grant.overrides), suspended=grant.suspended)


def _changed(plan: Plan, given: Mapping[str, Any]) -> Plan:
    lists = {name: frozenset(value) for name, value in given.items() if isinstance(value, list | tuple)}
    values: dict[str, Any] = {**given, **lists}
    return replace(plan, **values)
