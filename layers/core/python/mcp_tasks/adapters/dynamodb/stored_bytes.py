"""The bytes that tasks keep, on DynamoDB: a `kept` item for each hour in which tasks of an owner expire.

Tenants and subjects have their own, which are counted in the transactions that store arguments and results, so that
each is counted once.  They expire with what they count, and nobody has to give anything back.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from mcp_tasks.adapters.dynamodb.items import Item, count_in, epoch, expiry_attributes, primary_key
from mcp_tasks.adapters.dynamodb.reading import name_of
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.fallbacks import readable
from mcp_tasks.records import record
from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.model import Task
from mcp_tasks.tasks.plan import Plan
from mcp_tasks.tasks.stored_bytes import check_room, kept_until


@record
class StoredBytes:
    """Counts the bytes of tenants whose plan limits them, and nothing of others."""

    table: Table

    def starting(self, owner_key: str, task: Task, size: int, plan: Plan) -> list[Item]:
        """Return the actions that count a new task's bytes; raises `LimitReached` and `ArgumentsTooLarge`.

        Their conditions fail where others took the room meanwhile, unless for tasks of another hour.
        """
        actions = []
        now = self.table.clock.now()
        for owner, whose, limit in _limits(owner_key, plan):
            until = kept_until(task)
            stored = self._stored(owner)
            kept = _counted(stored)
            check_room(kept, size, limit, whose=whose, now=now)
            others = sum(count for hour, count in kept.items() if hour != until)
            # Nothing can be added to a count that is damaged: it expires within hours of what it counts.
            if until in kept or until not in stored:
                actions.append(_adding(owner, until, size, most=limit - others - size))
        return actions

    def finishing(self, owner_key: str, task: Task, size: int, plan: Plan) -> list[Item]:
        """Return the actions that count a result's bytes, whatever the limit: its work is done."""
        return [_adding(owner, kept_until(task), size) for owner, _, _ in _limits(owner_key, plan)]

    def kept(self, owner: str) -> dict[datetime, int]:
        """Return what a tenant, or a subject, keeps until when, by one query; counts that are damaged are left out."""
        return _counted(self._stored(owner))

    def _stored(self, owner: str) -> Mapping[datetime, Item]:
        found = self.table.query(
            lambda item: (_hour(item), item),
            limit=200,
            ConsistentRead=True,
            KeyConditionExpression="PK = :owner AND begins_with(SK, :kept)",
            FilterExpression="goneAt > :now",
            ExpressionAttributeValues={
                ":owner": {"S": owner},
                ":kept": {"S": "kept#"},
                ":now": epoch(self.table.clock.now()),
            },
        )
        return dict(found)


def _counted(stored: Mapping[datetime, Item]) -> dict[datetime, int]:
    named = {"name": name_of, "owner_key": lambda item: str(item["PK"]["S"])}
    return dict(readable(stored.values(), lambda item: (_hour(item), count_in(item, "bytes")), **named))


def _limits(owner_key: str, plan: Plan) -> Iterator[tuple[str, str, int]]:
    if plan.stored_bytes is not None:
        yield tenant_of(owner_key), "tenant", plan.stored_bytes
        yield owner_key, "subject", plan.share_of(plan.stored_bytes)


def _adding(owner: str, until: datetime, size: int, *, most: int | None = None) -> Item:
    expiry = expiry_attributes(until)
    values = {":size": {"N": str(size)}, ":expires": expiry["expiresAt"], ":gone": expiry["goneAt"]}
    update = {
        "Key": primary_key(owner, "kept", int(until.timestamp())),
        "UpdateExpression": "ADD #bytes :size SET expiresAt = :expires, goneAt = :gone",
        "ExpressionAttributeNames": {"#bytes": "bytes"},
        "ExpressionAttributeValues": values,
    }
    if most is not None:
        update["ConditionExpression"] = "attribute_not_exists(#bytes) OR #bytes <= :most"
        values[":most"] = {"N": str(most)}
    return {"Update": update}


def _hour(item: Item) -> datetime:
    return datetime.fromtimestamp(int(item["SK"]["S"].partition("#")[2]), UTC)
