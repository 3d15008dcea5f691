"""Tasks, tools, outcomes and input requests as JSON of this revision.

"For tool calls specifically, this includes cases where the tool call result has `isError` set to true."
    -- 2025-11-25, Tasks, Task Status, `failed`
"""

from collections.abc import Mapping
from datetime import timedelta

from mcp_tasks.engine.current_call import note_refusal
from mcp_tasks.features.tools import Tool
from mcp_tasks.tasks.model import JSON, Failed, InputRequest, Outcome, OutcomeKind, Returned, Task
from mcp_tasks.tasks.transitions import is_final
from mcp_tasks.wire import jsonrpc, notifications
from mcp_tasks.wire.jsonrpc import INVALID_PARAMS, HandlerError, RequestId, RpcError
from mcp_tasks.wire.units import milliseconds, timestamp

RELATED_TASK = "io.modelcontextprotocol/related-task"
MODEL_RESPONSE = "io.modelcontextprotocol/model-immediate-response"
TASK_SUPPORT = {"never": "forbidden", "allowed": "optional", "always": "required"}


def status(of: Task) -> str:
    """Return the task's status."""
    match of.outcome_kind:
        case None:
            return of.status.value
        case OutcomeKind.RETURNED:
            return "completed"
        case _:
            return "failed"


def task(of: Task, poll_interval: timedelta) -> dict[str, JSON]:
    """Return the `Task` object of a task, which the client should poll after that interval."""
    shown: dict[str, JSON] = {
        "taskId": of.id,
        "status": status(of),
        "createdAt": timestamp(of.created_at),
        "lastUpdatedAt": timestamp(of.updated_at),
        "ttl": milliseconds(of.ttl),
        "pollInterval": milliseconds(poll_interval),
    }
    return shown | notifications.status_message(of)


def created(of: Task, tool: Tool, poll_interval: timedelta) -> dict[str, JSON]:
    """Return the `CreateTaskResult` of a new task, with what a host may tell its model until the result comes."""
    return {"task": task(of, poll_interval), "_meta": {MODEL_RESPONSE: tool.immediate_response}}


def tool(of: Tool, *, may_return_handle: bool, knows_tasks: bool) -> dict[str, JSON]:
    """Return the `Tool` object of a tool, without its output schema if a call may be answered with a task handle.

    Versions that know no tasks have no `execution`.
    """
    shown: dict[str, JSON] = {"name": of.name, "description": of.description, "inputSchema": of.work.input_schema}
    if knows_tasks:
        shown["execution"] = {"taskSupport": TASK_SUPPORT[of.tasks]}
    output_schema = None if may_return_handle and of.tasks == "allowed" else of.work.output_schema
    more = {"title": of.title, "outputSchema": output_schema, "annotations": of.annotations}
    return shown | {name: value for name, value in more.items() if value}


def outcome(ended: Outcome) -> dict[str, JSON]:
    """Return the result of a call that ended so; raises `HandlerError` where it ended in a JSON-RPC error."""
    match ended:
        case Returned(result=result, is_error=is_error):
            return {**result, "isError": is_error}
        case Failed(code=code, message=message, data=data):
            raise HandlerError(code, message, data)


def task_outcome(of: Task, ended: Outcome) -> dict[str, JSON]:
    """Return the result of a task's call, with the task as its related task."""
    shown = outcome(ended)
    return {**shown, "_meta": {**shown.get("_meta", {}), RELATED_TASK: {"taskId": of.id}}}


def progress(of: Task, token: RequestId | None) -> dict[str, JSON] | None:
    """Return the progress notification of a task under a token, or None if there is no token or no progress."""
    return None if of.progress is None or token is None else notifications.progress(token, of.progress)


def task_progress(of: Task) -> dict[str, JSON] | None:
    """Return the progress notification of a task under the token of the call that created it, until it is final."""
    shown = None if is_final(of) else progress(of, of.progress_token)
    return shown and {**shown, "params": {**shown["params"], "_meta": {RELATED_TASK: {"taskId": of.id}}}}


def task_status(of: Task, poll_interval: timedelta) -> dict[str, JSON]:
    """Return the notification of a task's new status."""
    return jsonrpc.notification("notifications/tasks/status", task(of, poll_interval))


def input_request(
    request_id: str, of: InputRequest, task: Task, *, plain: bool, last_error: str | None = None
) -> dict[str, JSON]:
    """Return an input request as a JSON-RPC request, with its related task unless it is of a `plain` call.

    A request that is sent again tells the user what was wrong with the last response.
    """
    params = dict(of.params)
    if last_error is not None and "message" in params:
        params["message"] += f"\n\nThe last answer did not fit: {last_error}."
    if params.get("mode") == "url":
        # Where the tool gave no id: the request's own is as unguessable, and never used again.
        params.setdefault("elicitationId", request_id)
    if not plain:
        params["_meta"] = {RELATED_TASK: {"taskId": task.id}}
    return {"jsonrpc": "2.0", "id": request_id, "method": of.method, "params": params}


def task_augmented(request: Mapping[str, JSON], ttl: timedelta) -> dict[str, JSON]:
    """Return a request as a task-augmented one, which asks the client for a task with this ttl."""
    return {**request, "params": {**request["params"], "task": {"ttl": milliseconds(max(ttl, timedelta()))}}}


def about_client_task(request_id: str, method: str, task_id: str) -> dict[str, JSON]:
    """Return a request of a `tasks/` method about a task that the client runs."""
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": {"taskId": task_id}}


def unknown_task(task_id: str) -> RpcError:
    """Return the error for a task id that is unknown, expired or another caller's: the same text for all three."""
    note_refusal("unknown_task")
    return RpcError(INVALID_PARAMS, f"There is no task {task_id!r}: it never existed, or it has expired.")
