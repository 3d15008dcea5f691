"""The tenants of a stage as its operators see them: each with its plan, and what its tasks use of it.

No task is read for it, and nothing of what callers are or say is in it.
"""

from functools import partial
from urllib.parse import unquote

from mcp_tasks.engine.current_call import note_event
from mcp_tasks.fallbacks import noting_left_out, readable
from mcp_tasks.features.results import and_left_out, and_more, counted, structured
from mcp_tasks.features.tools import TENANT_LIST
from mcp_tasks.limits.tenants import MAX_LISTED_TENANTS
from mcp_tasks.ports import Ports
from mcp_tasks.ports.tenants import Tenants
from mcp_tasks.tasks.errors import UnreadableItem
from mcp_tasks.tasks.model import JSON, Returned
from mcp_tasks.tasks.plan import Plan
from mcp_tasks.tasks.visible import one_line

LIMITS = ("active_tasks", "running_tasks", "suspended_tasks", "requests_per_second", "held_waits", "stored_bytes")
"""The fields of a plan that are shown: how much a tenant may use at a time."""


def listed(ports: Ports, tenants: Tenants, after: str) -> Returned:
    """Return a page of the tenants, in the order of their names."""
    names = tenants.page(after=after, limit=MAX_LISTED_TENANTS + 1)
    with noting_left_out() as left_out:
        read = partial(_shown, ports, tenants)
        shown = list(readable(names[:MAX_LISTED_TENANTS], read, name="tenant#{}".format, owner_key=str))
    more = names[MAX_LISTED_TENANTS - 1] if len(names) > MAX_LISTED_TENANTS else None
    note_event("tenants.listed", after, tenants_after=unquote(after))
    lines = [f"- {one_line(each['tenant'])}: {each['active']} active, {each['queued']} queued" for each in shown]
    count = left_out.count("tenant")
    said = and_left_out("\n".join(lines) or "There are no more tenants.", count)
    return structured(and_more(said, TENANT_LIST, more), {"tenants": shown, "next_cursor": more, **counted(count)})


def _shown(ports: Ports, tenants: Tenants, name: str) -> dict[str, JSON]:
    return {"tenant": unquote(name), **_plan(ports, name), **tenants.use(name)._asdict()}


def _plan(ports: Ports, name: str) -> dict[str, JSON]:
    try:
        plan: Plan = ports.plans.of(name)
    except UnreadableItem:
        # It may be a suspension, so that the tenant is not served: that is for an operator to see.
        return {"plan": None, "is_suspended": None, "limits": {}}
    limits = {field: getattr(plan, field) for field in LIMITS}
    return {"plan": plan.name, "is_suspended": plan.suspended, "limits": limits}
