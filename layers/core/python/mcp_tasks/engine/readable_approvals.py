"""Lists of approvals without those that cannot be read."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeVar

from mcp_tasks.fallbacks import readable
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
