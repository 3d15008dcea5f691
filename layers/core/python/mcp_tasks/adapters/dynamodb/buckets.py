"""Token buckets in the task table: one `rate` item for each, which holds the time at which the bucket will be full."""

from datetime import datetime, timedelta

from mcp_tasks.adapters.dynamodb.items import EPOCH, Item, epoch, expiry_attributes, primary_key
from mcp_tasks.adapters.dynamodb.reading import Fields
from mcp_tasks.adapters.dynamodb.table import ConditionFailed, Table
from mcp_tasks.ports.buckets import Rate
from mcp_tasks.records import record


@record
class DynamoBuckets:
    """Takes by one conditional write, or by two from a bucket that is full.

    A write that is repeated because its response was lost takes twice, so that the owner gets so much less, once.
    """

    table: Table

    def take(self, owner: str, bucket: str, count: int, rate: Rate, *, least: int = 1) -> datetime | None:
        """Take from a bucket that holds at least so much; returns when it will, if it does not."""
        while True:
            now = self.table.clock.now()
            key, took = primary_key(owner, "rate", bucket), rate.time_for(count)
            until = expiry_attributes(now + rate.time_for(rate.burst) + took)
            # A bucket that is not full holds enough until then, and owes what it does not hold.
            missing = rate.time_for(rate.burst - least)
            latest = now + missing
            if (full_at := self._add(key, took, now, latest, until)) is None:
                return None
            if full_at > latest:
                return full_at - missing
            if self._begin(key, now + took, now, until):
                return None
            # Another process began at the same moment.

    def left(self, owner: str, bucket: str, rate: Rate) -> float:
        """Return what a bucket holds."""
        now = self.table.clock.now()
        full_at = _full_at(self.table.get(primary_key(owner, "rate", bucket)) or {})
        return rate.burst - (max(full_at, now) - now).total_seconds() * rate.per_second

    def _add(self, key: Item, took: timedelta, now: datetime, latest: datetime, until: Item) -> datetime | None:
        """Move the time of a bucket that is not full; returns when it is full where that could not be done."""
        try:
            self._write(
                key,
                "fullAt = fullAt + :took",
                "fullAt BETWEEN :now AND :latest",
                until,
                {":took": {"N": f"{took.total_seconds():.6f}"}, ":now": epoch(now), ":latest": epoch(latest)},
            )
        except ConditionFailed as failed:
            return _full_at(failed.stored(0))
        return None

    def _begin(self, key: Item, full_at: datetime, now: datetime, until: Item) -> bool:
        try:
            self._write(
                key,
                "fullAt = :full",
                "attribute_not_exists(fullAt) OR fullAt < :now",
                until,
                {":full": epoch(full_at), ":now": epoch(now)},
            )
        except ConditionFailed:
            return False
        return True

    def _write(self, key: Item, assignment: str, condition: str, until: Item, values: Item) -> None:
        self.table.update(
            Key=key,
            UpdateExpression=f"SET {assignment}, expiresAt = :expires, goneAt = :gone",
            ConditionExpression=condition,
            ExpressionAttributeValues={**values, ":expires": until["expiresAt"], ":gone": until["goneAt"]},
        )


def _full_at(item: Item) -> datetime:
    """Return when a bucket is full; one that is not stored is."""
    if not item:
        return EPOCH
    return Fields.of(item).required("fullAt", lambda attribute: EPOCH + timedelta(seconds=float(attribute["N"])))
