"""Reads and checks the params and results that clients send in this revision; unknown fields are ignored."""

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
    """The params of `initialize`."""

    protocol_version: str
    capabilities: Params

    @classmethod
    def of(cls, params: Params) -> Self:
        """Read the params; raises `RpcError`."""
        return cls(required(params, "protocolVersion", text), required(params, "capabilities", _capabilities))


class TaskParams(NamedTuple):
    """The field `task` of a task-augmented `tools/call`; `ttl` is in milliseconds."""

    ttl: float | None

    @classmethod
    def of(cls, params: Params) -> Self | None:
        """Read the params of a call; returns None if it is not task-augmented.  Raises `RpcError`."""
        task = optional(params, "task", mapping)
        return None if task is None else cls(optional(task, "ttl", duration, within="task."))


class ClientTask(NamedTuple):
    """A task that a client runs for this server; `poll_interval` is in milliseconds."""

    id: str
    is_final: bool
    poll_interval: float | None

    @classmethod
    def of(cls, result: Params) -> Self:
        """Read the task of a result that is one, or that has one in its field `task`; raises `RpcError`."""
        created = optional(result, "task", mapping)
        fields, within = (result, "") if created is None else (created, "task.")
        status = required(fields, "status", one_of(LIVE + FINAL), within=within)
        return cls(
            id=required(fields, "taskId", name, within=within),
            is_final=status in FINAL,
            poll_interval=optional(fields, "pollInterval", duration, within=within),
        )


def task_id(params: Params) -> str:
    """Read the id of the task that a request is about; raises `RpcError`."""
    return required(params, "taskId", name)


def level(params: Params) -> str:
    """Read the level of `logging/setLevel`; raises `RpcError`."""
    return required(params, "level", one_of(LEVELS))


def cancelled(params: Params) -> RequestId | None:
    """Read the id of the request that `notifications/cancelled` cancels; raises `RpcError`."""
    return optional(params, "requestId", request_id)


def _capabilities(value: JSON) -> Params:
    if len(json.dumps(mapping(value))) > MAX_CAPABILITIES_CHARACTERS:
        raise ValueError(f"at most {MAX_CAPABILITIES_CHARACTERS} characters of JSON")
    return mapping(value)
