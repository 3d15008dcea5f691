"""The inbox in the memory of one process, behind the lock of the task store that fills it."""

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from mcp_tasks.limits.waits import BETWEEN_NOTICES, DECIDED_KEPT, EXCHANGE_REPEATED
from mcp_tasks.ports.clock import Clock
from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.approvals import Decision
from mcp_tasks.tasks.errors import StaleTask
from mcp_tasks.tasks.inbox import DecidedItem, InboxItem, change_of, decided_item
from mcp_tasks.tasks.model import InputResponse, Task


class MemoryInbox:
    """Items and decisions by tenant and id; `listener` is told of items before and after, as the table's stream is."""

    def __init__(self, clock: Clock, lock: threading.Condition) -> None:
        self._clock = clock
        self._lock = lock
        self.listener: Callable[[InboxItem | None, InboxItem], object] = lambda before, after: None
        self._items: dict[tuple[str, str], InboxItem] = {}
        self._decided: dict[tuple[str, str], tuple[datetime, DecidedItem]] = {}
        self._links: dict[tuple[str, str], tuple[str, datetime]] = {}

    def change(self, owner_key: str, before: Task, after: Task, responses: Mapping[str, InputResponse]) -> None:
        """Keep the inbox as a transition leaves it; raises `StaleTask` where others accepted what it decides."""
        change = change_of(owner_key, before, after, responses)
        if change is None:
            return
        tenant = tenant_of(owner_key)
        for item, decisions in change.decided:
            if len(self._items.get((tenant, item.id), item).accepted) != len(decisions) - 1:
                raise StaleTask("others accepted meanwhile")
        for item in change.new:
            self._items[tenant, item.id] = item
            self.listener(None, item)
        for item in change.ended:
            self._items.pop((tenant, item.id), None)
        for item, decisions in change.decided:
            self._items.pop((tenant, item.id), None)
            self._decided[tenant, item.id] = self._clock.now() + DECIDED_KEPT, decided_item(item, decisions)

    def items(self, tenant: str, audience: str, *, after: str, limit: int) -> Iterator[InboxItem]:
        """Yield the items of the audience, found by a scan of all."""
        with self._lock:
            found = [item for (owner, _), item in self._items.items() if owner == tenant and self._is_open(item)]
        mine = [item for item in found if item.approval.audience.key == audience and item.place > after]
        yield from sorted(mine, key=lambda item: item.place)

    def find(self, tenant: str, item_id: str) -> InboxItem | None:
        """Return the item unless its deadline has passed."""
        with self._lock:
            item = self._items.get((tenant, item_id))
            return item if item is not None and self._is_open(item) else None

    def decided(self, tenant: str, item_id: str) -> DecidedItem | None:
        """Return what is kept of an item."""
        with self._lock:
            until, item = self._decided.get((tenant, item_id), (self._clock.now(), None))
            return item if until > self._clock.now() else None

    def history(self, tenant: str, audience: str, *, before: str, limit: int) -> Iterator[DecidedItem]:
        """Yield what was decided of the audience, found by a scan of all."""
        now = self._clock.now()
        with self._lock:
            found = [item for (owner, _), (until, item) in self._decided.items() if owner == tenant and until > now]
        mine = [each for each in found if each.approval.audience.key == audience and each.place < (before or "~")]
        yield from sorted(mine, key=lambda item: item.place, reverse=True)

    def notice(self, tenant: str, item_id: str, number: int) -> bool:
        """Replace the item unless it was told so often, and tell the listener."""
        with self._lock:
            stored = self.find(tenant, item_id)
            if stored is None or stored.notices >= number:
                return False
            self._items[tenant, item_id] = told = replace(stored, notices=number)
            self.listener(stored, told)
            return True

    def accept(self, tenant: str, item: InboxItem, decision: Decision) -> bool:
        """Replace the item unless another decision came first."""
        with self._lock:
            stored = self.find(tenant, item.id)
            if stored is None or stored.accepted != item.accepted:
                return False
            for each in item.ids:
                self._items[tenant, each] = replace(self._items[tenant, each], accepted=(*item.accepted, decision))
            return True

    def tell_again(self, tenant: str, item_id: str) -> bool:
        """Replace the item unless it was of late, and tell the listener."""
        now = self._clock.now()
        with self._lock:
            stored = self.find(tenant, item_id)
            if stored is None or (stored.again is not None and now < stored.again + BETWEEN_NOTICES):
                return False
            self._items[tenant, item_id] = told = replace(stored, again=now)
            self.listener(stored, told)
            return True

    def use_link(self, tenant: str, link: str, nonce: str, until: datetime) -> bool:
        """Keep the nonce, unless another one is there, or this one was a while ago."""
        now = self._clock.now()
        with self._lock:
            kept, at = self._links.setdefault((tenant, link), (nonce, now))
            return kept == nonce and now < at + EXCHANGE_REPEATED

    def is_link_used(self, tenant: str, link: str) -> bool:
        """Return whether a nonce is kept."""
        with self._lock:
            return (tenant, link) in self._links

    def _is_open(self, item: InboxItem) -> bool:
        return item.is_open(self._clock.now())
