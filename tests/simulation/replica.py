"""A table whose reads may be late, where they need not be consistent: they return items as they were a moment ago."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from mcp_tasks.ports.clock import Clock
from tests.dynamodb.client import MemoryDynamo
from tests.dynamodb.grammar import Item
from tests.dynamodb.table import Key, Record, key_of

LAG: Final = timedelta(seconds=2)
"""After a write, for which such a read may not know of it."""


class Replica(MemoryDynamo):
    """The client, and the item before the last write of each; `is_late` says whether a read is."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.is_late: Callable[[], bool] = lambda: False
        self._clock = clock
        self._before: dict[Key, tuple[datetime, Item | None]] = {}

    def note(self, records: Sequence[Record]) -> None:
        """Keep what was there before a write."""
        now = self._clock.now()
        self._before |= {record.key: (now, record.before) for record in records}

    def get_item(self, **request: Any) -> dict[str, Any]:
        key = key_of(request["Key"])
        answer = super().get_item(**request)
        if request.get("ConsistentRead") or key not in self._before or not self.is_late():
            return answer
        at, item = self._before[key]
        if self._clock.now() > at + LAG:
            return answer
        return {} if item is None else {"Item": dict(item)}
