"""Messages of runs with every field that they may have, and which other values fit at a place of them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from mcp_tasks.tasks.model import JSON

FORM: Final[JSON] = {
    "type": "object",
    "properties": {
        "sum": {"type": "number", "title": "Sum", "description": "In euros.", "minimum": 1, "maximum": 9, "default": 2},
        "why": {"type": "string", "minLength": 1, "maxLength": 9, "format": "email"},
        "how": {"type": "string", "oneOf": [{"const": "a", "title": "A"}]},
        "who": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"type": "string", "enum": ["a"]}},
        "old": {"type": "string", "enum": ["a"], "enumNames": ["A"]},
    },
    "required": ["sum"],
}
APPROVAL: Final[JSON] = {
    "of": {"kind": "role", "name": "finance", "not_asker": True},
    "quorum": 2,
    "shown": "# Why",
    "remind": 3600,
    "escalate": {"after": 7200, "of": {"kind": "subject", "name": "carol", "not_asker": False}},
}
ASKED: Final[list[JSON]] = [
    {
        "key": "form",
        "method": "elicitation/create",
        "params": {"mode": "form", "message": "Which?", "requestedSchema": FORM},
        "timeout": 60,
        "approval": APPROVAL,
    },
    {
        "key": "url",
        "method": "elicitation/create",
        "params": {"mode": "url", "message": "Go.", "url": "https://a.example/x", "elicitationId": "e1"},
    },
    {
        "key": "sample",
        "method": "sampling/createMessage",
        "params": {
            "messages": [
                {"role": "user", "content": {"type": "text", "text": "Hi"}},
                {"role": "assistant", "content": [{"type": "tool_use", "id": "u", "name": "n", "input": {}}]},
            ],
            "maxTokens": 9,
            "systemPrompt": "Be brief.",
            "temperature": 0.5,
            "stopSequences": ["."],
            "tools": [{"name": "n", "inputSchema": {}}],
            "toolChoice": {"mode": "auto"},
        },
    },
    {"key": "roots", "method": "roots/list", "params": {}},
]
RESULT: Final[JSON] = {
    "content": [{"type": "text", "text": "done"}],
    "structuredContent": {"a": 1},
    "_meta": {"b": 2},
}
COMPLETE: Final[Mapping[str, Mapping[str, JSON]]] = {
    "load": {"run": "a run"},
    "renew": {},
    "check": {},
    "progressed": {"progress": {"progress": 1, "total": 2, "message": "half"}},
    "status_reported": {"status_message": "fine"},
    "expected": {"at": "2026-01-01T13:00:00+00:00"},
    "recall": {"step": "s"},
    "record": {"step": "s", "value": {"a": 1}},
    "count_steps": {},
    "response": {"key": "roots"},
    "tenant_credentials": {},
    "published": {"uri": "report://1"},
    "request_input": {"input_requests": ASKED},
    "sleep": {"wakes_at": "2026-01-01T12:30:00+00:00"},
    "finish": {"outcome": {"returned": {"result": RESULT, "is_error": False}}},
    "finish failed": {"outcome": {"faulted": {"code": -1, "message": "no", "data": {"a": 1}}}},
}
"""Some by the method and a word about it."""

FREE: Final = (
    "value",
    "outcome.faulted.data",
    "outcome.returned.result.structuredContent",
    "outcome.returned.result._meta.b",
    "outcome.returned.result.content.0.text",
    "input_requests.0.params.requestedSchema.properties.sum.default",
    "input_requests.2.params.messages.0.content.text",
    *(f"input_requests.2.params.messages.1.content.0.{name}" for name in ("id", "name", "input")),
    *(f"input_requests.2.params.tools.0.{name}" for name in ("name", "inputSchema")),
    "input_requests.2.params.toolChoice.mode",
)
"""Places that take any JSON, as all within them does."""

NULLABLE: Final = frozenset(
    {
        *("progress.total", "progress.message", "input_requests.0.timeout"),
        *(f"input_requests.0.approval.{name}" for name in ("shown", "remind", "escalate")),
        "input_requests.0.params.requestedSchema.properties.why.format",
    }
)
OPTIONAL: Final = NULLABLE | {
    *("run", "outcome.returned.is_error", "outcome.faulted.data"),
    *(f"outcome.returned.result.{name}" for name in ("content", "_meta", "structuredContent")),
    *(f"input_requests.0.{name}" for name in ("approval", "params.mode", "params.requestedSchema.required")),
    *(
        f"input_requests.0.params.requestedSchema.properties.{name}"
        for name in (
            *("sum.title", "sum.description", "sum.minimum", "sum.maximum", "why.minLength", "why.maxLength", "why"),
            *("how.oneOf", "how", "who", "who.minItems", "who.maxItems", "old", "old.enum", "old.enumNames"),
        )
    ),
    "input_requests.1.params.elicitationId",
    *(
        f"input_requests.2.params.{name}"
        for name in ("systemPrompt", "temperature", "stopSequences", "tools", "toolChoice")
    ),
}
"""Places that may be absent."""

CUT: Final = frozenset({"status_message", "progress.message", "outcome.faulted.message"})
"""Places that take a text of any length."""

KINDS: Final[Mapping[str, JSON]] = {
    "null": None,
    "boolean": True,
    "number": 7,
    "huge number": 10**400,
    "text": "SECRET",
    "long text": "SECRET" * 1_000_000,
    "list": ["SECRET"],
    "object": {"SECRET": 1},
}
"""One of each kind that a value may be replaced by."""


def places(value: JSON, *before: str) -> Iterator[tuple[str, ...]]:
    """Yield the way to every part of a message."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in parts:
        yield (*before, str(name))
        yield from places(part, *before, str(name))


def at(value: JSON, place: Sequence[str]) -> JSON:
    """Return the part at a place."""
    for name in place:
        value = value[int(name) if isinstance(value, list) else name]
    return value


def replaced(value: JSON, place: Sequence[str], by: JSON) -> JSON:
    """Return a message with another part at a place."""
    if not place:
        return by
    name = int(place[0]) if isinstance(value, list) else place[0]
    copy: JSON = value.copy()
    copy[name] = replaced(value[name], place[1:], by)
    return copy


def without(value: JSON, place: Sequence[str]) -> JSON:
    """Return a message without the part at a place."""
    whole = at(value, place[:-1])
    rest = (
        [each for number, each in enumerate(whole) if str(number) != place[-1]]
        if isinstance(whole, list)
        else {name: each for name, each in whole.items() if name != place[-1]}
    )
    return replaced(value, place[:-1], rest)


def is_free(place: str) -> bool:
    """Return whether any JSON fits at a place."""
    return any(place == each or place.startswith(f"{each}.") for each in FREE)
