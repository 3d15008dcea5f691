"""Tools: listed, and called at once, as tasks, or waited for."""

from datetime import timedelta
from functools import partial

from mcp_tasks.authoring.context import Context
from mcp_tasks.authoring.control_signals import InputNeeded
from mcp_tasks.authoring.errors import MissingCapability
from mcp_tasks.engine.lifecycle import NOT_BEGUN, Begun
from mcp_tasks.engine.runner import run_inline
from mcp_tasks.engine.task_tools import Follow
from mcp_tasks.features.results import failure
from mcp_tasks.features.tools import INLINE_WAIT, Tool
from mcp_tasks.tasks.model import Task
from mcp_tasks.tasks.transitions import is_final
from mcp_tasks.wire import calling, jsonrpc, paging, waiting
from mcp_tasks.wire.calling import CallTool
from mcp_tasks.wire.inline import InlineJournal
from mcp_tasks.wire.jsonrpc import METHOD_NOT_FOUND, RpcError
from mcp_tasks.wire.preflight import BecomesTask, Preflight
from mcp_tasks.wire.rev_2025_11_25 import cancellation, extension, input_requests, render, stream
from mcp_tasks.wire.rev_2025_11_25.call import NEWEST, Answer, Call
from mcp_tasks.wire.rev_2025_11_25.params import TaskWish
from mcp_tasks.wire.sse import Event

PROMPTLY = INLINE_WAIT
"""How long a call that is no task is held on its POST where the client can resume: most tools are done by then, or
handed over."""


def tools_list(call: Call) -> Answer:
    """List the tools, in the order in which the server lists them."""
    # `capabilities.tasks` says which tasks a client can be asked for, and nothing of those that it may start: the
    # TypeScript client declares none, and learns from the list which calls need the member `task`.
    entries = calling.tools_for(
        call.server, call.caller, knows_tasks=call.declares_tasks, starts_tasks=call.knows_tasks
    )
    shown, more = paging.page(call.server, call.caller, "tools/list", call.params, entries)
    return {"tools": [render.tool(tool, may_hand_over=not call.declares_tasks) for tool in shown], **more}


def tools_call(call: Call) -> Answer:
    """Run a tool: as a task if the client wants one, else at once or for as long as the client is to wait."""
    params = CallTool.of(call.params)
    tool = calling.find_tool(call.server, call.caller, params.name)
    # A version without tasks knows no member `task` either, and what is not known is ignored.
    wish = TaskWish.of(call.params) if call.knows_tasks else None
    if wish is not None and tool.tasks == "never":
        raise RpcError(METHOD_NOT_FOUND, f"{tool.name} cannot be a task: call it without the member `task`.")
    if wish is None and extension.directs(call, tool):
        return extension.call_tool(call, tool, params)
    if wish is None and tool.tasks == "always":
        how = "" if call.knows_tasks else f"agree on version {NEWEST} and "
        words = f"the client has to {how}call it with the member `task`. One that knows no tasks cannot call it."
        raise RpcError(METHOD_NOT_FOUND, f"{tool.name} is always a task: {words}")
    if wish is not None:
        return render.created(_start(call, tool, params, wish), tool, call.server.tasks.now())
    if tool.tasks == "never" or tool.preflight:
        return _run(call, tool, params)
    return _wait(call, tool, params)


def _start(call: Call, tool: Tool, params: CallTool, wish: TaskWish | None, begun: Begun = NOT_BEGUN) -> Task:
    ttl = None if wish is None or wish.ttl is None else _duration(wish.ttl)
    with calling.refusals():
        return call.server.tasks.start(
            call.caller,
            tool,
            params.arguments,
            ttl=ttl,
            progress_token=params.progress_token,
            # What a plain call asks goes to its own stream, and to no other of the session.
            session=None if wish is None else call.session.id,
            key=params.idempotency_key,
            joins=wish is None,
            outcome=calling.misfit(tool, params),
            client_capabilities=call.client_capabilities,
            begun=begun,
        )


def _run(call: Call, tool: Tool, params: CallTool) -> Answer:
    """Run the tool here; if it asks something, keep the call, and go on when the client has answered.

    There are no rounds in this revision, so a preflight ends with the first input request.
    """
    kind = Preflight if tool.preflight else InlineJournal
    journal = kind(
        token=params.progress_token,
        threshold=call.session.log_level,
        client_capabilities=call.client_capabilities,
        post=partial(call.server.subscriptions.post, call.caller),
    )
    told = journal.told
    answer: Answer
    try:
        outcome = run_inline(tool, params.arguments, Context(caller=call.caller, journal=journal))
    except MissingCapability as error:
        answer = render.outcome(failure(str(error)))
    except Follow as follow:
        return _follow(call, params, follow.task, patience=follow.patience)
    except InputNeeded as needed:
        answer = _wait(call, tool, params, journal.begun(needed.input_requests))
    except BecomesTask as becoming:
        answer = _wait(call, tool, params, becoming.begun)
    else:
        answer = render.outcome(outcome)
    return [*(Event(message=message) for message in told), *_events(call, answer)] if told else answer


def _wait(call: Call, tool: Tool, params: CallTool, begun: Begun = NOT_BEGUN) -> Answer:
    """Start the work and wait for it; whoever gives up the call, gives up the work, unless others may join it."""
    started = _start(call, tool, params, None, begun)
    joinable = tool.joinable is not None and call.caller.identified
    ends_with_call = params.idempotency_key is None and not joinable
    answer = _follow(call, params, started, patience=tool.inline_wait, ends_with_call=ends_with_call)
    if not (ends_with_call and stream.goes_on(answer)):
        return answer
    if not call.server.sessions.begin_call(call.caller, call.session, call.id, started.id):
        cancellation.stop(call.server, call.caller, started.id)
    return answer


def _follow(call: Call, params: CallTool, task: Task, *, patience: timedelta, ends_with_call: bool = False) -> Answer:
    """Wait for a task: here at first, then on the stream, if the client can resume one."""
    server, caller, began = call.server, call.caller, call.server.tasks.now()
    here = min(patience, server.hold, PROMPTLY if call.knows_tasks else server.hold)
    answerable = partial(input_requests.can_answer, call.session)
    task, told = waiting.wait(server, caller, task, patience=here, token=params.progress_token, until=answerable)
    # Who knows tasks and wants none has chosen to wait; anybody else may be cut off by their host at any time.
    span = None if call.declares_tasks else patience
    # Nothing is left to wait for on a stream, unless it is to carry an input request.
    over = span is not None and span <= here and not input_requests.will_ask(call.session, task)
    if is_final(task) or over or not call.knows_tasks:
        task = cancellation.unless_given_up(call, task) if ends_with_call else task
        content = stream.plain_answer(server, caller, call.session, task)
        return [*(Event(message=message) for message in told), *_events(call, content)] if told else content
    return stream.begin(call, task, told, plain=True, token=params.progress_token, began=began, span=span)


def _events(call: Call, answer: Answer) -> list[Event]:
    return answer if isinstance(answer, list) else [Event(message=jsonrpc.result(call.id, answer))]


def _duration(milliseconds: float) -> timedelta:
    # Whoever asks for more than a timedelta can hold gets the longest there is, which the service then bounds.
    try:
        return timedelta(milliseconds=milliseconds)
    except OverflowError:
        return timedelta.max
