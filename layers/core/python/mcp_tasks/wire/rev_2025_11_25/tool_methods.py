"""Tools: listed, and called at once, as tasks, or waited for."""

from contextlib import suppress
from datetime import timedelta
from functools import partial

from mcp_tasks.features.tools import Tool, failure
from mcp_tasks.handover import outcome_of
from mcp_tasks.runner import run_inline
from mcp_tasks.tasks.errors import IllegalMove, TaskNotFound
from mcp_tasks.tasks.machine import is_final
from mcp_tasks.tasks.model import Task
from mcp_tasks.toolkit.context import Context
from mcp_tasks.toolkit.errors import ClientCannot
from mcp_tasks.wire import calling, jsonrpc, paging
from mcp_tasks.wire.calling import CallTool
from mcp_tasks.wire.inline import InlineJournal
from mcp_tasks.wire.jsonrpc import METHOD_NOT_FOUND, RpcError
from mcp_tasks.wire.rev_2025_11_25 import render, stream
from mcp_tasks.wire.rev_2025_11_25.call import NEWEST, Answer, Call
from mcp_tasks.wire.rev_2025_11_25.shapes import TaskWish
from mcp_tasks.wire.sse import Event

PROMPTLY = timedelta(seconds=2)
"""How long a call that is no task is held on its POST where the client can resume: most tools are done by then."""


def tools_list(call: Call) -> Answer:
    """List the tools, in the order in which the server lists them."""
    entries = calling.tools_for(call.server, knows_tasks=call.declares_tasks)
    shown, more = paging.page(call.server, call.caller, "tools/list", call.params, entries)
    return {"tools": [render.tool(tool, may_hand_over=not call.declares_tasks) for tool in shown], **more}


def tools_call(call: Call) -> Answer:
    """Run a tool: as a task if the client wants one, else at once or for as long as the client is to wait."""
    params = CallTool.of(call.params)
    tool = calling.find_tool(call.server, params.name)
    # A version without tasks knows no member `task` either, and what is not known is ignored.
    wish = TaskWish.of(call.params) if call.knows_tasks else None
    if wish is not None and tool.tasks == "never":
        raise RpcError(METHOD_NOT_FOUND, f"{tool.name} cannot be a task: call it without the member `task`.")
    if wish is None and tool.tasks == "always":
        how = "call it with the member `task`" if call.knows_tasks else f"agree on version {NEWEST} to call it"
        raise RpcError(METHOD_NOT_FOUND, f"{tool.name} is always a task: {how}.")
    if wish is not None:
        return {"task": render.task(_start(call, tool, params, wish))}
    return _run(call, tool, params) if tool.tasks == "never" else _wait(call, tool, params)


def _start(call: Call, tool: Tool, params: CallTool, wish: TaskWish) -> Task:
    with calling.refusals():
        return call.server.tasks.start(
            call.caller,
            tool,
            params.arguments,
            ttl=None if wish.ttl is None else _duration(wish.ttl),
            progress_token=params.progress_token,
            session=call.session.id,
            key=params.idempotency_key,
            refusal=calling.misfit(tool, params),
        )


def _run(call: Call, tool: Tool, params: CallTool) -> Answer:
    journal = InlineJournal(
        token=params.progress_token,
        threshold=call.session.log_level,
        post=partial(call.server.subscriptions.post, call.caller),
    )
    try:
        outcome = run_inline(tool, params.arguments, Context(caller=call.caller, journal=journal))
    except ClientCannot as error:
        outcome = failure(str(error))
    content = render.outcome(outcome)
    if not journal.told:
        return content
    answer = jsonrpc.result(call.id, content)
    return [Event(message=message) for message in (*journal.told, answer)]


def _wait(call: Call, tool: Tool, params: CallTool) -> Answer:
    """Start the work and wait for it: here at first, then on the stream, if the client can resume one."""
    server, caller = call.server, call.caller
    started = _start(call, tool, params, TaskWish(ttl=None))
    here = min(tool.inline_wait, server.hold, PROMPTLY if call.knows_tasks else server.hold)
    task = server.tasks.wait(caller, started.id, patience=here)
    if is_final(task) or not call.knows_tasks:
        return render.outcome(outcome_of(server.tasks, caller, task))
    # Who knows tasks and wants none has chosen to wait; anybody else may be cut off by their host at any time.
    until = None if call.declares_tasks else started.created_at + tool.inline_wait
    if not server.sessions.begin_call(caller, call.session, call.id, task.id):
        with suppress(TaskNotFound, IllegalMove):
            server.tasks.cancel(caller, task.id)
    return stream.begin(call, task, plain=True, until=until)


def _duration(milliseconds: float) -> timedelta:
    # Whoever asks for more than a timedelta can hold gets the longest there is, which the service then bounds.
    try:
        return timedelta(milliseconds=milliseconds)
    except OverflowError:
        return timedelta.max
