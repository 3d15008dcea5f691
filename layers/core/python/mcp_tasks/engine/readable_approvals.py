"""Lists of approvals without those that cannot be read."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, TypeVar

from mcp_tasks.fallbacks import readable
from mcp_tasks.limits.tenants import MAX_INBOX_SCANNED
from mcp_tasks.tasks.inbox import DecidedItem, InboxItem

T = TypeVar("T")
Item = TypeVar("Item", InboxItem, DecidedItem)

OPEN: Final = "inbox"
DECIDED: Final = "decided"
"""The kinds of items, as the table names them."""


def readable_items(items: Iterable[Item], read: Callable[[Item], T]) -> Iterator[T]:
    """Yield what `read` makes of items, without those that it makes nothing of (`fallbacks.readable`)."""

    def name(item: Item) -> str:
        return f"{OPEN if isinstance(item, InboxItem) else DECIDED}#{item.place}"

    return readable(items, read, name=name, owner_key=lambda item: item.owner_key)


def page_of(found: Iterable[Item], fits: Callable[[Item], bool], limit: int) -> tuple[Sequence[Item], str | None]:
    """Return as many as fit, and the place of the last one that was looked at, or None where that was the last.

    An item that comes from two audiences is returned once.
    """
    shown: list[Item] = []
    last = None
    for scanned, (item, is_shown) in enumerate(readable_items(found, lambda item: (item, fits(item)))):
        if len(shown) == limit or scanned == MAX_INBOX_SCANNED:
            return shown, last
        last = item.place
        if is_shown and not (shown and shown[-1].place == item.place):
            shown.append(item)
    return shown, None
