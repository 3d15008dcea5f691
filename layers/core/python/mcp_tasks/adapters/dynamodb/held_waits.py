"""Held waits in the task table: a `held` item for each half minute, so that one that never ends is soon forgotten."""

import logging

from botocore.exceptions import BotoCoreError, ClientError

from mcp_tasks.adapters.dynamodb.items import Item, expiry_attributes, primary_key
from mcp_tasks.adapters.dynamodb.reading import Fields, integer_attribute
from mcp_tasks.adapters.dynamodb.table import ConditionFailed, Table
from mcp_tasks.limits.waits import WAIT_WINDOW
from mcp_tasks.patience import patient
from mcp_tasks.records import record

logger = logging.getLogger(__name__)


@record
class DynamoHeldWaits:
    """Counts a wait in the window in which it begins: those that are still held began in this one or the one before."""

    table: Table

    def begin(self, tenant: str, limit: int) -> str | None:
        """Count a wait by one read and one conditional write."""
        window = self._window()
        free = limit - self._count(tenant, window - 1)
        until = expiry_attributes(self.table.clock.now() + 3 * WAIT_WINDOW)
        if free <= 0:
            return None
        try:
            self.table.update(
                Key=_key(tenant, window),
                UpdateExpression="ADD held :one SET expiresAt = :expires, goneAt = :gone",
                ConditionExpression="attribute_not_exists(held) OR held < :free",
                ExpressionAttributeValues={
                    ":one": {"N": "1"},
                    ":free": {"N": str(free)},
                    ":expires": until["expiresAt"],
                    ":gone": until["goneAt"],
                },
            )
        except ConditionFailed:
            return None
        return str(window)

    def end(self, tenant: str, receipt: str) -> None:
        """Stop counting a wait, by one conditional write; where that fails, it counts until its window is over."""
        try:
            with patient(None):
                self.table.update(
                    Key=_key(tenant, int(receipt)),
                    UpdateExpression="ADD held :minus_one",
                    ConditionExpression="held > :zero",
                    ExpressionAttributeValues={":minus_one": {"N": "-1"}, ":zero": {"N": "0"}},
                )
        except ConditionFailed:
            # Its window is over and deleted, or the write was repeated after its response was lost.
            return
        except (ClientError, BotoCoreError):
            # What the wait was for is answered all the same.
            logger.warning("a wait stays counted", exc_info=True, extra={"tenant": tenant, "fallback": "wait_counted"})

    def count(self, tenant: str) -> int:
        """Return how many waits are counted."""
        window = self._window()
        return self._count(tenant, window) + self._count(tenant, window - 1)

    def _window(self) -> int:
        return int(self.table.clock.now().timestamp() // WAIT_WINDOW.total_seconds())

    def _count(self, tenant: str, window: int) -> int:
        item = self.table.get(_key(tenant, window))
        return 0 if item is None else Fields.of(item).required("held", integer_attribute)


def _key(tenant: str, window: int) -> Item:
    return primary_key(tenant, "held", window)
