"""Tools: listed, and called at once, as tasks, or waited for."""

from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from typing import Final

from mcp_tasks.authoring.context import Context
from mcp_tasks.engine.lifecycle import NOT_BEGUN, Begun
from mcp_tasks.engine.runner import run_inline
from mcp_tasks.engine.task_tools import Follow
from mcp_tasks.features.tools import Tool
from mcp_tasks.tasks.model import JSON, Outcome, Task
from mcp_tasks.wire import calling, extension, paging
from mcp_tasks.wire.calling import CallTool
from mcp_tasks.wire.extension import TASKS
from mcp_tasks.wire.rev_2026_07_28 import mrtr, preflight, render, task_backed
from mcp_tasks.wire.rev_2026_07_28.call import Answer, Call
from mcp_tasks.wire.rev_2026_07_28.errors import missing_capability
from mcp_tasks.wire.rev_2026_07_28.headers import argument_mismatch

FRESH: Final = timedelta(minutes=5)
"""How long a client may go without asking for a list again: it changes with a deployment only."""


def tools_list(call: Call) -> Answer:
    """List the tools, in the order in which the server lists them."""
    entries = calling.tools_for(
        call.server, call.caller, knows_tasks=call.declares_tasks, starts_tasks=call.declares_tasks
    )
    shown, more = paging.page(call.server, call.caller, "tools/list", call.params, entries)
    tools = [render.tool(tool, may_hand_over=not call.declares_tasks) for tool in shown]
    # Private, because it differs by what the client declares.
    return render.cached({"tools": tools, **more}, fresh=FRESH)


def tools_call(call: Call) -> Answer:
    """Run a tool: at once if it is never a task, as one if the client knows them, and else while the client waits."""
    params = CallTool.of(call.params)
    tool = calling.find_tool(call.server, call.caller, params.name)
    mismatch = argument_mismatch(call.request, tool.work.input_schema, params.arguments)
    if mismatch is not None:
        raise mismatch
    if tool.tasks == "always" and not call.declares_tasks:
        words = f"the client has to declare the extension {TASKS}. One that knows no tasks cannot call it."
        raise missing_capability(f"{tool.name} is always a task: {words}", {"extensions": {TASKS: {}}})
    task = task_backed.ongoing(call)
    if task is not None:
        return task_backed.follow(call, task, patience=tool.inline_wait)
    if tool.tasks == "never":
        return mrtr.play(call, partial(_run, call, tool, params))
    if tool.preflight:
        return preflight.play(call, tool, params.arguments, partial(_start, call, tool, params))
    return _start(call, tool, params, NOT_BEGUN, calling.misfit(tool, params))


def _run(call: Call, tool: Tool, params: CallTool, context: Context) -> Mapping[str, JSON]:
    try:
        return render.outcome(run_inline(tool, params.arguments, context))
    except Follow as follow:
        return task_backed.follow(call, follow.task, patience=follow.patience)


def _start(call: Call, tool: Tool, params: CallTool, begun: Begun, outcome: Outcome | None) -> Mapping[str, JSON]:
    with calling.refusals():
        task = call.server.tasks.start(
            call.caller,
            tool,
            params.arguments,
            key=params.idempotency_key or mrtr.name(call),
            joins=not call.declares_tasks,
            outcome=outcome,
            client_capabilities=call.client_capabilities,
            begun=begun,
        )
    if not call.declares_tasks:
        return task_backed.follow(call, task, patience=tool.inline_wait)
    decided, told = calling.decide(call.server, call.caller, tool, task, outcome, token=params.progress_token)
    call.told.extend(told)
    if isinstance(decided, Task):
        return extension.created(decided, call.server.tasks.now())
    return render.outcome(decided)
