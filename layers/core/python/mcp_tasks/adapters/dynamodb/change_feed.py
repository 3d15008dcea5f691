"""What changed at watched addresses, in the task table: one item for each address of a tenant's that ever changed."""

import hashlib
from dataclasses import dataclass
from typing import Final

from mcp_tasks.adapters.dynamodb.items import Item, lifetime, primary_key, tenant_of
from mcp_tasks.adapters.dynamodb.table import ConditionFailed, Table
from mcp_tasks.limits.waits import CHANGE_LIFETIME

UNKNOWN_OR_OLDER: Final = "attribute_not_exists(version) OR version < :number"


@dataclass(frozen=True, slots=True, kw_only=True)
class DynamoChangeFeed:
    """Versions that rise with each change; see `ChangeFeed`."""

    table: Table

    def publish(self, owner_key: str, uri: str) -> None:
        """Note a change; see `ChangeFeed`."""
        # The time, in microseconds, so that a version rises even above one that was forgotten meanwhile.
        now = int(self.table.clock.now().timestamp() * 1_000_000)
        try:
            self._write(owner_key, uri, "version = :number", now, ConditionExpression=UNKNOWN_OR_OLDER)
        except ConditionFailed:
            # By another process's clock it is later already.
            self._write(owner_key, uri, "version = version + :number", 1)

    def version(self, owner_key: str, uri: str) -> int:
        """Return the version of an address; see `ChangeFeed`."""
        item = self.table.get(_place(owner_key, uri))
        return 0 if item is None else int(item["version"]["N"])

    def _write(self, owner_key: str, uri: str, setting: str, number: int, **condition: str) -> None:
        until = lifetime(self.table.clock.now() + CHANGE_LIFETIME)
        values = {":number": {"N": str(number)}, ":expires": until["expiresAt"], ":gone": until["goneAt"]}
        raising = {
            "Key": _place(owner_key, uri),
            "UpdateExpression": f"SET {setting}, expiresAt = :expires, goneAt = :gone",
            "ExpressionAttributeValues": values,
            **condition,
        }
        self.table.transact({"Update": raising})


def _place(owner_key: str, uri: str) -> Item:
    return primary_key(tenant_of(owner_key), "changed", hashlib.sha256(uri.encode(errors="surrogatepass")).hexdigest())
