"""Limits of a plan on sums over several items, which no transaction can check: they are read before a task starts."""

from dataclasses import dataclass

from mcp_tasks.adapters.dynamodb.items import Item, epoch, primary_key
from mcp_tasks.adapters.dynamodb.quota import COUNTERS
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.errors import TooManyWait
from mcp_tasks.tasks.plan import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class StartLimits:
    """Reads what the tasks of a tenant hold where its plan has a limit for that, and nothing where it has none."""

    table: Table

    def check(self, owner_key: str, plan: Plan) -> None:
        """Raise `LimitReached` where the tenant, or its subject, may start no further task."""
        limit = plan.suspended_tasks
        if limit is None:
            return
        if self.suspended(tenant_of(owner_key)) >= limit:
            raise TooManyWait(limit, whose="tenant")
        share = plan.share_of(limit)
        if _suspended(self.table.get(primary_key(owner_key, "using")) or {}) >= share:
            raise TooManyWait(share, whose="subject")

    def suspended(self, tenant: str) -> int:
        """Return how many tasks of a tenant wait for input, by one query."""
        found = self.table.query(
            _suspended,
            limit=COUNTERS,
            ConsistentRead=True,
            KeyConditionExpression="PK = :tenant AND begins_with(SK, :slots)",
            FilterExpression="goneAt > :now",
            ExpressionAttributeValues={
                ":tenant": {"S": tenant},
                ":slots": {"S": "slots#"},
                ":now": epoch(self.table.clock.now()),
            },
        )
        return sum(found)


def _suspended(item: Item) -> int:
    return int(item.get("suspended", {"N": "0"})["N"])
