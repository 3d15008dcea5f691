"""The inbox in the memory of one process, behind the lock of the task store that fills it."""

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from itertools import islice, takewhile
from typing import Any

from mcp_tasks.adapters.memory.shelves import Shelves
from mcp_tasks.limits.waits import BETWEEN_NOTICES, CLOCK_SKEW, DECIDED_KEPT, EXCHANGE_REPEATED
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
        self._items: Shelves[InboxItem] = Shelves(clock)
        self._decided: Shelves[DecidedItem] = Shelves(clock)
        self._links: Shelves[tuple[str, datetime]] = Shelves(clock)

    def change(self, owner_key: str, before: Task, after: Task, responses: Mapping[str, InputResponse]) -> None:
        """Keep the inbox as a transition leaves it; raises `StaleTask` where others accepted what it decides."""
        change = change_of(owner_key, before, after, responses)
        if change is None:
            return
        tenant = tenant_of(owner_key)
        for item, decisions in change.decided:
            if len((self._items.find(tenant, item.id) or item).accepted) != len(decisions) - 1:
                raise StaleTask("others accepted meanwhile")
        for item in change.new:
            self._keep(tenant, item)
            self.listener(None, item)
        for item in change.ended:
            self._items.pop(tenant, item.id)
        for item, decisions in change.decided:
            self._items.pop(tenant, item.id)
            self._decided.put(tenant, item.id, decided_item(item, decisions), self._clock.now() + DECIDED_KEPT)

    def items(self, tenant: str, audience: str, *, after: str, limit: int) -> Iterator[InboxItem]:
        """Yield the items of the audience."""
        while found := self._some(self._items.after, tenant, audience, after, limit):
            yield from (item for item in found if self._is_open(item))
            after = found[-1].place

    def find(self, tenant: str, item_id: str) -> InboxItem | None:
        """Return the item unless its deadline has passed."""
        with self._lock:
            item = self._items.find(tenant, item_id)
            return item if item is not None and self._is_open(item) else None

    def decided(self, tenant: str, item_id: str) -> DecidedItem | None:
        """Return what is kept of an item."""
        with self._lock:
            return self._decided.find(tenant, item_id)

    def history(self, tenant: str, audience: str, *, before: str, limit: int) -> Iterator[DecidedItem]:
        """Yield what was decided of the audience."""
        while found := self._some(self._decided.before, tenant, audience, before or "~", limit):
            yield from found
            before = found[-1].place

    def notice(self, tenant: str, item_id: str, number: int) -> bool:
        """Replace the item unless it was told so often, and tell the listener."""
        with self._lock:
            stored = self.find(tenant, item_id)
            if stored is None or stored.notices >= number:
                return False
            self._keep(tenant, told := replace(stored, notices=number))
            self.listener(stored, told)
            return True

    def accept(self, tenant: str, item: InboxItem, decision: Decision) -> bool:
        """Replace the item unless another decision came first."""
        with self._lock:
            stored = self.find(tenant, item.id)
            if stored is None or stored.accepted != item.accepted:
                return False
            for each in item.ids:
                self._keep(tenant, replace(self._items[tenant, each], accepted=(*item.accepted, decision)))
            return True

    def tell_again(self, tenant: str, item_id: str) -> bool:
        """Replace the item unless it was of late, and tell the listener."""
        now = self._clock.now()
        with self._lock:
            stored = self.find(tenant, item_id)
            if stored is None or (stored.again is not None and now < stored.again + BETWEEN_NOTICES):
                return False
            self._keep(tenant, told := replace(stored, again=now))
            self.listener(stored, told)
            return True

    def use_link(self, tenant: str, link: str, nonce: str, until: datetime) -> bool:
        """Keep the nonce, unless another one is there, or this one was a while ago."""
        now = self._clock.now()
        with self._lock:
            kept, at = self._links.find(tenant, link) or (nonce, now)
            if at == now:
                self._links.put(tenant, link, (kept, at), until + CLOCK_SKEW)
            return kept == nonce and now < at + EXCHANGE_REPEATED

    def is_link_used(self, tenant: str, link: str) -> bool:
        """Return whether a nonce is kept."""
        with self._lock:
            return self._links.find(tenant, link) is not None

    def _keep(self, tenant: str, item: InboxItem) -> None:
        self._items.put(tenant, item.id, item, item.deadline)

    def _some(
        self, read: Callable[..., Iterator[Any]], tenant: str, audience: str, place: str, number: int
    ) -> list[Any]:
        """Return some items of an audience among those of its tenant; ids of other audiences may come between."""
        with self._lock:
            near = takewhile(lambda each: each[0].startswith(f"{audience}#"), read(tenant, f"{audience}#{place}"))
            return list(islice((item for _, item in near if item.approval.audience.key == audience), number))

    def _is_open(self, item: InboxItem) -> bool:
        return item.is_open(self._clock.now())
