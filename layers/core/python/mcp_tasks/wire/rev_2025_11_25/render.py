"""Tasks, tools and outcomes in this revision's words.

"For tool calls specifically, this includes cases where the tool call result has `isError` set to true."
    -- 2025-11-25, Tasks, Task Status, `failed`
"""

from collections.abc import Mapping
from datetime import datetime, timedelta

from mcp_tasks.features.tools import Tool
from mcp_tasks.tasks.model import JSON, Failed, InputRequest, Outcome, OutcomeKind, Returned, Task
from mcp_tasks.tasks.poll_interval import current_poll_interval
from mcp_tasks.tasks.transitions import is_final
from mcp_tasks.wire import jsonrpc, notifications
from mcp_tasks.wire.jsonrpc import INVALID_PARAMS, HandlerError, RequestId, RpcError
from mcp_tasks.wire.units import milliseconds, timestamp

RELATED_TASK = "io.modelcontextprotocol/related-task"
MODEL_RESPONSE = "io.modelcontextprotocol/model-immediate-response"
TASK_SUPPORT = {"never": "forbidden", "allowed": "optional", "always": "required"}


def status(of: Task) -> str:
    """Name the task's state."""
    match of.outcome_kind:
        case None:
            return of.state.value
        case OutcomeKind.RETURNED:
            return "completed"
        case _:
            return "failed"


def task(of: Task, now: datetime) -> dict[str, JSON]:
    """Show a task as it is now, flat."""
    shown: dict[str, JSON] = {
        "taskId": of.id,
        "status": status(of),
        "createdAt": timestamp(of.created_at),
        "lastUpdatedAt": timestamp(of.updated_at),
        "ttl": milliseconds(of.ttl),
        "pollInterval": milliseconds(current_poll_interval(of, now)),
    }
    return shown | notifications.status_message(of)


def created(of: Task, tool: Tool, now: datetime) -> dict[str, JSON]:
    """Show a new task in place of its result, with what a host may tell its model until that comes."""
    return {"task": task(of, now), "_meta": {MODEL_RESPONSE: tool.immediate_response}}


def tool(of: Tool, *, may_return_handle: bool) -> dict[str, JSON]:
    """Show a tool; a call that may be answered with its task's id instead does not promise its output's shape."""
    shown: dict[str, JSON] = {
        "name": of.name,
        "description": of.description,
        "inputSchema": of.work.input_schema,
        "execution": {"taskSupport": TASK_SUPPORT[of.tasks]},
    }
    output_schema = None if may_return_handle and of.tasks == "allowed" else of.work.output_schema
    more = {"title": of.title, "outputSchema": output_schema, "annotations": of.annotations}
    return shown | {name: value for name, value in more.items() if value}


def outcome(ended: Outcome) -> dict[str, JSON]:
    """Show how a call ended; raises `HandlerError` where it ended in an error."""
    match ended:
        case Returned(result=result, is_error=is_error):
            return {**result, "isError": is_error}
        case Failed(code=code, message=message, data=data):
            raise HandlerError(code, message, data)


def task_outcome(of: Task, ended: Outcome) -> dict[str, JSON]:
    """Show how the call behind a task ended: the same, with the task named."""
    shown = outcome(ended)
    return {**shown, "_meta": {**shown.get("_meta", {}), RELATED_TASK: {"taskId": of.id}}}


def progress(of: Task, token: RequestId | None) -> dict[str, JSON] | None:
    """Tell how far the work is, under the token of a call, if there is one and something to tell."""
    return None if of.progress is None or token is None else notifications.progress(token, of.progress)


def task_progress(of: Task) -> dict[str, JSON] | None:
    """Tell how far a task is that is not final, under the token of the call that created it."""
    told = None if is_final(of) else progress(of, of.progress_token)
    return told and {**told, "params": {**told["params"], "_meta": {RELATED_TASK: {"taskId": of.id}}}}


def task_status(of: Task, now: datetime) -> dict[str, JSON]:
    """Tell that a task changed."""
    return jsonrpc.notification("notifications/tasks/status", task(of, now))


def input_request(
    request_id: str, of: InputRequest, task: Task, *, plain: bool, last_error: str | None = None
) -> dict[str, JSON]:
    """Show an input request as a request to the client; it is related to no task that the client knows nothing of.

    A person who is asked anew reads what was wrong with the answer before.
    """
    params = dict(of.params)
    if last_error is not None and "message" in params:
        params["message"] += f"\n\nThe last answer did not fit: {last_error}."
    if params.get("mode") == "url":
        # Unless the tool has a name for it: as unguessable as the request, and never used again.
        params.setdefault("elicitationId", request_id)
    if not plain:
        params["_meta"] = {RELATED_TASK: {"taskId": task.id}}
    return {"jsonrpc": "2.0", "id": request_id, "method": of.method, "params": params}


def task_augmented(request: Mapping[str, JSON], ttl: timedelta) -> dict[str, JSON]:
    """Let a request wish for a task that lives so long."""
    return {**request, "params": {**request["params"], "task": {"ttl": milliseconds(max(ttl, timedelta()))}}}


def about_client_task(request_id: str, method: str, task_id: str) -> dict[str, JSON]:
    """Ask about a task of the client's."""
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": {"taskId": task_id}}


def unknown_task(task_id: str) -> RpcError:
    """Refuse a task id: unknown, expired, and somebody else's in the same words."""
    return RpcError(INVALID_PARAMS, f"There is no task {task_id!r}: it never was, or its ttl has passed.")
