"""Idempotency keys: one `idem` item for each, in the transaction that creates the task it stands for."""

from collections.abc import Callable

from mcp_tasks.adapters.dynamodb.items import Item, expires_at, expiry_attributes, primary_key
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.records import record
from mcp_tasks.tasks.errors import KeyReused, TaskNotFound
from mcp_tasks.tasks.hashing import hashed
from mcp_tasks.tasks.idempotency import IdempotencyKey
from mcp_tasks.tasks.model import Task


@record
class Reservations:
    """Reserves keys for tasks, which `read` returns by their owner and id."""

    table: Table
    read: Callable[[str, str], Task]

    def reserving(self, owner_key: str, task_id: str, key: IdempotencyKey, replaced_id: str) -> Item:
        """Return the Put of the idempotency key.

        It fails where the key belongs to a task other than `replaced_id`, an earlier one for which it no longer stands.
        """
        reserved = {
            **primary_key(owner_key, "idem", hashed(key.name)),
            **expiry_attributes(self.table.clock.now() + key.lifetime),
            "taskId": {"S": task_id},
            "fingerprint": {"S": key.fingerprint},
        }
        return {
            "Put": {
                "Item": reserved,
                "ConditionExpression": "attribute_not_exists(PK) OR taskId = :replaced",
                "ExpressionAttributeValues": {":replaced": {"S": replaced_id}},
            }
        }

    def find(self, owner_key: str, key: IdempotencyKey) -> Task | None:
        """Return the task that a key stands for, if there is one; raises `KeyReused`."""
        reserved = self.table.get(primary_key(owner_key, "idem", hashed(key.name)))
        return None if reserved is None else self.earlier(owner_key, key, reserved)

    def earlier(self, owner_key: str, key: IdempotencyKey, reserved: Item) -> Task | None:
        """Return the task that a stored key stands for, if it still does; raises `KeyReused`."""
        if expires_at(reserved) <= self.table.clock.now():
            return None
        if reserved["fingerprint"]["S"] != key.fingerprint:
            raise KeyReused(key.name)
        try:
            earlier = self.read(owner_key, reserved["taskId"]["S"])
        except TaskNotFound:
            return None
        return earlier if key.stands_for(earlier) else None
