"""Calls of tools, as far as both revisions read them alike and refuse them in the same words."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Final, NamedTuple, Self

from mcp_tasks.engine.runner import refusal
from mcp_tasks.engine.task_tools import built_in
from mcp_tasks.features.tools import BUILT_IN, DEFAULT_MACHINE, Tool
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import ArgumentsTooLarge, KeyReused, TooManyTasks
from mcp_tasks.tasks.model import JSON, Outcome, State, Task
from mcp_tasks.wire import waiting
from mcp_tasks.wire.fields import mapping, name, optional, request_id, required
from mcp_tasks.wire.jsonrpc import INVALID_PARAMS, RequestId, RpcError
from mcp_tasks.wire.revision import Server

TOO_MANY_TASKS: Final = -31050
"""Ours, and so "outside the JSON-RPC reserved range (-32768 to -32000)".  -- 2026-07-28, Error Codes"""

IDEMPOTENCY_KEY: Final = "io.github.mcp-task-server/idempotency-key"


class CallTool(NamedTuple):
    """`tools/call`, but for what makes it a task."""

    name: str
    arguments: Mapping[str, JSON]
    progress_token: RequestId | None
    idempotency_key: str | None

    @classmethod
    def of(cls, params: Mapping[str, JSON]) -> Self:
        """Read the params; raises `RpcError`."""
        meta = optional(params, "_meta", mapping) or {}
        return cls(
            name=required(params, "name", name),
            arguments=optional(params, "arguments", mapping) or {},
            progress_token=optional(meta, "progressToken", request_id, within="_meta."),
            idempotency_key=optional(meta, IDEMPOTENCY_KEY, name, within="_meta."),
        )


def tools_for(server: Server, caller: Caller, *, knows_tasks: bool, starts_tasks: bool) -> Mapping[str, Tool]:
    """Return the tools to list to a caller, by name.

    A client that knows no tasks is shown those that stand in for them; one that cannot start any is not shown what is
    always a task, since it could never call that.
    """
    shown = [tool for tool in server.features.tools if starts_tasks or tool.tasks != "always"]
    own = () if knows_tasks else built_in(server.tasks, caller)
    return {tool.name: tool for tool in (*shown, *own)}


def find_tool(server: Server, caller: Caller, wanted: str) -> Tool:
    """Return the tool of that name, whatever the caller's client knows; raises `RpcError`."""
    # The server's own are made anew for each caller, and most calls are of none of them.
    own = built_in(server.tasks, caller) if wanted in BUILT_IN else ()
    tool = server.features.tools.find(wanted) or next((each for each in own if each.name == wanted), None)
    if tool is None:
        raise RpcError(INVALID_PARAMS, f"There is no tool {wanted!r}; tools/list names them all.")
    return tool


def misfit(tool: Tool, params: CallTool) -> Outcome | None:
    """Return what a tool with a machine of its own answers to wrong arguments, since no such machine checks them."""
    return refusal(tool, params.arguments) if tool.machine != DEFAULT_MACHINE else None


def decide(
    server: Server, caller: Caller, tool: Tool, task: Task, outcome: Outcome | None, *, token: RequestId | None
) -> tuple[Task | Outcome, Sequence[Mapping[str, JSON]]]:
    """Return what answers a call that became a task because the server decided so: the task, or its end.

    What allows tasks and ends in a moment is answered with its end, and with the progress that was seen until then.
    What is always a task is shown as it began, which may be its `outcome`.
    """
    if tool.tasks == "always" and outcome is None:
        return task, ()
    quick = tool.tasks == "allowed" and tool.machine == DEFAULT_MACHINE
    moment = min(tool.handle_after, server.hold) if quick else timedelta()
    task, told = waiting.wait(server, caller, task, patience=moment, token=token)
    if tool.tasks == "allowed" and task.state is State.FINISHED:
        return server.tasks.outcome(caller, task.id), told
    return task, ()


@contextmanager
def refusals() -> Iterator[None]:
    """Say as a JSON-RPC error why no task is started."""
    try:
        yield
    except TooManyTasks as error:
        data = {"reason": "too_many_tasks", "limit": error.limit}
        raise RpcError(TOO_MANY_TASKS, f"Wait until a task ends, or cancel one: {error}.", data) from error
    except KeyReused as error:
        raise RpcError(INVALID_PARAMS, "The idempotency key was used before, for a different call.") from error
    except ArgumentsTooLarge as error:
        raise RpcError(INVALID_PARAMS, f"Too large: {error}.") from error
