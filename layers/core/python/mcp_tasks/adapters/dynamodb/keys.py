"""The keys that sign what clients carry for us: one a month for all processes, made by whoever needs it first."""

import secrets
from datetime import datetime, timedelta
from typing import Final

from mcp_tasks.adapters.dynamodb.items import SYSTEM, Item, lifetime, primary_key
from mcp_tasks.adapters.dynamodb.table import ConditionFailed, Table
from mcp_tasks.limits.waits import CLOCK_SKEW, KEY_LIFETIME

BYTES: Final = 32


class DynamoKeys:
    """The keys, kept in the process once they are known; see `Keys`.

    A name comes from a client and may be forged, so a name that no key can have is never looked up, and a key that
    a past month lacks is looked up once: there will never be one.
    """

    def __init__(self, table: Table) -> None:
        """Know no key yet."""
        self._table = table
        self._known: dict[str, bytes] = {}
        self._lacking: set[str] = set()

    def current(self) -> tuple[str, bytes]:
        """Return this month's key; see `Keys`."""
        name = _month(self._table.clock.now())
        return name, self._known.get(name) or self._stored(name) or self._make(name)

    def find(self, name: str) -> bytes | None:
        """Return a key by its name; see `Keys`."""
        now = self._table.clock.now()
        if name not in _recent(now) or name in self._lacking:
            return None
        found = self._known.get(name) or self._stored(name)
        if found is None and name < _month(now):
            self._lacking.add(name)
        return found

    def _stored(self, name: str) -> bytes | None:
        item = self._table.get(primary_key(SYSTEM, "key", name))
        return None if item is None else self._keep(name, item)

    def _make(self, name: str) -> bytes:
        item = {
            **primary_key(SYSTEM, "key", name),
            **lifetime(self._table.clock.now() + KEY_LIFETIME),
            "secret": {"B": secrets.token_bytes(BYTES)},
        }
        try:
            self._table.add(item)
        except ConditionFailed as failed:
            item = failed.stored(0)
        return self._keep(name, item)

    def _keep(self, name: str, item: Item) -> bytes:
        secret: bytes = item["secret"]["B"]
        self._known[name] = secret
        return secret


def _month(moment: datetime) -> str:
    return f"{moment:%Y-%m}"


def _recent(now: datetime) -> set[str]:
    """Return the months whose key may be asked for: this one and the two before it, of which one may be over."""
    last = now.replace(day=1) - timedelta(days=1)
    before_last = last.replace(day=1) - timedelta(days=1)
    return {_month(moment) for moment in (now + CLOCK_SKEW, now, last, before_last)}
