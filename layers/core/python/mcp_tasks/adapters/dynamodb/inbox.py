"""The inbox on DynamoDB; the items are written in the transactions of their tasks (`inbox_items.py`)."""

from collections.abc import Iterator
from datetime import datetime

from mcp_tasks.adapters.dynamodb.inbox_items import (
    accepted_attributes,
    decided_item_of,
    decided_key,
    inbox_item_of,
    inbox_key,
    is_repeated,
    link_key,
    used_link,
)
from mcp_tasks.adapters.dynamodb.items import epoch
from mcp_tasks.adapters.dynamodb.table import ConditionFailed, Table
from mcp_tasks.limits.waits import BETWEEN_NOTICES
from mcp_tasks.records import record
from mcp_tasks.tasks.approvals import Decision
from mcp_tasks.tasks.inbox import DecidedItem, InboxItem


@record
class DynamoInbox:
    """The `Inbox` on one table."""

    table: Table

    def items(self, tenant: str, audience: str, *, after: str, limit: int) -> Iterator[InboxItem]:
        """Query the tenant's partition, the oldest item first."""
        return self.table.between(
            inbox_item_of,
            tenant,
            # `!` follows no place, and `~` every one.
            f"inbox#{audience}#{after}!",
            f"inbox#{audience}#~",
            limit=limit,
            # Whoever was told may answer, by whatever clock.
            only_if="attribute_not_exists(opensAt) OR opensAt <= :now OR notices > :none",
            given={":none": {"N": "0"}},
        )

    def find(self, tenant: str, item_id: str) -> InboxItem | None:
        """Get the `inbox` item."""
        stored = self.table.get(inbox_key(tenant, item_id))
        item = None if stored is None else inbox_item_of(stored)
        return item if item is not None and item.is_open(self.table.clock.now()) else None

    def decided(self, tenant: str, item_id: str) -> DecidedItem | None:
        """Get the `decided` item."""
        item = self.table.get(decided_key(tenant, item_id))
        return None if item is None else decided_item_of(item)

    def history(self, tenant: str, audience: str, *, before: str, limit: int) -> Iterator[DecidedItem]:
        """Query the tenant's partition, the item first that was asked last."""
        first, last = f"decided#{audience}#!", f"decided#{audience}#{before or '~'}"
        found = self.table.between(decided_item_of, tenant, first, last, limit=limit, ScanIndexForward=False)
        # The range has both of its ends.
        return (item for item in found if item is not None and item.place != before)

    def notice(self, tenant: str, item_id: str, number: int) -> bool:
        """Update the item, on condition that it is there, and has a lower number: the stream has it tell people."""
        try:
            self.table.update(
                Key=inbox_key(tenant, item_id),
                UpdateExpression="SET notices = :number",
                ConditionExpression="goneAt > :now AND (attribute_not_exists(notices) OR notices < :number)",
                ExpressionAttributeValues={
                    ":number": {"N": str(number)},
                    ":now": epoch(self.table.clock.now()),
                },
            )
        except ConditionFailed:
            return False
        return True

    def accept(self, tenant: str, item: InboxItem, decision: Decision) -> bool:
        """Update the items of all audiences, on condition that as many have accepted as had when this one was read."""
        accepted = accepted_attributes((*item.accepted, decision))
        update = {
            "UpdateExpression": "SET accepts = :accepts, accepted = :accepted",
            "ConditionExpression": "accepts = :seen AND goneAt > :now",
            "ExpressionAttributeValues": {
                ":accepts": accepted["accepts"],
                ":accepted": accepted["accepted"],
                ":seen": {"N": str(len(item.accepted))},
                ":now": epoch(self.table.clock.now()),
            },
        }
        try:
            self.table.transact(*({"Update": {"Key": inbox_key(tenant, each), **update}} for each in item.ids))
        except ConditionFailed:
            return False
        return True

    def tell_again(self, tenant: str, item_id: str) -> bool:
        """Update the item, on condition that it is there, and was not updated so of late: the stream has it tell."""
        now = self.table.clock.now()
        try:
            self.table.update(
                Key=inbox_key(tenant, item_id),
                # The stream is filtered by `notices`.
                UpdateExpression="SET again = :now, notices = if_not_exists(notices, :none)",
                ConditionExpression="goneAt > :now AND (attribute_not_exists(again) OR again <= :before)",
                ExpressionAttributeValues={
                    ":now": epoch(now),
                    ":before": epoch(now - BETWEEN_NOTICES),
                    ":none": {"N": "0"},
                },
            )
        except ConditionFailed:
            return False
        return True

    def use_link(self, tenant: str, link: str, nonce: str, until: datetime) -> bool:
        """Add the `link` item, unless another nonce has, or this one a while ago."""
        now = self.table.clock.now()
        try:
            self.table.add(used_link(tenant, link, nonce, until, now))
        except ConditionFailed as taken:
            return is_repeated(taken.stored(0), nonce, now)
        return True

    def is_link_used(self, tenant: str, link: str) -> bool:
        """Get the `link` item."""
        return self.table.get(link_key(tenant, link)) is not None
