"""What operators are shown of the tenants: each with its plan and its use, page by page."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks import Caller
from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.adapters.memory.tenants import MemoryTenants
from mcp_tasks.engine.current_call import noting
from mcp_tasks.engine.tenant_overview import listed
from mcp_tasks.limits.tenants import MAX_LISTED_TENANTS
from mcp_tasks.ports import Ports
from mcp_tasks.ports.tenants import TenantUse
from mcp_tasks.tasks.model import Holding, Returned, State
from mcp_tasks.tasks.plan import Plan
from tests.kit import a_task, memory_ports
from tests.unit.tenant_plans import PlansOfTwo

GOLD = Plan(
    name="gold",
    suspended=True,
    active_tasks=1,
    running_tasks=2,
    suspended_tasks=3,
    requests_per_second=4.5,
    held_waits=5,
    stored_bytes=6,
    result_bytes=7,
)
LIMITS = {
    "active_tasks": 1,
    "running_tasks": 2,
    "suspended_tasks": 3,
    "requests_per_second": 4.5,
    "held_waits": 5,
    "stored_bytes": 6,
}
NO_USE = {"active": 0, "running": 0, "queued": 0, "suspended": 0}


def of_tenants(*names: str, **plans: Plan) -> Ports:
    """Return the ports of a stage each of whose tenants has a task that is queued."""
    ports = memory_ports(plan=Plan(running_tasks=0))
    for name in names:
        ports.tasks.create(
            Caller(tenant=name, subject="ada").owner_key,
            a_task(state=State.QUEUED, holding=Holding(active=True)),
            {},
            key=None,
            plan=Plan(running_tasks=0),
        )
    return replace(ports, plans=PlansOfTwo(plans)) if plans else ports


def page(ports: Ports, after: str = "") -> Returned:
    assert ports.tenants is not None
    return listed(ports, ports.tenants(), after)


def shown(returned: Returned) -> Any:
    return returned.result["structuredContent"]


def words(returned: Returned) -> Any:
    return returned.result["content"][0]["text"]


def test_a_tenant_is_shown_with_its_plan_its_limits_and_what_its_tasks_use() -> None:
    found = page(of_tenants("acme", acme=GOLD))

    acme = {
        "tenant": "acme",
        "plan": "gold",
        "is_suspended": True,
        "limits": LIMITS,
        **NO_USE,
        "active": 1,
        "queued": 1,
    }
    assert shown(found) == {"tenants": [acme], "next_cursor": None}
    assert words(found) == "- acme: 1 active, 1 queued"


def test_a_plan_that_cannot_be_read_is_none_and_hides_neither_the_use_nor_another_tenant() -> None:
    lost, kept = shown(page(of_tenants("acme", "rival", rival=GOLD)))["tenants"]

    assert lost == {
        "tenant": "acme", "plan": None, "is_suspended": None, "limits": {}, **NO_USE, "active": 1, "queued": 1
    }  # fmt: skip
    assert (kept["tenant"], kept["plan"]) == ("rival", "gold")


@pytest.mark.parametrize(
    ("more", "pages"), [(-1, [MAX_LISTED_TENANTS - 1]), (0, [MAX_LISTED_TENANTS]), (1, [MAX_LISTED_TENANTS, 1])]
)
def test_a_page_has_so_many_and_only_one_that_another_follows_has_a_cursor(more: int, pages: Sequence[int]) -> None:
    names = [f"tenant-{number:02d}" for number in range(MAX_LISTED_TENANTS + more)]
    ports, found = of_tenants(*names), []

    cursor = ""
    for _ in pages:
        found.append(shown(page(ports, cursor)))
        cursor = found[-1]["next_cursor"]

    assert [len(each["tenants"]) for each in found] == pages
    assert [tenant["tenant"] for each in found for tenant in each["tenants"]] == names
    assert cursor is None


def test_one_more_is_read_than_is_shown_and_the_use_of_those_that_are_shown() -> None:
    class Counted(MemoryTenants):
        limits: Sequence[int] = ()
        used: Sequence[str] = ()

        def page(self, *, after: str, limit: int) -> Sequence[str]:
            self.limits = [*self.limits, limit]
            return super().page(after=after, limit=limit)

        def use(self, tenant: str) -> TenantUse:
            self.used = [*self.used, tenant]
            return super().use(tenant)

    names = [f"tenant-{number:02d}" for number in range(MAX_LISTED_TENANTS + 3)]
    ports = of_tenants(*names)
    assert isinstance(ports.tasks, MemoryTaskStore)
    tenants = Counted(ports.tasks)

    listed(ports, tenants, "")

    assert (tenants.limits, tenants.used) == ([MAX_LISTED_TENANTS + 1], names[:MAX_LISTED_TENANTS])


def test_after_the_last_tenant_there_are_no_more() -> None:
    found = page(of_tenants("acme"), "acme")

    assert shown(found) == {"tenants": [], "next_cursor": None}
    assert words(found) == "There are no more tenants."


def test_each_tenant_is_a_line() -> None:
    assert words(page(of_tenants("acme", "rival"))) == "- acme: 1 active, 1 queued\n- rival: 1 active, 1 queued"


def test_a_name_is_one_line_whatever_is_in_it() -> None:
    assert words(page(of_tenants("ac\u202e\n- me"))) == "- ac[U+202E] - me: 1 active, 1 queued"


def test_a_name_is_shown_and_noted_as_it_is_and_a_cursor_as_in_owner_keys() -> None:
    names = [f"é {number:02d}" for number in range(MAX_LISTED_TENANTS + 1)]
    ports = of_tenants(*names)

    with noting() as noted:
        first = shown(page(ports))
        second = shown(page(ports, first["next_cursor"]))

    assert first["next_cursor"] == "%C3%A9%2019"
    *_, last = words(page(ports)).splitlines()
    assert last == "There may be more: call tenant_list again, with the cursor %C3%A9%2019."
    assert [each["tenant"] for each in (*first["tenants"], *second["tenants"])] == names
    assert dict(noted.happened) == {
        ("tenants.listed", ""): {"tenants_after": ""},
        ("tenants.listed", "%C3%A9%2019"): {"tenants_after": "é 19"},
    }
