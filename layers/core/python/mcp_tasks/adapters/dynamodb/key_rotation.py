"""Rotates the signing keys: an operator's command, which no function may call."""

import secrets
from datetime import datetime, timedelta
from typing import Final

from mcp_tasks.adapters.dynamodb.items import SYSTEM, epoch, primary_key
from mcp_tasks.adapters.dynamodb.keys import Key, make, month_of, recent_months
from mcp_tasks.adapters.dynamodb.table import ConditionFailed, Table
from mcp_tasks.limits.waits import CLOCK_SKEW
from mcp_tasks.records import record

SOONER: Final = "attribute_exists(PK) AND (attribute_not_exists(acceptedUntil) OR acceptedUntil > :until)"


@record
class Rotation:
    """What a rotation did: the key that signs from now on, and those that are accepted `until` then and no longer."""

    name: str
    retired: tuple[str, ...]
    until: datetime


def rotate(table: Table, *, accepted_for: timedelta, partition: str = SYSTEM) -> Rotation:
    """Make a new key current, and have all others accepted for so long; every process notices within `KEYS_FRESH`.

    May be repeated after a crash at any call, which makes one more key.  Of two rotations at once, the one whose key is
    current retires the key of the other.
    """
    now = table.clock.now()
    # A process whose clock is ahead may use the next month's key already.
    months = sorted({month_of(now), month_of(now + CLOCK_SKEW)})
    name = f"{months[-1]}-{secrets.token_hex(4)}"
    make(table, name, partition)
    for month in months:
        make(table, month, partition)
        _append(table, month, name, partition)
    retired, until = _before(table, name, partition), now + accepted_for
    for other in retired:
        _retire(table, other, until, partition)
    return Rotation(name=name, retired=tuple(retired), until=until)


def _append(table: Table, month: str, name: str, partition: str) -> None:
    table.update(
        Key=primary_key(partition, "key", month),
        UpdateExpression="SET rotated = list_append(if_not_exists(rotated, :none), :name)",
        ConditionExpression="attribute_exists(PK)",
        ExpressionAttributeValues={":none": {"L": []}, ":name": {"L": [{"S": name}]}},
    )


def _before(table: Table, name: str, partition: str) -> list[str]:
    """Return the keys that may still be accepted, but for this one and those that a later rotation made."""
    before, after = set[str](), {name}
    for month in recent_months(table.clock.now()):
        item = table.get(primary_key(partition, "key", month))
        if item is not None:
            rotated = Key.of(item, table.clock.now()).rotated
            at = rotated.index(name) if name in rotated else len(rotated)
            before |= {month, *rotated[:at]}
            after |= set(rotated[at:])
    return sorted(before - after)


def _retire(table: Table, name: str, until: datetime, partition: str) -> None:
    """Have a key accepted until then, unless it is over sooner, or gone."""
    try:
        table.update(
            Key=primary_key(partition, "key", name),
            UpdateExpression="SET acceptedUntil = :until",
            ConditionExpression=SOONER,
            ExpressionAttributeValues={":until": epoch(until)},
        )
    except ConditionFailed:
        return
