"""Plans as settings and tenants' items have them."""

from typing import Any

import pytest

from mcp_tasks.limits.plans import FIELDS
from mcp_tasks.tasks.named_plans import Grant, NamedPlans
from mcp_tasks.tasks.plan import Plan

STAGE = {
    "default": {"active_tasks": 9, "requests_per_second": 2, "burst": 5},
    "gold": {"active_tasks": 90, "tools": ["greet"], "burst": None},
}


def test_a_plan_begins_with_the_default_one_and_that_with_the_settings() -> None:
    plans = NamedPlans.of(STAGE, Plan(held_waits=3))

    assert plans.default == Plan(active_tasks=9, requests_per_second=2, burst=5, held_waits=3)
    assert plans.others == {
        "gold": Plan(active_tasks=90, requests_per_second=2, held_waits=3, tools=frozenset({"greet"}))
    }
    assert plans.names() == ["default", "gold"]
    assert [plans.default.name, plans.others["gold"].name] == plans.names()


def test_a_tenant_has_what_its_plan_says_but_for_what_differs() -> None:
    plans = NamedPlans.of(STAGE, Plan())

    plan = plans.resolved(Grant(plan="gold", overrides={"active_tasks": 91, "tools": None}, suspended=True))

    assert plan == Plan(active_tasks=91, requests_per_second=2, suspended=True)
    assert plan.name == "gold"
    assert plans.resolved(Grant()) == plans.default


def test_a_tenant_of_a_plan_that_the_stage_does_not_have_has_none() -> None:
    with pytest.raises(KeyError, match="silver"):
        NamedPlans.of(STAGE, Plan()).resolved(Grant(plan="silver"))


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ([], "plans have names"),
        ({"gold": 7}, "plan 'gold' is an object of fields, not 7"),
        ({"gold": {"sessions": 7}}, "plan 'gold' has a field 'sessions': there are active_tasks, running_tasks"),
        ({"gold": {"active_tasks": -1}}, "plan 'gold': active_tasks is a whole number, not -1"),
        ({"gold": {"active_tasks": None}}, "active_tasks is a whole number, not None"),
        ({"gold": {"active_tasks": True}}, "active_tasks is a whole number, not True"),
        ({"gold": {"active_tasks": 10**13}}, "active_tasks is a whole number"),
        ({"gold": {"requests_per_second": 0}}, "requests_per_second is a number from 0.001, or null for no limit"),
        ({"gold": {"requests_per_second": float("nan")}}, "requests_per_second is a number from 0.001"),
        ({"gold": {"subject_share": 1.5}}, "subject_share is a part of 1, such as 0.5, not 1.5"),
        ({"gold": {"tools": "greet"}}, "tools is a list of names, or null for all, not 'greet'"),
        ({"default": {"tools": [7]}}, "plan 'default': tools is a list of names"),
        ({"gold": {"suspended": True}}, "plan 'gold' has a field 'suspended'"),
    ],
)
def test_what_is_no_plan_is_refused_in_words(given: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        NamedPlans.of(given, Plan())


def test_every_field_of_a_plan_can_be_given_but_that_of_a_suspension() -> None:
    assert {*FIELDS} == {*Plan.__dataclass_fields__} - {"suspended", "name"}


@pytest.mark.parametrize("field", FIELDS)
def test_what_a_plan_says_of_a_field_can_be_given_to_another(field: str) -> None:
    lists = {"tools": frozenset("a"), "scopes": frozenset("b")}
    values: dict[str, Any] = {**dict.fromkeys(FIELDS, 7), "subject_share": 0.25, **lists}
    full = Plan(**values)
    value = getattr(full, field)

    plans = NamedPlans.of({"gold": {field: list(value) if isinstance(value, frozenset) else value}}, Plan())

    assert getattr(plans.others["gold"], field) == value
