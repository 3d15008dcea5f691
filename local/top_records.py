"""What `make top` takes from log records: what was counted, and what went wrong; never what a client or a tool said.

Only the server's own code writes to the groups that it reads, and of its records only the fields named here are taken.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from local.printable import printable

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
WRONG: Final = ("ERROR", "CRITICAL")
ENDS: Final = {"task.finished": "finished", "task.cancelled": "cancelled", "task.expired": "expired"}
FAILED: Final = "failed"
BY_OUTCOME: Final = {"failed": FAILED, "returned_error": "tool error"}


class Seen(NamedTuple):
    """What a record says: whose it is, as in keys, what is counted by it, and in a line what went wrong, if it did."""

    at: datetime
    tenant: str
    kinds: tuple[str, ...]
    error: str


def seen_in(event: Mapping[str, Any]) -> Iterator[Seen]:
    """Yield what an event of CloudWatch Logs says, if it says anything that is shown."""
    try:
        record = json.loads(event["message"])
    except (ValueError, RecursionError):
        return
    if not isinstance(record, dict):
        return
    kinds, error = tuple(_kinds(record)), _error(record)
    if kinds or error:
        at = EPOCH + timedelta(milliseconds=event["timestamp"])
        yield Seen(at=at, tenant=quote(_text(record, "tenant"), safe="", errors="replace"), kinds=kinds, error=error)


def _kinds(record: Mapping[str, Any]) -> Iterator[str]:
    if record.get("message") == "answered" and "method" in record:
        yield "request"
        if "reason" in record:
            yield "refused"
        if isinstance(status := record.get("status"), int) and status >= 500:
            yield "5xx"
    match record.get("event"):
        case "task.created":
            yield "created"
        case str(event) if event in ENDS:
            yield BY_OUTCOME.get(_text(record, "outcome"), ENDS[event])


def _error(record: Mapping[str, Any]) -> str:
    """Return what went wrong in one line: which tool and task, by names and ids alone."""
    about = " ".join(filter(None, (_text(record, "tool"), _text(record, "task"))))
    if record.get("level") in WRONG:
        # The text of a record is a constant of the server's own code; what it was about is in fields.
        return " ".join(filter(None, (_text(record, "message"), about)))
    if FAILED in _kinds(record):
        return f"a task failed: {about}"
    return ""


def _text(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name)
    return printable(value[:80]) if isinstance(value, str) else ""
