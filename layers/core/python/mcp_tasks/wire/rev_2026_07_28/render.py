"""Results, tools and outcomes in this revision's words; tasks are shown by `wire/extension.py`."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from mcp_tasks.features.tools import Tool
from mcp_tasks.tasks.model import JSON, Failed, InputRequest, Outcome, Returned
from mcp_tasks.wire import extension
from mcp_tasks.wire.jsonrpc import INVALID_PARAMS, HandlerError, RpcError
from mcp_tasks.wire.units import milliseconds


def complete(result: Mapping[str, JSON]) -> dict[str, JSON]:
    """Return a result that is all there is to come."""
    return {"resultType": "complete", **result}


def cached(result: Mapping[str, JSON], *, fresh: timedelta, public: bool = False) -> dict[str, JSON]:
    """Return a result that a client may keep for a while: for everybody, or for its own user."""
    scope = "public" if public else "private"
    return complete({**result, "ttlMs": milliseconds(fresh), "cacheScope": scope})


def input_required(input_requests: Sequence[InputRequest], state: str) -> dict[str, JSON]:
    """Return a result that asks the client to answer, and to call again."""
    return {
        "resultType": "input_required",
        "inputRequests": extension.input_requests(input_requests),
        "requestState": state,
    }


def tool(of: Tool, *, may_return_handle: bool) -> dict[str, JSON]:
    """Show a tool; a call that may be answered with its task's id instead does not promise its output's shape."""
    shown: dict[str, JSON] = {"name": of.name, "description": of.description, "inputSchema": of.work.input_schema}
    output_schema = None if may_return_handle and of.tasks == "allowed" else of.work.output_schema
    more = {"title": of.title, "outputSchema": output_schema, "annotations": of.annotations}
    return shown | {name: value for name, value in more.items() if value}


def outcome(ended: Outcome) -> dict[str, JSON]:
    """Show how a call ended; raises `HandlerError` where it ended in an error."""
    match ended:
        case Returned(result=result, is_error=is_error):
            return complete({**result, "isError": is_error})
        case Failed(code=code, message=message, data=data):
            raise HandlerError(code, message, data)


def unknown_task(task_id: str) -> RpcError:
    """Refuse a task id: unknown, expired, and somebody else's in the same words."""
    return RpcError(INVALID_PARAMS, f"There is no task {task_id!r}: it never was, or its ttl has passed.")
