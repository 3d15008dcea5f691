"""Tasks for clients that do not know them: a call that takes long returns a task handle, and its task runs on.

A task handle is a result that names the task.  Three built-in tools, `task_result`, `task_cancel` and `task_list`,
stand in for the protocol's methods.
"""

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from mcp_tasks.authoring.errors import ToolError
from mcp_tasks.engine.built_in_tools import CANCELS, READS, BuiltInTool, FollowTask, built_in_tool, schema
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.fallbacks import left_out_tasks, noting_left_out, readable_tasks
from mcp_tasks.features.results import and_left_out, and_more, counted, failure, structured
from mcp_tasks.features.tools import TASK_TOOLS, Tool
from mcp_tasks.limits.tenants import MAX_LISTED_TASKS, MAX_TASKS_PER_LIST
from mcp_tasks.limits.waits import INLINE_WAIT, LONGEST_RESULT_WAIT
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import IllegalTransition
from mcp_tasks.tasks.json_values import whole
from mcp_tasks.tasks.model import JSON, Outcome, OutcomeKind, Returned, State, Task
from mcp_tasks.tasks.transitions import is_final

TASK_RESULT, TASK_CANCEL, TASK_LIST = TASK_TOOLS

TASK_ID: Final[Mapping[str, JSON]] = {"type": "string", "description": "As returned by the call that took too long."}
WAIT_SECONDS: Final[Mapping[str, JSON]] = {
    "type": "number",
    "minimum": 0,
    "maximum": LONGEST_RESULT_WAIT.total_seconds(),
    "default": INLINE_WAIT.total_seconds(),
    "description": "How long to wait. Some hosts give up on a call after 5 seconds: give more only if yours does not.",
}
CURSOR: Final[Mapping[str, JSON]] = {"type": "string", "description": "The next_cursor of the page before."}
LIMIT: Final[Mapping[str, JSON]] = {
    "type": "integer",
    "minimum": 1,
    "maximum": MAX_TASKS_PER_LIST,
    "default": MAX_LISTED_TASKS,
}


def task_handle(task: Task) -> Returned:
    """Return the result that tells a model that the work goes on, and how to get its result.

    Content and structured content say the same, because some hosts show a model only one of them.
    """
    doing = "is waiting for an answer from its user" if task.open_input_requests else "is still working"
    progress = f" ({task.status_message})" if task.status_message else ""
    message = f"{task.tool} {doing}{progress}. This is not a failure: do not call it again."
    next_step = (
        f"Call the tool {TASK_RESULT} with task_id {task.id!r} to wait for the result, as often as it takes, "
        f"or {TASK_CANCEL} to stop the work."
    )
    shown = {"task_id": task.id, "status": _status(task), "message": message, "next_step": next_step}
    return structured(f"{message} {next_step}", shown)


