"""How long tasks took, in the task table: a `took` item for each tool of a tenant, in the tenant's own partition.

So no tenant learns from a poll interval how long the tasks of another one take.  A process adds what it has once a
minute, and caches for as long what it read, or that it could not read it: whoever polls, or follows the table's
stream, goes on without.
"""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from botocore.exceptions import BotoCoreError, ClientError

from mcp_tasks.adapters.dynamodb.items import Item, expiry_attributes, primary_key
from mcp_tasks.adapters.dynamodb.reading import Fields, integer_attribute
from mcp_tasks.adapters.dynamodb.table import ConditionFailed, Table
from mcp_tasks.limits.pace import BETWEEN_MEASURES, MAX_MEASURED_TOOLS, MAX_REMEMBERED, MEASURES_KEPT
from mcp_tasks.patience import patient
from mcp_tasks.records import record
from mcp_tasks.tasks.durations import BUCKETS, Durations
from mcp_tasks.tasks.errors import UnreadableItem
from mcp_tasks.tasks.json_values import mapping, number
from mcp_tasks.tasks.model import JSON

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Measured:
    """What this process has to add of one tool."""

    durations: list[timedelta] = field(default_factory=list)
    written_at: datetime | None = None


@record
class DynamoDurations:
    """Writes a minute's durations by one read and one conditional write; one that fails is repeated a minute later."""

    table: Table
    _measured: dict[tuple[str, str], _Measured] = field(default_factory=dict)
    _read: dict[tuple[str, str], tuple[datetime, Durations | None]] = field(default_factory=dict)

    def add(self, tenant: str, tool: str, duration: timedelta) -> None:
        """Keep a duration in this process, and write all that it has of the tool unless it did so within a minute."""
        now = self.table.clock.now()
        if len(self._measured) >= MAX_MEASURED_TOOLS:
            self._measured.clear()
        measured = self._measured.setdefault((tenant, tool), _Measured())
        measured.durations = [*measured.durations, duration][-MAX_REMEMBERED:]
        if measured.written_at is None or now - measured.written_at >= BETWEEN_MEASURES:
            measured.written_at = now
            with _going_on(tenant, tool), suppress(ConditionFailed):
                self._write(tenant, tool, measured.durations)
                measured.durations = []

    def of(self, tenant: str, tool: str) -> Durations | None:
        """Return what is stored, or was a minute ago."""
        now, known = self.table.clock.now(), self._read.get((tenant, tool))
        if known is not None and now - known[0] < BETWEEN_MEASURES:
            return known[1]
        if len(self._read) >= MAX_MEASURED_TOOLS:
            self._read.clear()
        found = None if known is None else known[1]
        with _going_on(tenant, tool):
            found = _durations(self.table.get(_key(tenant, tool)))
        self._read[tenant, tool] = now, found
        return found

    def _write(self, tenant: str, tool: str, durations: list[timedelta]) -> None:
        key = _key(tenant, tool)
        item = self.table.get(key)
        counts = (_durations(item) or Durations()).adding(durations).counts
        until = expiry_attributes(self.table.clock.now() + MEASURES_KEPT)
        seen = 0 if item is None else Fields.of(item).optional("writes", integer_attribute, 0)
        self.table.update(
            Key=key,
            UpdateExpression="SET counts = :counts, writes = :next, expiresAt = :expires, goneAt = :gone",
            ConditionExpression="attribute_not_exists(writes) OR writes = :seen OR goneAt <= :now",
            ExpressionAttributeValues={
                ":counts": {"S": json.dumps({place: count for place, count in enumerate(counts) if count})},
                ":next": {"N": str(seen + 1)},
                ":seen": {"N": str(seen)},
                ":expires": until["expiresAt"],
                ":gone": until["goneAt"],
                ":now": {"N": f"{self.table.clock.now().timestamp():.6f}"},
            },
        )


@contextmanager
def _going_on(tenant: str, tool: str) -> Iterator[None]:
    """Run the block; where the table fails or its item cannot be read, leave it at once and log that."""
    try:
        with patient(None):
            yield
    except (ClientError, BotoCoreError, UnreadableItem):
        about = {"tenant": tenant, "tool": tool, "fallback": "not_measured"}
        logger.warning("how long a tool takes is not known", exc_info=True, extra=about)


def _key(tenant: str, tool: str) -> Item:
    return primary_key(tenant, "took", tool)


def _durations(item: Item | None) -> Durations | None:
    """Return the histogram in an item; one that is damaged is none, and the next write makes it anew."""
    try:
        return (
            None if item is None else Fields.of(item).required("counts", lambda each: _counted(json.loads(each["S"])))
        )
    except UnreadableItem:
        return None


def _counted(counts: JSON) -> Durations:
    # What no float can hold overflows here, and not where it is counted with.
    stored = {int(place): float(number(count)) for place, count in mapping(counts).items()}
    return Durations(tuple(stored.get(place, 0.0) for place in range(BUCKETS)))
