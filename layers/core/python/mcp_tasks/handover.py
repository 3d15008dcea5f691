"""Long work for clients that know no tasks: a call that lasts is answered with the task's id, and two tools take that.

The task is the one that the call created, and its work goes on; nothing is started again.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from mcp_tasks.features.tools import BUILT_IN, Tool, content, failure
from mcp_tasks.service import TaskService
from mcp_tasks.tasks.errors import IllegalMove, TaskNotFound
from mcp_tasks.tasks.machine import is_final
from mcp_tasks.tasks.model import JSON, Outcome, Returned, State, Task
from mcp_tasks.tenancy import Caller
from mcp_tasks.toolkit.context import Context
from mcp_tasks.toolkit.errors import BadArguments, ToolError
from mcp_tasks.toolkit.interruptions import RunEnds

TASK_RESULT, TASK_CANCEL = BUILT_IN

SCHEMA: Final[Mapping[str, JSON]] = {
    "type": "object",
    "properties": {"task_id": {"type": "string", "description": "As the call was answered that took too long."}},
    "required": ["task_id"],
    "additionalProperties": False,
}


def handed_over(task: Task) -> Returned:
    """Say that the work goes on, and how to come back for its result."""
    doing = "waits for an answer of its user" if task.open_questions else "is still working"
    progress = f" ({task.note})" if task.note else ""
    text = (
        f"{task.tool} {doing}{progress}. This is no failure: do not call it again. "
        f"Call the tool {TASK_RESULT} with task_id {task.id!r} to wait for the result, as often as it takes, "
        f"or {TASK_CANCEL} to stop the work."
    )
    return Returned(result=content(text) | {"structuredContent": {"task_id": task.id, "status": "working"}})


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutTask:
    """The work of a tool that is given the id of one of its caller's tasks; see `Work`."""

    function: Callable[[Caller, str], Returned]
    input_schema: ClassVar[Mapping[str, JSON]] = SCHEMA
    output_schema: ClassVar[None] = None

    def check(self, arguments: Mapping[str, JSON]) -> Mapping[str, Any]:
        """Check the arguments."""
        if arguments.keys() != {"task_id"} or not isinstance(arguments["task_id"], str):
            raise BadArguments("give task_id, a string, and nothing else")
        return arguments

    def call(self, arguments: Mapping[str, JSON], context: Context) -> Returned:
        """Call the function."""
        task_id = self.check(arguments)["task_id"]
        try:
            return self.function(context.caller, task_id)
        except TaskNotFound as error:
            raise ToolError(f"There is no task {task_id!r}: it never was, or its time has passed.") from error

    def returned(self, value: Any) -> Returned:
        """Return what is in the protocol's words already."""
        return value  # type: ignore[no-any-return]  # by the type of the function


class Follow(RunEnds):
    """The call is answered as the one behind a task would be: whoever made it waits for that task now."""

    def __init__(self, task: Task) -> None:
        """Take the task."""
        super().__init__(task.id)
        self.task = task


def built_in(tasks: TaskService) -> tuple[Tool, ...]:
    """Return the tools for clients that know no tasks."""

    def task_result(caller: Caller, task_id: str) -> Returned:
        raise Follow(tasks.look(caller, task_id))

    def task_cancel(caller: Caller, task_id: str) -> Returned:
        try:
            tasks.cancel(caller, task_id)
        except IllegalMove as error:
            raise ToolError("The task has ended already: there is nothing to stop.") from error
        return Returned(result=content("The task is cancelled, and its work is being stopped."))

    return (
        _tool(TASK_RESULT, "Wait for the result of a task that was still working, up to 20 seconds.", task_result),
        _tool(TASK_CANCEL, "Stop a task that is still working.", task_cancel),
    )


def outcome_of(tasks: TaskService, caller: Caller, task: Task) -> Outcome:
    """Return what the call behind a task is answered with by now: its outcome, or the task itself."""
    if not is_final(task):
        return handed_over(task)
    if task.state is State.CANCELLED:
        return failure("The task was cancelled: there is no result.")
    return tasks.outcome(caller, task.id)


def _tool(name: str, description: str, function: Callable[[Caller, str], Returned]) -> Tool:
    return Tool(name=name, description=description, tasks="never", work=AboutTask(function=function))
