"""Converts loaded runs to JSON documents, which the host sends, and back; pure, no I/O."""

from datetime import timedelta
from typing import Any, Final

from mcp_tasks.ports.run_host import LoadedRun
from mcp_tasks.run_host.shapes import INTEGER, MOMENT, NUMBER, OBJECT, SPAN, TEXT, TEXTS, Shape, Shapes, read_fields
from mcp_tasks.tasks.documents import document_of_response, response_of
from mcp_tasks.tasks.json_values import mapping
from mcp_tasks.tasks.model import JSON, InputResponse

SECONDS: Final = Shape("seconds", lambda value: timedelta(seconds=NUMBER.read(value)))
RESPONSE: Final[Shape[InputResponse]] = Shape("an input response: result, error and decisions", response_of)
_NAMES: Final = Shape(TEXTS.should_be, lambda value: frozenset(TEXTS.read(value)))
_RUN: Final[Shapes] = {
    "owner_key": TEXT,
    "task": TEXT,
    "tool": TEXT,
    "arguments": OBJECT,
    "scopes": _NAMES,
    "actor": OBJECT.or_null(),
    "client_capabilities": _NAMES,
    "requested": TEXTS,
    "steps": OBJECT,
    "responses": Shape(
        "an object of input responses",
        lambda value: {key: RESPONSE.read(each) for key, each in mapping(value).items()},
    ),
    "ttl": SPAN,
    "expires_at": MOMENT,
    "due_at": MOMENT,
    # The host of another release may say none of these, while a deploy replaces the functions one by one.
    "tool_version": TEXT.or_null(),
    "trace": TEXT.or_null(),
    "attempt": INTEGER.or_null(),
    "left": SECONDS.or_null(),
}


def document_of_run(run: LoadedRun) -> JSON:
    """Return the document of a loaded run."""
    return {
        "owner_key": run.owner_key,
        "task": run.task_id,
        "tool": run.tool,
        "tool_version": run.tool_version,
        "trace": run.trace,
        "arguments": run.arguments,
        "scopes": sorted(run.scopes),
        "actor": run.actor,
        "client_capabilities": sorted(run.client_capabilities),
        "requested": run.requested,
        "steps": run.steps,
        "responses": {key: document_of_response(response) for key, response in run.responses.items()},
        "ttl": run.ttl.total_seconds(),
        "expires_at": run.expires_at.isoformat(),
        "due_at": run.due_at.isoformat(),
        "attempt": run.attempt,
        "left": None if run.left is None else run.left.total_seconds(),
    }


def _run_of(document: JSON) -> LoadedRun:
    read: dict[str, Any] = read_fields(mapping(document), _RUN)
    return LoadedRun(task_id=read.pop("task"), **read)


LOADED_RUN: Final[Shape[LoadedRun]] = Shape("a loaded run", _run_of)
