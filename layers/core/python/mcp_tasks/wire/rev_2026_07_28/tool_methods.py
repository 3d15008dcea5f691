"""`tools/list` and `tools/call`: decides what becomes of a call, and renders what came of it."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TypeAlias

from mcp_tasks.authoring.errors import URL_REQUIRED
from mcp_tasks.engine import tool_calls
from mcp_tasks.engine.call_decisions import (
    Completed,
    Decision,
    Result,
    ResumeWait,
    RunInline,
    StartAndWait,
    Started,
    StartForHandle,
    TaskGone,
    TaskOptions,
    ToolCall,
    Waited,
)
from mcp_tasks.engine.task_tools import outcome_of
from mcp_tasks.engine.tool_run import AwaitsInput, LacksCapability, RejectsInput
from mcp_tasks.features.tools import Tool
from mcp_tasks.limits.waits import LISTS_FRESH
from mcp_tasks.tasks.errors import TaskNotFound
from mcp_tasks.tasks.model import JSON, Failed, InputRequest, InputResponse, Outcome, Task
from mcp_tasks.wire import apps, authorization, calling, extension, input_responses, notifications, paging
from mcp_tasks.wire.calling import CallTool
from mcp_tasks.wire.capabilities import capability_needed
from mcp_tasks.wire.extension import TASKS
from mcp_tasks.wire.rev_2026_07_28 import mrtr, render, url_elicitation
from mcp_tasks.wire.rev_2026_07_28.call import Answer, Call, Streamed
from mcp_tasks.wire.rev_2026_07_28.errors import missing_capability
from mcp_tasks.wire.rev_2026_07_28.headers import argument_mismatch

Notifications: TypeAlias = Sequence[Mapping[str, JSON]]
"""JSON-RPC notifications, in the order in which they are sent."""


def tools_list(call: Call) -> Answer:
    """Return one page of the tools that this client can call."""
    entries = calling.tools_for(
        call.server,
        call.caller,
        knows_tasks=call.declares_tasks,
        starts_tasks=call.declares_tasks,
        shows_apps=call.shows_apps,
    )
    shown, more = paging.page(call.server, call.caller, "tools/list", call.params, entries)
    tools = [render.tool(tool, may_return_handle=not call.declares_tasks) for tool in shown]
    if call.shows_apps:
        tools = list(map(apps.with_view, tools))
    # Private, because it depends on the capabilities of the client.
    return render.cached({"tools": tools, **more}, fresh=LISTS_FRESH)


def tools_call(call: Call) -> Answer:
    """Run a tool: inline if it is never a task, as a task if the client declares them, or while the client waits."""
    params = CallTool.of(call.params)
    tool = calling.find_tool(call.server, call.caller, params.name)
    authorization.check_call(call.server, call.caller, tool, answers=bool(call.params.get("inputResponses")))
    decision = _decide(call, tool, params)
    tool_call = ToolCall(
        caller=call.caller,
        tool=tool,
        arguments=params.arguments,
        max_hold=call.server.max_hold,
        hold=partial(call.server.admission.hold, call.caller),
        can_answer=lambda task: bool(_answerable(call, task)),
    )
    with calling.rejections():
        result = tool_calls.perform(call.server.tasks, tool_call, decision)
    try:
        with calling.answering(params, result):
            return _render(call, params, decision, result)
    except TaskNotFound as error:
        # It expired after the wait for it, and before its outcome was read.
        raise render.unknown_task(str(error)) from error


def _decide(call: Call, tool: Tool, params: CallTool) -> Decision:
    mismatch = argument_mismatch(call.request, tool.work.input_schema, params.arguments)
    if mismatch is not None:
        raise mismatch
    if tool.tasks == "always" and not call.declares_tasks:
        words = f"the client has to declare the extension {TASKS}. One that knows no tasks cannot call it."
        raise missing_capability(f"{tool.name} is always a task: {words}", {"extensions": {TASKS: {}}})
    if call.state is not None and call.state.task is not None:
        responses = {key: InputResponse(result=each) for key, each in input_responses.given(call.params).items()}
        return ResumeWait(task_id=call.state.task, responses=responses)
    if tool.tasks == "never":
        return RunInline(journal=mrtr.journal(call), can_request_input=True)
    options = TaskOptions(
        key=params.idempotency_key or (call.state and call.state.key),
        joins=not call.declares_tasks,
        client_capabilities=call.client_capabilities,
    )
    start = StartForHandle(options, call.server.max_hold) if call.declares_tasks else StartAndWait(options)
    # "Servers [...] SHOULD resolve all MRTR exchanges synchronously before responding with a CreateTaskResult."
    #     -- ext-tasks 2026-07-28, Task Creation
    if tool.starts_inline:
        return RunInline(journal=mrtr.journal(call, may_become_task=True), then=start, can_request_input=True)
    return start


def _render(call: Call, params: CallTool, decision: Decision, result: Result) -> Answer:
    run = decision.journal if isinstance(decision, RunInline) else None
    of_run = notifications.messages(run.reported, run.progress_token) if run else []
    match result:
        case Started(task):
            # "`notifications/progress` and `notifications/message` [...] are not supported on tasks"
            #     -- ext-tasks 2026-07-28, Task Status Notifications
            return extension.created(task, call.server.tasks.poll_interval(call.caller, task))
        case Completed(outcome, progress):
            return _ended(call, outcome, of_run, notifications.messages(progress, params.progress_token))
        case Waited(task=task, progress=progress):
            return _waited(call, task, of_run, notifications.messages(progress, params.progress_token))
        case AwaitsInput(input_requests) if run is not None:
            content = mrtr.input_required(call, input_requests, replay=mrtr.replay_after(run))
            return Streamed(notifications=of_run, result=content)
        case LacksCapability(error):
            raise mrtr.capability_error(error) from error
        case RejectsInput(error):
            raise mrtr.bad_input(error) from error
        case TaskGone(task_id):
            raise render.unknown_task(task_id)
        case _:
            raise TypeError(f"no response of this revision can say {result}")


def _waited(call: Call, task: Task, of_run: Notifications, of_task: Notifications) -> Answer:
    """Render a task for a client that does not know tasks: its input requests, its outcome, or a task handle."""
    input_requests = _answerable(call, task)
    if input_requests:
        result = mrtr.input_required(call, input_requests, task=task.id)
        return Streamed(notifications=[*of_run, *of_task], result=result)
    return _ended(call, outcome_of(call.server.tasks, call.caller, task), of_run, of_task)


def _ended(call: Call, outcome: Outcome, of_run: Notifications, of_task: Notifications) -> Answer:
    """Render an outcome; one that requires a URL elicitation becomes an `InputRequiredResult`.

    `of_run` are the notifications of the inline run, dropped where it will be replayed, and `of_task` those of a task.
    """
    if isinstance(outcome, Failed) and outcome.code == URL_REQUIRED:
        result = url_elicitation.input_required(call, outcome.message, outcome.data)
        return Streamed(notifications=of_task, result=result)
    return Streamed(notifications=[*of_run, *of_task], result=render.outcome(outcome))


def _answerable(call: Call, task: Task) -> list[InputRequest]:
    """Return the open input requests that the client can answer; others wait for another client of the caller."""
    return [each for each in task.open_input_requests if capability_needed(each) in call.client_capabilities]
