"""`tools/list` and `tools/call`: a call runs within its request, becomes a task, or waits for one."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial

from mcp_tasks.engine import tool_calls
from mcp_tasks.engine.call_decisions import (
    Completed,
    Decision,
    Result,
    RunInline,
    StartAndWait,
    Started,
    StartTask,
    TaskGone,
    TaskOptions,
    ToolCall,
    Waited,
)
from mcp_tasks.engine.inline_journal import InlineJournal
from mcp_tasks.features.tools import Tool
from mcp_tasks.limits.waits import INLINE_WAIT
from mcp_tasks.tasks.errors import TaskNotFound
from mcp_tasks.tasks.model import JSON
from mcp_tasks.tasks.transitions import is_final
from mcp_tasks.wire import apps, authorization, calling, jsonrpc, notifications, paging
from mcp_tasks.wire.calling import CallTool
from mcp_tasks.wire.jsonrpc import METHOD_NOT_FOUND, RpcError
from mcp_tasks.wire.rev_2025_11_25 import cancellation, extension, input_requests, render, response_stream
from mcp_tasks.wire.rev_2025_11_25.call import Answer, Call
from mcp_tasks.wire.rev_2025_11_25.params import TaskParams
from mcp_tasks.wire.rev_2025_11_25.versions import NEWEST
from mcp_tasks.wire.sse import Event


def tools_list(call: Call) -> Answer:
    """List the tools, in the order in which the server lists them."""
    # `capabilities.tasks` says which tasks a client can be asked for, and nothing of those that it may start: the
    # TypeScript client declares none, and learns from the list which calls need the field `task`.
    entries = calling.tools_for(
        call.server,
        call.caller,
        knows_tasks=call.declares_tasks,
        starts_tasks=call.knows_tasks,
        shows_apps=call.shows_apps,
    )
    shown, more = paging.page(call.server, call.caller, "tools/list", call.params, entries)
    may_return_handle = not call.declares_tasks
    tools = [render.tool(tool, may_return_handle=may_return_handle, knows_tasks=call.knows_tasks) for tool in shown]
    return {"tools": list(map(apps.with_view, tools)) if call.shows_apps else tools, **more}


def tools_call(call: Call) -> Answer:
    """Call a tool: as a task if the client asks for one, otherwise within the request or the stream that answers it."""
    params = CallTool.of(call.params)
    tool = calling.find_tool(call.server, call.caller, params.name)
    authorization.check_call(call.server, call.caller, tool)
    decision = _decide(call, tool, params)
    tool_call = ToolCall(
        caller=call.caller,
        tool=tool,
        arguments=params.arguments,
        max_hold=_max_hold(call),
        hold=partial(call.server.admission.hold, call.caller),
        can_answer=partial(input_requests.can_answer, call.session),
    )
    with calling.rejections():
        result = tool_calls.perform(call.server.tasks, tool_call, decision)
    try:
        with calling.answering(params, result):
            answer = _render(call, tool, params, decision, result)
    except TaskNotFound as error:
        # It expired after the wait for it, and before its outcome was read.
        raise render.unknown_task(str(error)) from error
    reported = decision.journal.reported if isinstance(decision, RunInline) else []
    return _preceded(call, notifications.messages(reported, params.progress_token), answer)


def _decide(call: Call, tool: Tool, params: CallTool) -> Decision:
    # A version without tasks has no field `task` either, and unknown fields are ignored.
    task_params = TaskParams.of(call.params) if call.knows_tasks else None
    options = TaskOptions(
        ttl=None if task_params is None or task_params.ttl is None else _duration(task_params.ttl),
        progress_token=params.progress_token,
        # The input requests of a plain call go to its own stream, and to no other of the session.
        session=None if task_params is None else call.session.id,
        key=params.idempotency_key,
        joins=task_params is None,
        client_capabilities=call.client_capabilities,
    )
    if task_params is not None and tool.tasks == "never":
        raise RpcError(METHOD_NOT_FOUND, f"{tool.name} cannot be a task: call it without the field `task`.")
    if task_params is not None:
        return StartTask(options)
    if extension.server_decides(call, tool):
        return extension.decide(call, tool, params)
    if tool.tasks == "always":
        how = "" if call.knows_tasks else f"agree on version {NEWEST} and "
        words = f"the client has to {how}call it with the field `task`. One that knows no tasks cannot call it."
        raise RpcError(METHOD_NOT_FOUND, f"{tool.name} is always a task: {words}")
    if tool.tasks == "allowed" and not tool.starts_inline:
        return StartAndWait(options)
    journal = InlineJournal(
        progress_token=params.progress_token,
        threshold=call.session.log_level,
        client_capabilities=call.client_capabilities,
        publish=partial(call.server.subscriptions.publish, call.caller),
        pause=call.server.tasks.sleep,
        may_become_task=tool.starts_inline,
    )
    # A response cannot hold input requests in this revision: the first input request turns the run into a task.
    return RunInline(journal=journal, then=StartAndWait(options))


def _render(call: Call, tool: Tool, params: CallTool, decision: Decision, result: Result) -> Answer:
    match result:
        case Completed(outcome, progress):
            preceding = notifications.messages(progress, params.progress_token)
            return _preceded(call, preceding, render.outcome(outcome))
        case Started(task) if isinstance(decision, StartTask):
            return render.created(task, tool, call.server.tasks.poll_interval(call.caller, task))
        case Started(task):
            return extension.task_handle(call, params, task)
        case Waited():
            return _waited(call, tool, params, result)
        case TaskGone(task_id):
            raise render.unknown_task(task_id)
        case _:
            raise TypeError(f"no response of this revision can say {result}")


def _waited(call: Call, tool: Tool, params: CallTool, waited: Waited) -> Answer:
    """Return the outcome of a plain call's task, its handle, or a stream that goes on waiting, if it can be resumed.

    Cancelling the request cancels the task, unless another call may join it.
    """
    server, caller, task = call.server, call.caller, waited.task
    preceding = notifications.messages(waited.progress, params.progress_token)
    joinable = tool.join_within is not None and caller.identified
    ends_with_call = waited.is_own and params.idempotency_key is None and not joinable
    # A client that declares tasks and asks for none has chosen to wait; the host of any other may time out soon.
    max_wait = None if call.declares_tasks else waited.timeout
    # A stream would have no time left to wait, unless it has an input request to carry.
    expired = (
        max_wait is not None
        and max_wait <= _max_hold(call)
        and not input_requests.will_request_input(call.session, task)
    )
    if is_final(task) or expired or not call.knows_tasks:
        task = cancellation.unless_cancelled(call, task) if ends_with_call else task
        return _preceded(call, preceding, response_stream.plain_answer(server, caller, call.session, task))
    events = response_stream.begin(
        call, task, preceding, plain=True, token=params.progress_token, began_at=waited.began, max_wait=max_wait
    )
    if ends_with_call and not server.sessions.attach_task(caller, call.session, call.id, task.id):
        cancellation.cancel_task(server, caller, task.id)
    return events


def _max_hold(call: Call) -> timedelta:
    """Return how long the POST of a plain call is held: briefly, where a stream can be resumed after it."""
    return min(call.server.max_hold, INLINE_WAIT) if call.knows_tasks else call.server.max_hold


def _preceded(call: Call, messages: Sequence[Mapping[str, JSON]], answer: Answer) -> Answer:
    """Return the answer, as a stream if there are notifications to send before it."""
    if not messages:
        return answer
    events = answer if isinstance(answer, list) else [Event(message=jsonrpc.result(call.id, answer))]
    return [*(Event(message=message) for message in messages), *events]


def _duration(milliseconds: float) -> timedelta:
    # A ttl that no timedelta can hold becomes the longest one, which the service then bounds.
    try:
        return timedelta(milliseconds=milliseconds)
    except OverflowError:
        return timedelta.max
