"""A table whose reads may be late, where they need not be consistent: they return items as they were a moment ago."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from mcp_tasks.ports.clock import Clock
from tests.dynamodb.client import MemoryDynamo
from tests.dynamodb.grammar import Item
from tests.dynamodb.table import Key, Record, key_of

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
        written = self._before.get(key_of(request["Key"]), [])
        if request.get("ConsistentRead") or not written or written[-1][0] <= self._clock.now() - LONGEST_LAG:
            return super().get_item(**request)
        moment = self._clock.now() - self.lag()
        after = [item for at, item in written if at > moment]
        if not after:
            return super().get_item(**request)
        return {} if after[0] is None else {"Item": dict(after[0])}
