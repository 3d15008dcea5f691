"""A table that returns items as they were a moment ago, where a read need not be consistent, or an index cannot be."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from mcp_tasks.ports.clock import Clock
from tests.dynamodb.client import MemoryDynamo
from tests.dynamodb.grammar import Item
from tests.dynamodb.table import INDEXED, PROJECTED, Key, Record, index_place, key_of

LONGEST_LAG: Final = timedelta(seconds=2)


class Replica(MemoryDynamo):
    """The client, and what each item was before its last writes; `lag` says how late a read is."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.lag: Callable[[], timedelta] = timedelta
        self._clock = clock
        self._before: defaultdict[Key, list[tuple[datetime, Item | None]]] = defaultdict(list)

    def note(self, records: Sequence[Record]) -> None:
        """Keep what was there before a write."""
        now = self._clock.now()
        for record in records:
            recent = [each for each in self._before[record.key] if each[0] > now - LONGEST_LAG]
            self._before[record.key] = [*recent, (now, record.before)]

    def get_item(self, **request: Any) -> dict[str, Any]:
        key = key_of(request["Key"])
        if request.get("ConsistentRead") or not self.is_recent(key):
            return super().get_item(**request)
        item = self._as_of(self._clock.now() - self.lag(), key)
        return {} if item is None else {"Item": dict(item)}

    def _range(self, request: Mapping[str, Any]) -> list[Item]:
        """Return the items of a partition, or those of the index, which nothing makes consistent."""
        items = super()._range(request)
        self._forget()
        if "IndexName" not in request or not self._before:
            return items
        moment = self._clock.now() - self.lag()
        before = (self._as_of(moment, key) for key in self._before)
        indexed = [item for item in before if item is not None and all(name in item for name in INDEXED)]
        known = [{name: item[name] for name in PROJECTED} for item in indexed]
        return sorted([*known, *(item for item in items if key_of(item) not in self._before)], key=index_place)

    def is_recent(self, key: Key) -> bool:
        """Return whether an item was written so soon before that a read may not know of it."""
        written = self._before.get(key, [])
        return bool(written) and written[-1][0] > self._clock.now() - LONGEST_LAG

    def gone_lately(self) -> int:
        """Return how many items are gone of which the index may not know it yet."""
        return sum(self.is_recent(key) and self.items.get(key) is None for key in self._before)

    def _forget(self) -> None:
        """Keep no more than may be read late: many queries look at all of it."""
        for key in [key for key in self._before if not self.is_recent(key)]:
            del self._before[key]

    def _as_of(self, moment: datetime, key: Key) -> Item | None:
        after = [item for at, item in self._before[key] if at > moment]
        return after[0] if after else self.items.get(key)
