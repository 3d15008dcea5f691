"""The chain of a process's audit records: each has its number, and a hash of itself and of the one before; no I/O.

So a record that is altered, or gone from between two others, is found by whoever knows the hash of a later one.  All
records of a chain have a MAC by one key, which the chain's name says, or none has: `key.began.random`, or `random`.
"""

import hmac
import json
import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from threading import Lock
from typing import Any, Final, NamedTuple

from mcp_tasks.limits.audit import CHAIN_LASTS

FIELDS: Final = (
    *("event", "at", "tenant", "subject", "client", "tool", "tool_version", "task", "version"),
    *("queued_ms", "running_ms", "suspended_ms", "duration_ms", "again", "outcome"),
    *("requests", "shown", "timed_out", "left", "step"),
    *("method", "revision", "trace", "session", "reason", "outcome_read"),
    *("action", "channel", "is_over", "until", "tenants_after", "plan", "actor", "actors"),
)
"""What an audit record may say, in this order; what else a log record has, the logger says, and nobody proves."""

LINKS: Final = ("chain", "n", "hash")
"""What links it: the chain's name, its number in that, and the hash."""

KEYED: Final = re.compile(r"(?P<key>\d{4}-\d\d(-[0-9a-f]{8})?)\.(?P<began>[0-9a-f]{8})\.[0-9a-f]{16}", re.ASCII)
"""The name of a chain whose records have a MAC."""

BEGINS: Final = "begins_chain"
"""A field of the first record of a chain, by which the log wakes the anchoring; nobody proves it."""

BEGINNING: Final = ""
"""In place of the hash of the record before the first."""


class Key(NamedTuple):
    """A key that authenticates records, by its name."""

    name: str
    secret: bytes


def canonical(document: Any) -> str:
    """Return the one text of a JSON document that is hashed."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"))


def proven(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what of a log record is an audit record: what it says, and what links it."""
    return {name: record[name] for name in (*FIELDS, *LINKS) if record.get(name) is not None}


def digest(before: str, record: Mapping[str, Any]) -> str:
    """Return the hash of a record that comes after the one with the hash `before`."""
    said = {name: value for name, value in proven(record).items() if name != "hash"}
    return sha256(f"{before}\n{canonical(said)}".encode()).hexdigest()


def fits(before: str, record: Mapping[str, Any]) -> bool:
    """Return whether a record is as it was written after the one with the hash `before`."""
    return bool(record["hash"] == digest(before, record))


def mac_of(record: Mapping[str, Any], secret: bytes) -> str:
    """Return the MAC of a record, which covers all that it says, its links, and so those before it."""
    return hmac.new(secret, canonical(proven(record)).encode(), sha256).hexdigest()


def audit_record(line: str) -> dict[str, Any] | None:
    """Return the audit record in a line of a log, without its MAC, None where it is another line."""
    found = record_and_mac(line)
    return None if found is None else found[0]


def record_and_mac(line: str) -> tuple[dict[str, Any], str] | None:
    """Return the audit record in a line of a log and its MAC, which is empty where it has none."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    linked = all(isinstance(found.get(name), kind) for name, kind in (("chain", str), ("n", int), ("hash", str)))
    return (proven(found), str(found.get("mac", ""))) if linked else None


class Chain:
    """Links the records of a process, in whatever threads; a chain begins with its first record, and ends in time.

    Nothing is drawn before: processes that are restored from one snapshot are no one's twins.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._name, self._number, self._head = "", 0, BEGINNING
        self._key: Key | None = None
        self._until = datetime.min.replace(tzinfo=UTC)

    def link(self, fields: Mapping[str, Any], now: datetime, key: Key | None = None) -> dict[str, Any]:
        """Return the record of these fields as the next of the chain, with a MAC by the key if there is one."""
        with self._lock:
            if not self._name or key != self._key or not self._until - CHAIN_LASTS <= now < self._until:
                self._begin(now, key)
            self._number += 1
            record = {**fields, "chain": self._name, "n": self._number}
            self._head = digest(self._head, record)
            linked = proven({**record, "hash": self._head})
            return linked if key is None else {**linked, "mac": mac_of(linked, key.secret)}

    def _begin(self, now: datetime, key: Key | None) -> None:
        keyed = "" if key is None else f"{key.name}.{int(now.timestamp()):08x}."
        self._name, self._number, self._head = keyed + os.urandom(8).hex(), 0, BEGINNING
        self._until, self._key = now + CHAIN_LASTS, key
