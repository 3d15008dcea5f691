"""The inbox of a tenant: what its tasks ask of others; `TaskStore.write` fills and empties it."""

from collections.abc import Iterator
from datetime import datetime
from typing import Protocol

from mcp_tasks.tasks.approvals import Decision
from mcp_tasks.tasks.inbox import DecidedItem, InboxItem


class Inbox(Protocol):
    """Reads the items of a tenant, keeps what was accepted, how often people were told, and which links were used.

    All reads are consistent.

    An item is here exactly while its input request is open and its deadline has not passed.
    """

    def items(self, tenant: str, audience: str, *, after: str, limit: int) -> Iterator[InboxItem]:
        """Yield the items of an audience, by its key, whose places come after that one; of `limit` most take few."""

    def find(self, tenant: str, item_id: str) -> InboxItem | None:
        """Return the open item of that id, which may be any text."""

    def decided(self, tenant: str, item_id: str) -> DecidedItem | None:
        """Return what is kept of an item that was decided lately; None where it was not."""

    def history(self, tenant: str, audience: str, *, before: str, limit: int) -> Iterator[DecidedItem]:
        """Yield what was decided lately of an audience, whose places come before that one, the last asked first.

        Without a `before` it is the last of all; of `limit` most take few.
        """

    def accept(self, tenant: str, item: InboxItem, decision: Decision) -> bool:
        """Add a decision to what was accepted; return whether the item was still as it was read."""

    def notice(self, tenant: str, item_id: str, number: int) -> bool:
        """Have the item's audience told again for that time; return whether it is open, and was told less often."""

    def tell_again(self, tenant: str, item_id: str) -> bool:
        """Have the item's audience told now, beside its reminders; return whether it is open, and was not of late."""

    def use_link(self, tenant: str, link: str, nonce: str, until: datetime) -> bool:
        """Keep that a link was exchanged with this nonce; return False for one that was before.

        The same nonce may come again, for `EXCHANGE_REPEATED`.
        """

    def is_link_used(self, tenant: str, link: str) -> bool:
        """Return whether a link was exchanged."""
