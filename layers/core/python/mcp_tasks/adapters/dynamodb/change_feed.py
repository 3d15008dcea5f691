"""The change feed of watched resources in the task table: one `changed` item for each URI of a tenant."""

from typing import Final

from mcp_tasks.adapters.dynamodb.items import Item, expiry_attributes, primary_key
from mcp_tasks.adapters.dynamodb.reading import Fields, integer_attribute
from mcp_tasks.adapters.dynamodb.table import ConditionFailed, Table
from mcp_tasks.limits.waits import CHANGE_LIFETIME
from mcp_tasks.records import record
from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.hashing import hashed

UNKNOWN_OR_OLDER: Final = "attribute_not_exists(version) OR version < :number"


@record
class DynamoChangeFeed:
    """A version for each URI, raised by every change; the URI is hashed into the sort key."""

    table: Table

    def publish(self, owner_key: str, uri: str) -> None:
        """Raise the version of a URI to the time, or by 1 where another process's clock is ahead."""
        # Microseconds since 1970, so that the version rises even above one whose item has expired meanwhile.
        now = int(self.table.clock.now().timestamp() * 1_000_000)
        try:
            self._write(owner_key, uri, "version = :number", now, ConditionExpression=UNKNOWN_OR_OLDER)
        except ConditionFailed:
            # Another process, whose clock is ahead, wrote a later time.
            self._write(owner_key, uri, "version = version + :number", 1)

    def version(self, owner_key: str, uri: str) -> int:
        """Return the version of a URI, 0 where no change is remembered; raises `UnreadableItem`."""
        item = self.table.get(_place(owner_key, uri))
        return 0 if item is None else Fields.of(item).required("version", integer_attribute)

    def _write(self, owner_key: str, uri: str, assignment: str, number: int, **condition: str) -> None:
        until = expiry_attributes(self.table.clock.now() + CHANGE_LIFETIME)
        values = {":number": {"N": str(number)}, ":expires": until["expiresAt"], ":gone": until["goneAt"]}
        update = {
            "Key": _place(owner_key, uri),
            "UpdateExpression": f"SET {assignment}, expiresAt = :expires, goneAt = :gone",
            "ExpressionAttributeValues": values,
            **condition,
        }
        self.table.transact({"Update": update})


def _place(owner_key: str, uri: str) -> Item:
    return primary_key(tenant_of(owner_key), "changed", hashed(uri))
