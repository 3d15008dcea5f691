"""The chain of a process's audit records: each has its number, and a hash of itself and of the one before; no I/O.

So a record that is altered, or gone from between two others, is found by whoever knows the hash of a later one.
"""

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from threading import Lock
from typing import Any, Final

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

BEGINNING: Final = ""
"""In place of the hash of the record before the first."""


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


def audit_record(line: str) -> dict[str, Any] | None:
    """Return the audit record in a line of a log, None where it is another line."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    linked = all(isinstance(found.get(name), kind) for name, kind in (("chain", str), ("n", int), ("hash", str)))
    return proven(found) if linked else None


class Chain:
    """Links the records of a process, in whatever threads; a chain begins with its first record, and ends in time.

    Nothing is drawn before: processes that are restored from one snapshot are no one's twins.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._name, self._number, self._head = "", 0, BEGINNING
        self._until = datetime.min.replace(tzinfo=UTC)

    def link(self, fields: Mapping[str, Any], now: datetime) -> dict[str, Any]:
        """Return the record of these fields as the next of the chain."""
        with self._lock:
            if not self._name or not self._until - CHAIN_LASTS <= now < self._until:
                self._begin(now)
            self._number += 1
            record = {**fields, "chain": self._name, "n": self._number}
            self._head = digest(self._head, record)
            return proven({**record, "hash": self._head})

    def _begin(self, now: datetime) -> None:
        self._name, self._number, self._head = os.urandom(8).hex(), 0, BEGINNING
        self._until = now + CHAIN_LASTS