def built_in(tasks: TaskService, caller: Caller) -> tuple[Tool, ...]:
    """Return the built-in tools; without `task_list` for callers that cannot be told apart."""

    def task_result(caller: Caller, arguments: Mapping[str, JSON]) -> FollowTask:
        timeout = timedelta(seconds=arguments.get("wait_seconds", WAIT_SECONDS["default"]))
        return FollowTask(task=tasks.get(caller, arguments["task_id"]), timeout=timeout)

    def task_cancel(caller: Caller, arguments: Mapping[str, JSON]) -> Returned:
        try:
            task = tasks.cancel(caller, arguments["task_id"])
        except IllegalTransition as error:
            raise ToolError("The task has ended already: there is nothing to stop.") from error
        message = "The task is cancelled, and its work is being stopped."
        return structured(message, {"task_id": task.id, "status": _status(task), "message": message})

    def task_list(caller: Caller, arguments: Mapping[str, JSON]) -> Returned:
        limit = int(arguments.get("limit", MAX_LISTED_TASKS))
        with noting_left_out() as left_out:
            page, last = tasks.page(caller, before=arguments.get("cursor"), limit=limit)
            shown = list(readable_tasks(caller.owner_key, page, _shown))
        return _listed(shown, last, left_out_tasks(left_out, last))

    result = BuiltInTool(
        function=task_result,
        input_schema=schema({"task_id": TASK_ID, "wait_seconds": WAIT_SECONDS}, "task_id"),
        fit=lambda given: _names_task(given) and _is_wait(given.get("wait_seconds", 0)),
        wants=f"give task_id, a string, and perhaps wait_seconds, a number from 0 to {WAIT_SECONDS['maximum']:g}",
    )
    cancel = BuiltInTool(
        function=task_cancel,
        input_schema=schema({"task_id": TASK_ID}, "task_id"),
        fit=_names_task,
        wants="give task_id, a string",
    )
    listing = BuiltInTool(
        function=task_list,
        input_schema=schema({"cursor": CURSOR, "limit": LIMIT}),
        fit=_names_page,
        wants=f"give no arguments, or the next_cursor of a page as cursor, and a limit up to {MAX_TASKS_PER_LIST}",
    )
    known = [
        built_in_tool(
            TASK_RESULT,
            "Wait for a task",
            "Wait some seconds for the result of a task that was still working.",
            result,
            READS,
        ),
        built_in_tool(TASK_CANCEL, "Cancel a task", "Stop a task that is still working.", cancel, CANCELS),
        built_in_tool(
            TASK_LIST,
            "List tasks",
            f"List your last {MAX_LISTED_TASKS} tasks, the newest first, with their ids.",
            listing,
            READS,
        ),
    ]
    return tuple(each for each in known if caller.identified or each.name != TASK_LIST)


def outcome_of(tasks: TaskService, caller: Caller, task: Task) -> Outcome:
    """Return how the call that created a task is answered now: with its outcome, or with a handle if it is live."""
    if not is_final(task):
        return task_handle(task)
    if task.state is State.CANCELLED:
        return failure("The task was cancelled: there is no result.")
    return tasks.outcome(caller, task.id)


def _listed(shown: list[dict[str, JSON]], last: str | None, left_out: int) -> Returned:
    # Saves a module, as in `structured`.
    from mcp_tasks.tasks.visible import one_line

    lines = [
        f"- {each['task_id']}: {each['tool']}, {each['status']}, created {each['created_at']}"
        + (f" ({one_line(each['note'])})" if each["note"] else "")
        for each in shown
    ]
    known = f"{TASK_RESULT} takes a task_id and gives its result." if shown else "There are no tasks."
    next_step = and_more(and_left_out(known, left_out), TASK_LIST, last)
    more = {**({} if last is None else {"next_cursor": last}), **counted(left_out)}
    return structured("\n".join([*lines, next_step]), {"tasks": shown, "next_step": next_step, **more})


def _shown(task: Task) -> dict[str, JSON]:
    made = task.progress
    progress = (
        {} if made is None else {"progress": made.progress, **({} if made.total is None else {"total": made.total})}
    )
    return {
        "task_id": task.id,
        "tool": task.tool,
        "status": _status(task),
        "created_at": task.created_at.isoformat(timespec="seconds"),
        "updated_at": task.updated_at.isoformat(timespec="seconds"),
        "note": task.status_message,
        **progress,
    }


def _status(task: Task) -> str:
    """Return the status for a model; a tool that returned `isError` has failed, in every revision."""
    if task.outcome_kind is None:
        return task.status.value
    return "completed" if task.outcome_kind is OutcomeKind.RETURNED else "failed"


def _names_task(given: Mapping[str, JSON]) -> bool:
    return isinstance(given.get("task_id"), str)


def _names_page(given: Mapping[str, JSON]) -> bool:
    limit, cursor = whole(given.get("limit", 1)), given.get("cursor", "0")
    counts = isinstance(limit, int) and not isinstance(limit, bool) and 1 <= limit <= MAX_TASKS_PER_LIST
    return counts and isinstance(cursor, str) and re.fullmatch("[0-9a-v]{1,64}", cursor) is not None


def _is_wait(value: JSON) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and 0 <= value <= LONGEST_RESULT_WAIT.total_seconds()
