"""Messages of runs, each with every field replaced by what names the tasks of others, or is hostile in itself."""

from collections.abc import Iterator, Mapping, Sequence

from mcp_tasks.tasks.model import JSON
from tests.isolation.holder import LARGE

ROOTS = {"key": "roots", "method": "roots/list", "params": {}, "timeout": 60}
MESSAGES: Mapping[str, Mapping[str, JSON]] = {
    "load": {"run": "a run"},
    "renew": {},
    "check": {},
    "progressed": {"progress": {"progress": 1, "total": 2, "message": "half"}},
    "status_reported": {"status_message": "fine"},
    "recall": {"step": "s"},
    "record": {"step": "s", "value": 1},
    "count_steps": {},
    "response": {"key": "roots"},
    "tenant_credentials": {},
    "expected": {"at": "2026-01-01T13:00:00+00:00"},
    "published": {"uri": "report://1"},
    "request_input": {"input_requests": [ROOTS]},
    "sleep": {"wakes_at": "2026-01-01T12:30:00+00:00"},
    "finish": {"outcome": {"returned": {"result": {"text": "done"}}}},
}
HOSTILE: Sequence[JSON] = (
    *("", "#", "##", "!", "../..", "/", "%2F..%2F", "acme#eve#task#", "key#2026-01", "quota#0", "*", "\0", "\n"),
    *("x" * 3_000, "é" * 700, "日本語", "\ud800", "𐏿" * 300, "a#b/c:d|e", "${jndi:x}"),
    LARGE,
    *(None, True, 0, -1, 1e308, 10**30, [], {}, [[]], {"S": "x"}),
)
NAMES = ("owner_key", "scope", "tenant", "task", "task_id", "run", "Key", "PK", "SK", "TableName", "object", "session")
"""Fields that no message has, by which a careless host might find what it looks for."""


def variants(does: str, identifiers: Sequence[JSON]) -> Iterator[Mapping[str, JSON]]:
    """Yield the message as it is, with fields that name others, and with each of its own replaced by all there is."""
    usual = MESSAGES[does]
    yield {"does": does, **usual}
    for value in identifiers:
        yield {"does": does, **dict.fromkeys(NAMES, value), **usual}
    for place in _places(usual):
        for value in (*identifiers, *HOSTILE):
            yield {"does": does, **_replaced(usual, place, value)}


def _places(value: JSON, *before: str | int) -> Iterator[tuple[str | int, ...]]:
    """Yield the way to every part of a message."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in parts:
        yield (*before, name)
        yield from _places(part, *before, name)


def _replaced(value: JSON, place: Sequence[str | int], by: JSON) -> JSON:
    if not place:
        return by
    copy: JSON = value.copy()
    copy[place[0]] = _replaced(value[place[0]], place[1:], by)
    return copy
