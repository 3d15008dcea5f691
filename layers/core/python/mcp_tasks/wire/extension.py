"""The extension `io.modelcontextprotocol/tasks`, for both revisions: its declaration, and its rendering of tasks.

"`failed` ... MUST NOT be used for anything but a JSON-RPC error": a tool that returned `isError` has completed.
    -- ext-tasks 2026-07-28, Task Status
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from mcp_tasks.authoring.errors import URL_REQUIRED
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.fallbacks import report_unreadable
from mcp_tasks.features.results import failure
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import NewerSchema, UnreadableItem
from mcp_tasks.tasks.model import JSON, Failed, InputRequest, Outcome, OutcomeKind, Returned, State, Task
from mcp_tasks.wire import notifications
from mcp_tasks.wire.capabilities import capability_needed
from mcp_tasks.wire.jsonrpc import INTERNAL_ERROR
from mcp_tasks.wire.units import milliseconds, timestamp

TASKS: Final = "io.modelcontextprotocol/tasks"

URL_ELICITATION_REQUIRED: Final = -31051
"""A code of this server: the user has to visit a URL first, and a response to this request cannot elicit that."""


def is_declared(capabilities: JSON) -> bool:
    """Return whether the capabilities declare the extension; 2025-11-25's `capabilities.tasks` does not count."""
    extensions = capabilities.get("extensions") if isinstance(capabilities, dict) else None
    return isinstance(extensions, dict) and isinstance(extensions.get(TASKS), dict)


def created(of: Task, poll_interval: timedelta) -> dict[str, JSON]:
    """Return a `CreateTaskResult`: the task in place of the result of the call."""
    return {"resultType": "task", **_task(of, poll_interval)}


def detailed(tasks: TaskService, caller: Caller, of: Task, client_capabilities: frozenset[str]) -> dict[str, JSON]:
    """Return a `DetailedTask`: the task with its open input requests, its result or its error, whichever it has.

    Raises `TaskNotFound`.
    """
    shown = _task(of, tasks.poll_interval(caller, of))
    if of.state is State.INPUT_REQUIRED:
        # Only those that this client can answer: another client of the same caller may support more.
        shown["inputRequests"] = input_requests(
            [each for each in of.input_requests if capability_needed(each) in client_capabilities]
        )
    match _outcome(tasks, caller, of) if of.state is State.FINISHED else None:
        case Returned(result=result, is_error=is_error):
            shown["result"] = {"resultType": "complete", **result, "isError": is_error}
        case Failed(code=code, message=message, data=data):
            # -32042 is an error of 2025-11-25 alone, and says to repeat the request, which a task cannot be.
            code = URL_ELICITATION_REQUIRED if code == URL_REQUIRED else code
            shown["error"] = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return shown


def _outcome(tasks: TaskService, caller: Caller, of: Task) -> Outcome:
    """Return the outcome of a finished task or, where that is damaged or gone, an error that leaves the status.

    Lists read no outcomes and go on to show that status, and a final one never changes.
    """
    try:
        return tasks.outcome(caller, of.id)
    except NewerSchema:
        # The client asks again, and an instance of the newer release answers.
        raise
    except UnreadableItem as lost:
        report_unreadable("its result is shown as an error", lost, task=of.id, owner_key=caller.owner_key)
        has_failed = of.outcome_kind is OutcomeKind.FAILED
        return Failed(code=INTERNAL_ERROR, message=lost.for_client) if has_failed else failure(lost.for_client)


def input_requests(input_requests: Sequence[InputRequest]) -> dict[str, JSON]:
    """Return `inputRequests`: method and params of each, by key."""
    return {each.key: {"method": each.method, "params": _params(each)} for each in input_requests}


def _params(input_request: InputRequest) -> dict[str, JSON]:
    # 2026-07-28 has no `elicitationId`: the key identifies the request.
    return {name: value for name, value in input_request.params.items() if name != "elicitationId"}


def _status(of: Task) -> str:
    match of.outcome_kind:
        case None:
            return of.status.value
        case OutcomeKind.FAILED:
            return "failed"
        case _:
            return "completed"


def _task(of: Task, poll_interval: timedelta) -> dict[str, JSON]:
    shown: dict[str, JSON] = {
        "taskId": of.id,
        "status": _status(of),
        "createdAt": timestamp(of.created_at),
        "lastUpdatedAt": timestamp(of.updated_at),
        "ttlMs": milliseconds(of.ttl),
        "pollIntervalMs": milliseconds(poll_interval),
    }
    return shown | notifications.status_message(of)
