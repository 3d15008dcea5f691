"""The secrets that sign values which clients carry: one a month, shared by all processes through the table."""

import secrets
from datetime import datetime, timedelta
from typing import Final

from mcp_tasks.adapters.dynamodb.items import SYSTEM, Item, expiry_attributes, primary_key
from mcp_tasks.adapters.dynamodb.reading import Fields
from mcp_tasks.adapters.dynamodb.table import ConditionFailed, Table
from mcp_tasks.limits.waits import CLOCK_SKEW, KEY_LIFETIME

BYTES: Final = 32


class DynamoKeys:
    """One `key` item for each month, cached in the process after the first read.

    A key's name comes from a client and may be forged.  So a name that no key can have is never read from the table,
    and the key of a past month that had none is read once: it will never be made.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._known: dict[str, bytes] = {}
        self._absent: set[str] = set()

    def current(self) -> tuple[str, bytes]:
        """Return this month's key; the first process to need it makes it, by a put on condition of no such item."""
        name = _month(self._table.clock.now())
        return name, self._known.get(name) or self._stored(name) or self._make(name)

    def find(self, name: str) -> bytes | None:
        """Return the key of this month or one of the two before, None for any other name."""
        now = self._table.clock.now()
        if name not in _recent(now) or name in self._absent:
            return None
        found = self._known.get(name) or self._stored(name)
        if found is None and name < _month(now):
            self._absent.add(name)
        return found

    def _stored(self, name: str) -> bytes | None:
        item = self._table.get(primary_key(SYSTEM, "key", name))
        return None if item is None else self._keep(name, item)

    def _make(self, name: str) -> bytes:
        item = {
            **primary_key(SYSTEM, "key", name),
            **expiry_attributes(self._table.clock.now() + KEY_LIFETIME),
            "secret": {"B": secrets.token_bytes(BYTES)},
        }
        try:
            self._table.add(item)
        except ConditionFailed as failed:
            item = failed.stored(0)
        return self._keep(name, item)

    def _keep(self, name: str, item: Item) -> bytes:
        secret: bytes = Fields.of(item).required("secret", lambda attribute: attribute["B"])
        self._known[name] = secret
        return secret


def _month(moment: datetime) -> str:
    return f"{moment:%Y-%m}"


def _recent(now: datetime) -> set[str]:
    """Return the months whose keys may still verify: this one, the two before, and the next within the clock skew."""
    last = now.replace(day=1) - timedelta(days=1)
    before_last = last.replace(day=1) - timedelta(days=1)
    return {_month(moment) for moment in (now + CLOCK_SKEW, now, last, before_last)}
