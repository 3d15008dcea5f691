"""Tools: listed, and called at once, as tasks, or waited for."""

from datetime import timedelta
from typing import Final

from mcp_tasks.features.tools import Tool
from mcp_tasks.handover import outcome_of
from mcp_tasks.runner import run_inline
from mcp_tasks.tasks.model import Task
from mcp_tasks.wire import calling, paging
from mcp_tasks.wire.calling import CallTool
from mcp_tasks.wire.rev_2026_07_28 import render, rounds
from mcp_tasks.wire.rev_2026_07_28.call import TASKS, Answer, Call
from mcp_tasks.wire.rev_2026_07_28.errors import missing_capability
from mcp_tasks.wire.rev_2026_07_28.headers import argument_mismatch

FRESH: Final = timedelta(minutes=5)
"""How long a client may go without asking for a list again: it changes with a deployment only."""


def tools_list(call: Call) -> Answer:
    """List the tools, in the order in which the server lists them."""
    entries = calling.tools_for(call.server, knows_tasks=call.declares_tasks)
    shown, more = paging.page(call.server, call.caller, "tools/list", call.params, entries)
    tools = [render.tool(tool, may_hand_over=not call.declares_tasks) for tool in shown]
    # Private, because it differs by what the client declares.
    return render.cached({"tools": tools, **more}, fresh=FRESH)


def tools_call(call: Call) -> Answer:
    """Run a tool: at once if it is never a task, as one if the client knows them, and else while the client waits."""
    params = CallTool.of(call.params)
    tool = calling.find_tool(call.server, params.name)
    mismatch = argument_mismatch(call.request, tool.work.input_schema, params.arguments)
    if mismatch is not None:
        raise mismatch
    if tool.tasks == "never":
        return rounds.play(call, lambda context: render.outcome(run_inline(tool, params.arguments, context)))
    if call.declares_tasks:
        return render.created(_start(call, tool, params))
    if tool.tasks == "always":
        raise missing_capability(f"{tool.name} always runs as a task.", {"extensions": {TASKS: {}}})
    return _wait(call, tool, params)


def _start(call: Call, tool: Tool, params: CallTool) -> Task:
    with calling.refusals():
        return call.server.tasks.start(
            call.caller,
            tool,
            params.arguments,
            key=params.idempotency_key,
            refusal=calling.misfit(tool, params),
        )


def _wait(call: Call, tool: Tool, params: CallTool) -> Answer:
    server, caller = call.server, call.caller
    started = _start(call, tool, params)
    task = server.tasks.wait(caller, started.id, patience=min(tool.inline_wait, server.hold))
    return render.outcome(outcome_of(server.tasks, caller, task))
