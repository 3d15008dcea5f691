"""The plan of each tenant: one `plan` item, in a partition that no function of a stage may write to.

It has no time of expiry: an operator wrote it, and an operator ends it.
"""

import json
from datetime import UTC, datetime
from typing import Final, NamedTuple

from mcp_tasks.adapters.dynamodb.items import Item, epoch, primary_key
from mcp_tasks.adapters.dynamodb.reading import Fields, from_json, integer_attribute, moment_attribute, string_attribute
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.limits.plans import DEFAULT
from mcp_tasks.records import record
from mcp_tasks.tasks.json_values import flag, mapping
from mcp_tasks.tasks.named_plans import Grant

NEVER: Final = datetime(9999, 1, 1, tzinfo=UTC)


class Stored(NamedTuple):
    """What is stored of a tenant, as which version of it, and since when."""

    grant: Grant
    version: int
    since: datetime


@record
class PlanItems:
    """Reads and writes what is stored of tenants' plans."""

    table: Table

    def read(self, tenant: str) -> Stored | None:
        """Return what is stored of a tenant, and its version; raises `UnreadableItem`."""
        item = self.table.get(plan_key(tenant))
        if item is None:
            return None
        fields = Fields.of(item)
        grant = Grant(
            plan=fields.optional("plan", string_attribute, DEFAULT),
            overrides=fields.optional("overrides", lambda attribute: mapping(from_json(attribute)), {}),
            suspended=fields.optional("suspended", lambda attribute: flag(attribute["BOOL"]), False),
        )
        version, since = fields.required("version", integer_attribute), fields.required("since", moment_attribute)
        return Stored(grant=grant, version=version, since=since)

    def write(self, tenant: str, grant: Grant, *, replacing: int) -> None:
        """Store a tenant's grant as the version after the one it replaces, 0 for none; raises `ConditionFailed`.

        Only an operator has the permission.
        """
        item = {
            **plan_key(tenant),
            "goneAt": epoch(NEVER),
            "plan": {"S": grant.plan},
            "overrides": {"S": json.dumps(grant.overrides)},
            "suspended": {"BOOL": grant.suspended},
            "version": {"N": str(replacing + 1)},
            "since": {"S": self.table.clock.now().isoformat()},
        }
        condition = {
            "ConditionExpression": "#version = :before" if replacing else "attribute_not_exists(PK)",
            **({"ExpressionAttributeNames": {"#version": "version"}} if replacing else {}),
            **({"ExpressionAttributeValues": {":before": {"N": str(replacing)}}} if replacing else {}),
        }
        # A transaction that is repeated because its response was lost succeeds again.
        self.table.transact({"Put": {"Item": item, **condition}})


def plan_key(tenant: str) -> Item:
    """Return the key of a tenant's plan: no name is quoted with a "!", so that no caller has its partition."""
    return primary_key(f"{tenant}!", "plan", "current")
