"""Renders results, tools and outcomes as this revision's schema has them; `wire/extension.py` renders tasks."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from mcp_tasks.engine.current_call import note_refusal
from mcp_tasks.features.tools import Tool
from mcp_tasks.tasks.model import JSON, Failed, InputRequest, Outcome, Returned
from mcp_tasks.wire import extension
from mcp_tasks.wire.jsonrpc import INVALID_PARAMS, HandlerError, RpcError
from mcp_tasks.wire.units import milliseconds


def complete(result: Mapping[str, JSON]) -> dict[str, JSON]:
    """Return a result of type `complete`."""
    return {"resultType": "complete", **result}


def cached(result: Mapping[str, JSON], *, fresh: timedelta, public: bool = False) -> dict[str, JSON]:
    """Return a result that clients may cache for `fresh`, privately or for all users."""
    scope = "public" if public else "private"
    return complete({**result, "ttlMs": milliseconds(fresh), "cacheScope": scope})


def input_required(input_requests: Sequence[InputRequest], state: str) -> dict[str, JSON]:
    """Return a result of type `input_required`: the client responds by calling again."""
    return {
        "resultType": "input_required",
        "inputRequests": extension.input_requests(input_requests),
        "requestState": state,
    }


def tool(of: Tool, *, may_return_handle: bool) -> dict[str, JSON]:
    """Return a `Tool` of the schema, without `outputSchema` where a call may return a task handle instead."""
    shown: dict[str, JSON] = {"name": of.name, "description": of.description, "inputSchema": of.work.input_schema}
    output_schema = None if may_return_handle and of.tasks == "allowed" else of.work.output_schema
    more = {"title": of.title, "outputSchema": output_schema, "annotations": of.annotations}
    return shown | {name: value for name, value in more.items() if value}


def outcome(ended: Outcome) -> dict[str, JSON]:
    """Return the result of a call; raises `HandlerError` if it ended in a JSON-RPC error."""
    match ended:
        case Returned(result=result, is_error=is_error):
            return complete({**result, "isError": is_error})
        case Failed(code=code, message=message, data=data):
            raise HandlerError(code, message, data)


def unknown_task(task_id: str) -> RpcError:
    """Return the error for a task that is unknown, expired or another caller's, which must not be told apart."""
    note_refusal("unknown_task")
    return RpcError(INVALID_PARAMS, f"There is no task {task_id!r}: it never existed, or it has expired.")
