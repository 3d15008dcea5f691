"""The secrets that sign values which clients carry, and audit records, shared by all processes through the table.

Each month has a key, named by the month, such as `2026-01`.  A rotation (`key_rotation.py`) makes another one, such as
`2026-01-5f0c9a2b`, and adds its name to those in the month's item: the last of them signs.  An item says until when its
key is accepted, where that is sooner than the item's own expiry.  The release before knows the months' own keys only.
"""

import re
import secrets
from datetime import datetime, timedelta
from typing import Final, Self

from mcp_tasks.adapters.dynamodb.items import EPOCH, SYSTEM, Item, expires_at, expiry_attributes, primary_key
from mcp_tasks.adapters.dynamodb.reading import Fields
from mcp_tasks.adapters.dynamodb.table import ConditionFailed, Table
from mcp_tasks.limits.waits import CLOCK_SKEW, KEY_LIFETIME, KEYS_FRESH, KEYS_REREAD_AFTER
from mcp_tasks.records import record

AUDIT_KEYS: Final = "!audit-keys!"
"""The partition of the keys that authenticate audit records."""

BYTES: Final = 32
NAME: Final = re.compile(r"(?P<month>\d{4}-\d\d)(-[0-9a-f]{8})?", re.ASCII)


@record
class Key:
    """A key as it was read; `rotated` are those that took the place of a month's own, in the order of their making."""

    secret: bytes
    accepted_until: datetime
    rotated: tuple[str, ...]
    read_at: datetime

    @classmethod
    def of(cls, item: Item, now: datetime) -> Self:
        """Read an item, of a release that knew no rotation too."""
        fields = Fields.of(item)
        return cls(
            secret=fields.required("secret", lambda attribute: attribute["B"]),
            accepted_until=fields.optional("acceptedUntil", _moment, expires_at(item)),
            rotated=fields.optional("rotated", lambda names: tuple(name["S"] for name in names["L"]), ()),
            read_at=now,
        )


class DynamoKeys:
    """One `key` item for each month and each rotation, cached in the process for `KEYS_FRESH`.

    A key's name comes from a client and may be forged.  So a name that no key can have is never read from the table,
    nor is that of a rotated key which is not in its month's item.  The item is read again for such a name, as another
    process may sign with a key that was made a moment ago, but only once in `KEYS_REREAD_AFTER`.  The key of a past
    month that had none is read once: it will never be made.
    """

    def __init__(self, table: Table, partition: str = SYSTEM) -> None:
        self._table, self._partition = table, partition
        self._known: dict[str, Key] = {}
        self._absent: set[str] = set()
        self._reread_at = EPOCH

    def current(self) -> tuple[str, bytes]:
        """Return the key to sign with; the first process to need a month's makes it, on condition of no such item."""
        name = month_of(self._table.clock.now())
        key = self._find(name) or self._made(name)
        if key.rotated:
            name = key.rotated[-1]
            key = self._find(name) or self._made(name)
        return name, key.secret

    def find(self, name: str) -> bytes | None:
        """Return the key of this month or one of the two before, None for any other name and for a key that is over."""
        now, parts = self._table.clock.now(), NAME.fullmatch(name)
        month = parts["month"] if parts else ""
        if month not in recent_months(now) or month in self._absent:
            return None
        key = self._find(month)
        if key is None and month < month_of(now):
            self._absent.add(month)
        if key is not None and name != month:
            key = self._find(name) if self._is_rotated(name, month, key) else None
        return key.secret if key is not None and now < key.accepted_until else None

    def _is_rotated(self, name: str, month: str, known: Key) -> bool:
        if name in known.rotated:
            return True
        now = self._table.clock.now()
        if now - self._reread_at < KEYS_REREAD_AFTER:
            return False
        self._reread_at = now
        read_again = self._read(month)
        return read_again is not None and name in read_again.rotated

    def _find(self, name: str) -> Key | None:
        known = self._known.get(name)
        if known is not None and self._table.clock.now() - known.read_at < KEYS_FRESH:
            return known
        return self._read(name)

    def _read(self, name: str) -> Key | None:
        item = self._table.get(primary_key(self._partition, "key", name))
        return None if item is None else self._keep(name, item)

    def _made(self, name: str) -> Key:
        return self._keep(name, make(self._table, name, self._partition))

    def _keep(self, name: str, item: Item) -> Key:
        self._known[name] = Key.of(item, self._table.clock.now())
        return self._known[name]


def make(table: Table, name: str, partition: str = SYSTEM) -> Item:
    """Return the item of a key, which is made unless there is one."""
    item = {
        **primary_key(partition, "key", name),
        **expiry_attributes(table.clock.now() + KEY_LIFETIME),
        "secret": {"B": secrets.token_bytes(BYTES)},
    }
    try:
        table.add(item)
    except ConditionFailed as failed:
        item = failed.stored(0)
    return item


def month_of(moment: datetime) -> str:
    """Return the name of a month."""
    return f"{moment:%Y-%m}"


def _moment(attribute: Item) -> datetime:
    return EPOCH + timedelta(seconds=float(attribute["N"]))


def recent_months(now: datetime) -> set[str]:
    """Return the months whose keys may still verify: this one, the two before, and the next within the clock skew."""
    last = now.replace(day=1) - timedelta(days=1)
    before_last = last.replace(day=1) - timedelta(days=1)
    return {month_of(moment) for moment in (now + CLOCK_SKEW, now, last, before_last)}
