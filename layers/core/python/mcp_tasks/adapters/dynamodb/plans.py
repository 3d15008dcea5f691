"""The `Plans` of a deployment: those of its settings, and what the table says of each tenant."""

import logging
from collections import OrderedDict
from datetime import datetime
from threading import Lock

from mcp_tasks.adapters.dynamodb.plan_items import PlanItems
from mcp_tasks.limits.tenants import MAX_KNOWN_TENANTS
from mcp_tasks.limits.waits import PLAN_FRESH
from mcp_tasks.tasks.errors import UnreadableItem
from mcp_tasks.tasks.named_plans import Grant, NamedPlans
from mcp_tasks.tasks.plan import Plan

logger = logging.getLogger(__name__)


class DynamoPlans:
    """Reads one item for each tenant, and caches it for `PLAN_FRESH`; that there is none, as well.

    An item that cannot be read raises `UnreadableItem`: it may say that the tenant is suspended, so that requests fail
    until it is written anew.
    """

    def __init__(self, items: PlanItems, plans: NamedPlans) -> None:
        """Begin without having read anything."""
        self._items = items
        self._plans = plans
        self._known: OrderedDict[str, tuple[Plan, datetime]] = OrderedDict()
        self._lock = Lock()

    def of(self, tenant: str) -> Plan:
        """Return the plan of a tenant, as it was half a minute ago or later."""
        now = self._items.table.clock.now()
        known = self._known.get(tenant)
        if known is not None and known[1] > now:
            return known[0]
        stored = self._items.read(tenant)
        plan = self._plans.default if stored is None else self._resolved(tenant, stored.grant)
        with self._lock:
            self._known[tenant] = (plan, now + PLAN_FRESH)
            self._known.move_to_end(tenant)
            if len(self._known) > MAX_KNOWN_TENANTS:
                self._known.popitem(last=False)
        return plan

    def _resolved(self, tenant: str, grant: Grant) -> Plan:
        if grant.plan not in self._plans.names():
            fields = {"tenant": tenant, "plan": grant.plan, "fallback": "unknown_plan"}
            logger.warning("the stage has no such plan: the tenant has the default one", extra=fields)
            grant = Grant(overrides=grant.overrides, suspended=grant.suspended)
        try:
            return self._plans.resolved(grant)
        except ValueError as error:
            raise UnreadableItem("plan#current", f"cannot be read: {error}") from None
