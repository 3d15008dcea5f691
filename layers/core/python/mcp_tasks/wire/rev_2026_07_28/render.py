"""Results, tools, tasks and outcomes in this revision's words.

"`failed` ... MUST NOT be used for anything but a JSON-RPC error": a tool that returned `isError` has completed.
    -- ext-tasks 2026-07-28, Task Status
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from mcp_tasks.features.tools import Tool
from mcp_tasks.tasks.model import JSON, Ending, Faulted, Outcome, Question, Returned, State, Task
from mcp_tasks.wire.capabilities import needed_for
from mcp_tasks.wire.jsonrpc import INVALID_PARAMS, Chosen, RpcError


def complete(result: Mapping[str, JSON]) -> dict[str, JSON]:
    """Return a result that is all there is to come."""
    return {"resultType": "complete", **result}


def cached(result: Mapping[str, JSON], *, fresh: timedelta, public: bool = False) -> dict[str, JSON]:
    """Return a result that a client may keep for a while: for everybody, or for its own user."""
    scope = "public" if public else "private"
    return complete({**result, "ttlMs": _milliseconds(fresh), "cacheScope": scope})


def input_required(questions: Sequence[Question], state: str) -> dict[str, JSON]:
    """Return a result that asks the client to answer, and to call again."""
    return {"resultType": "input_required", "inputRequests": input_requests(questions), "requestState": state}


def input_requests(questions: Sequence[Question]) -> dict[str, JSON]:
    """Show questions, by their keys."""
    return {each.key: {"method": each.method, "params": each.params} for each in questions}


def tool(of: Tool, *, may_hand_over: bool) -> dict[str, JSON]:
    """Show a tool; a call that may be answered with its task's id instead does not promise its output's shape."""
    shown: dict[str, JSON] = {"name": of.name, "description": of.description, "inputSchema": of.work.input_schema}
    output_schema = None if may_hand_over and of.tasks == "allowed" else of.work.output_schema
    more = {"title": of.title, "outputSchema": output_schema, "annotations": of.annotations}
    return shown | {name: value for name, value in more.items() if value}


def outcome(ended: Outcome) -> dict[str, JSON]:
    """Show how a call ended; raises `Chosen` where it ended in an error."""
    match ended:
        case Returned(result=result, is_error=is_error):
            return complete({**result, "isError": is_error})
        case Faulted(code=code, message=message, data=data):
            raise Chosen(code, message, data)


def status(of: Task) -> str:
    """Name the task's state."""
    match of.ending:
        case None:
            return of.state.value
        case Ending.FAULTED:
            return "failed"
        case _:
            return "completed"


def is_handle(result: Mapping[str, JSON]) -> bool:
    """Tell whether a result is a task in place of what was called for."""
    return result.get("resultType") == "task"


def created(of: Task) -> dict[str, JSON]:
    """Show a task in place of the result that is to come."""
    return {"resultType": "task", **_task(of)}


def detailed(of: Task, ended: Outcome | None, abilities: frozenset[str]) -> dict[str, JSON]:
    """Show a task with what its status calls for: its questions, its result or its error."""
    shown = _task(of)
    if of.state is State.INPUT_REQUIRED:
        # Only what the client that looks can answer: another client of the same caller may be able to do more.
        shown["inputRequests"] = input_requests([each for each in of.questions if needed_for(each) in abilities])
    match ended:
        case Returned():
            shown["result"] = outcome(ended)
        case Faulted(code=code, message=message, data=data):
            shown["error"] = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return shown


def unknown_task(task_id: str) -> RpcError:
    """Refuse a task id: unknown, expired, and somebody else's in the same words."""
    return RpcError(INVALID_PARAMS, f"There is no task {task_id!r}: it never was, or its ttl has passed.")


def _task(of: Task) -> dict[str, JSON]:
    shown: dict[str, JSON] = {
        "taskId": of.id,
        "status": status(of),
        "createdAt": _timestamp(of.created_at),
        "lastUpdatedAt": _timestamp(of.updated_at),
        "ttlMs": _milliseconds(of.ttl),
        "pollIntervalMs": _milliseconds(of.poll_interval),
    }
    return shown | ({"statusMessage": of.note} if of.note else {})


def _milliseconds(duration: timedelta) -> int:
    return int(duration / timedelta(milliseconds=1))


def _timestamp(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
