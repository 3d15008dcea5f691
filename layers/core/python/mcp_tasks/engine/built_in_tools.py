"""What built-in tools are made of."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, ClassVar, Final, NamedTuple

from mcp_tasks.authoring.context import Context
from mcp_tasks.authoring.errors import BadArguments, ToolError
from mcp_tasks.engine.current_call import note_refusal
from mcp_tasks.features.tools import TASK_TOOLS, Tool
from mcp_tasks.records import record
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import TaskNotFound
from mcp_tasks.tasks.model import JSON, Returned, Task

# Directories of hosts require a title, and annotations that say what a tool changes.
READS: Final = {"readOnlyHint": True, "openWorldHint": False}
# Hosts may call what reads without their user, and a link decides as the user.
LINKS: Final = {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": False}
CANCELS: Final = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True, "openWorldHint": False}


class FollowTask(NamedTuple):
    """The result of `task_result`: that of the call which created the task, waited for up to `timeout`."""

    task: Task
    timeout: timedelta


@record
class BuiltInTool:
    """Implements `Work` for a built-in tool; `wants` says in words which arguments `fit`."""

    function: Callable[[Caller, Mapping[str, JSON]], Returned | FollowTask]
    input_schema: Mapping[str, JSON]
    fit: Callable[[Mapping[str, JSON]], bool]
    wants: str
    output_schema: ClassVar[None] = None

    def check(self, arguments: Mapping[str, JSON]) -> Mapping[str, Any]:
        """Return the arguments that the tool has; raises `BadArguments` if they do not fit, or others are refused."""
        known = {name: value for name, value in arguments.items() if name in self.input_schema["properties"]}
        refused = len(known) < len(arguments) and not self.input_schema.get("additionalProperties", True)
        if refused or not self.fit(known):
            raise BadArguments(self.wants)
        return known

    def call(self, arguments: Mapping[str, JSON], context: Context) -> Returned:
        """Return the result of any tool but `task_result`."""
        returned = self.answer(arguments, context)
        assert isinstance(returned, Returned)
        return returned

    def answer(self, arguments: Mapping[str, JSON], context: Context) -> Returned | FollowTask:
        """Return the tool's result, or the task to wait for; raises `BadArguments` and `ToolError`."""
        try:
            return self.function(context.caller, self.check(arguments))
        except TaskNotFound as error:
            note_refusal("unknown_task")
            known = f"; {TASK_TOOLS[-1]} lists yours" if context.caller.identified else ""
            message = f"There is no task {arguments['task_id']!r}: it never existed, or it has expired{known}."
            raise ToolError(message) from error

    def returned(self, value: Any) -> Returned:
        """Return the value, which is a result already."""
        return value  # type: ignore[no-any-return]  # by the type of the function


def schema(properties: Mapping[str, JSON], *required: str) -> Mapping[str, JSON]:
    """Return the schema of arguments, of which those that are named are required; others are ignored.

    Some hosts add arguments of their own to every call, such as `toolCallId` and `sessionId`.
    """
    return {"type": "object", "properties": properties, **({"required": list(required)} if required else {})}


def closed_schema(properties: Mapping[str, JSON], *required: str) -> Mapping[str, JSON]:
    """Return the schema of arguments that refuses others, for a tool whose effect lasts.

    A misspelt optional argument would be ignored too, and what the user chose would not be done.
    """
    return {**schema(properties, *required), "additionalProperties": False}


def built_in_tool(name: str, title: str, description: str, work: BuiltInTool, annotations: Mapping[str, JSON]) -> Tool:
    """Return the tool of such work."""
    return Tool(name=name, title=title, description=description, tasks="never", work=work, annotations=annotations)
