"""What clients send in this revision, as far as it is looked at; fields that are not named here are ignored."""

import json
from collections.abc import Mapping
from typing import NamedTuple, Self

from mcp_tasks.authoring.text import LEVELS
from mcp_tasks.limits.requests import MAX_CAPABILITIES_CHARACTERS
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire.fields import duration, mapping, name, one_of, optional, request_id, required, text
from mcp_tasks.wire.jsonrpc import RequestId

Params = Mapping[str, JSON]


LIVE = ("working", "input_required")
FINAL = ("completed", "failed", "cancelled")


class Initialize(NamedTuple):
    """`initialize`."""

    protocol_version: str
    capabilities: Params

    @classmethod
    def of(cls, params: Params) -> Self:
        """Read the params; raises `RpcError`."""
        return cls(required(params, "protocolVersion", text), required(params, "capabilities", _capabilities))


class TaskParams(NamedTuple):
    """`params.task` of `tools/call`: make it a task; `ttl` is in milliseconds."""

    ttl: float | None

    @classmethod
    def of(cls, params: Params) -> Self | None:
        """Read the params; returns None if no task is wished for.  Raises `RpcError`."""
        task = optional(params, "task", mapping)
        return None if task is None else cls(optional(task, "ttl", duration, within="task."))


class ClientTask(NamedTuple):
    """A task of the client's; `poll_interval` is in milliseconds."""

    id: str
    is_final: bool
    poll_interval: float | None

    @classmethod
    def of(cls, result: Params) -> Self:
        """Read the task, which is all of a result or one of its fields; raises `RpcError`."""
        shown = optional(result, "task", mapping)
        fields = result if shown is None else shown
        status = required(fields, "status", one_of(LIVE + FINAL))
        return cls(required(fields, "taskId", name), status in FINAL, optional(fields, "pollInterval", duration))


def task_id(params: Params) -> str:
    """Read which task a request is about; raises `RpcError`."""
    return required(params, "taskId", name)


def level(params: Params) -> str:
    """Read the level of `logging/setLevel`; raises `RpcError`."""
    return required(params, "level", one_of(LEVELS))


def cancelled(params: Params) -> RequestId | None:
    """Read which request `notifications/cancelled` is about; raises `RpcError`."""
    return optional(params, "requestId", request_id)


def _capabilities(value: JSON) -> Params:
    if len(json.dumps(mapping(value))) > MAX_CAPABILITIES_CHARACTERS:
        raise ValueError(f"at most {MAX_CAPABILITIES_CHARACTERS} characters of JSON")
    return mapping(value)
