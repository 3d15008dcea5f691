"""Tools: listed, and called at once or as tasks."""

from datetime import timedelta

from mcp_tasks.runner import refusal, run_inline
from mcp_tasks.tasks.errors import ArgumentsTooLarge, KeyReused, TooManyTasks
from mcp_tasks.tasks.model import Task
from mcp_tasks.tools import DEFAULT_MACHINE, Tool
from mcp_tasks.wire import jsonrpc
from mcp_tasks.wire.jsonrpc import INVALID_PARAMS, METHOD_NOT_FOUND, RpcError
from mcp_tasks.wire.rev_2025_11_25 import paging, render, shapes
from mcp_tasks.wire.rev_2025_11_25.call import NEWEST, Answer, Call
from mcp_tasks.wire.rev_2025_11_25.inline import InlineJournal
from mcp_tasks.wire.rev_2025_11_25.shapes import CallTool, TaskWish
from mcp_tasks.wire.sse import Event

TOO_MANY_TASKS = -32050
"""Ours: JSON-RPC leaves -32000 to -32099 to servers, and MCP has taken none near this one."""


def tools_list(call: Call) -> Answer:
    """List the tools, in the order in which the server lists them."""
    names = [tool.name for tool in call.server.tools]
    after = paging.place(call, "tools/list", shapes.cursor(call.params))
    start = names.index(after) + 1 if after in names else 0
    page = names[start : start + call.server.page_size]
    tools = [render.tool(tool) for tool in call.server.tools if tool.name in page]
    more = page[-1] if start + len(page) < len(names) else None
    return {"tools": tools, **paging.next_cursor(call, "tools/list", more)}


def tools_call(call: Call) -> Answer:
    """Run a tool: as a task if the client wants one, else at once."""
    params = CallTool.of(call.params)
    tool = call.server.tools.find(params.name)
    if tool is None:
        raise RpcError(INVALID_PARAMS, f"There is no tool {params.name!r}; tools/list names them all.")
    # A version without tasks knows no member `task` either, and what is not known is ignored.
    wish = TaskWish.of(call.params) if call.knows_tasks else None
    if wish is not None and tool.tasks == "never":
        raise RpcError(METHOD_NOT_FOUND, f"{tool.name} cannot be a task: call it without the member `task`.")
    if wish is None and tool.tasks == "always":
        how = "call it with the member `task`" if call.knows_tasks else f"agree on version {NEWEST} to call it"
        raise RpcError(METHOD_NOT_FOUND, f"{tool.name} is always a task: {how}.")
    return _run(call, tool, params) if wish is None else {"task": render.task(_start(call, tool, params, wish))}


def _start(call: Call, tool: Tool, params: CallTool, wish: TaskWish) -> Task:
    try:
        return call.server.tasks.start(
            call.caller,
            tool,
            params.arguments,
            ttl=_duration(wish.ttl) if wish.ttl is not None else None,
            progress_token=params.progress_token,
            session=call.session.id,
            refusal=refusal(tool, params.arguments) if tool.machine != DEFAULT_MACHINE else None,
            key=params.idempotency_key,
        )
    except TooManyTasks as error:
        data = {"reason": "too_many_tasks", "limit": error.limit}
        raise RpcError(TOO_MANY_TASKS, f"Wait until a task ends, or cancel one: {error}.", data) from error
    except KeyReused as error:
        raise RpcError(INVALID_PARAMS, "The idempotency key was used before, for a different call.") from error
    except ArgumentsTooLarge as error:
        raise RpcError(INVALID_PARAMS, f"Too large: {error}.") from error


def _run(call: Call, tool: Tool, params: CallTool) -> Answer:
    journal = InlineJournal(token=params.progress_token)
    content = render.outcome(run_inline(tool, params.arguments, call.caller, journal))
    if not journal.told:
        return content
    answer = jsonrpc.result(call.id, content)
    return [Event(message=message) for message in (*journal.told, answer)]


def _duration(milliseconds: float) -> timedelta:
    # Whoever asks for more than a timedelta can hold gets the longest there is, which the service then bounds.
    try:
        return timedelta(milliseconds=milliseconds)
    except OverflowError:
        return timedelta.max
