"""The tasks extension in a session: tasks that the server decides on, for clients that declare it.

    tools/call            answered with a result, or with a task's handle
    tasks/get             shows a task with its result, its error, or what it asks
    tasks/update          answers what it asks
    tasks/cancel          acknowledges, whatever the task's state
    notifications/tasks   tells of changes on the stream that the session listens on

The extension is the later revision's, but some servers and clients speak it in sessions, too.  Others declare it in
every handshake and have no use for it there (the Inspector, for one), and are served as well as before: a handshake
alone makes a handle only of what this revision would refuse, a task that was asked for by the field `task` stays one
of this revision, and a handle, like what `tasks/get` shows, is also what this revision says it should be.  With a
request that declares it the server decides as it does in the later revision.

Whoever deletes this file, and what names it, loses nothing else.
"""

from collections.abc import Mapping
from contextlib import suppress
from functools import partial

from mcp_tasks.engine.call_decisions import Decision, RunInline, StartForHandle, TaskOptions
from mcp_tasks.engine.inline_journal import InlineJournal
from mcp_tasks.engine.task_tools import TASK_RESULT
from mcp_tasks.features.results import content
from mcp_tasks.features.tools import Tool
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import IllegalTransition, TaskNotFound
from mcp_tasks.tasks.model import JSON, State, Task
from mcp_tasks.wire import capabilities, extension, input_responses, jsonrpc
from mcp_tasks.wire.calling import CallTool
from mcp_tasks.wire.fields import mapping, required
from mcp_tasks.wire.rev_2025_11_25 import cancellation, render, task_methods
from mcp_tasks.wire.rev_2025_11_25.call import Answer, Call, Method, client_capabilities_of, declares_extension
from mcp_tasks.wire.rev_2025_11_25.server import SessionServer
from mcp_tasks.wire.rev_2025_11_25.sessions import Session

CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
"""The field of a request's `_meta` that declares the extension for that request alone."""


def is_active(call: Call) -> bool:
    """Tell whether the handshake, or the request itself, declares the extension."""
    return declares_extension(call.session) or (call.knows_tasks and extension.is_declared(_request_capabilities(call)))


def server_decides(call: Call, tool: Tool) -> bool:
    """Tell whether the server decides if the call becomes a task, since the client did not ask for one."""
    with_it = call.knows_tasks and extension.is_declared(_request_capabilities(call))
    return tool.tasks != "never" and (with_it or (tool.tasks == "always" and declares_extension(call.session)))


def decide(call: Call, tool: Tool, params: CallTool) -> Decision:
    """Let a call of a tool that may be a task answer with the result that there is in a moment, or with a handle."""
    # No session, since what it asks is asked by `tasks/get`; no token, since nothing tells progress of such a task.
    start = StartForHandle(
        TaskOptions(key=params.idempotency_key, client_capabilities=_client_capabilities(call)), call.server.max_hold
    )
    if not tool.starts_inline:
        return start
    publish = partial(call.server.subscriptions.publish, call.caller)
    journal = InlineJournal(client_capabilities=_client_capabilities(call), publish=publish, may_become_task=True)
    return RunInline(journal=journal, then=start)


def task_handle(call: Call, params: CallTool, task: Task) -> dict[str, JSON]:
    """Show the task that a call became, unless the call was given up."""
    # Who names a call may come back for it.
    task = task if params.idempotency_key else cancellation.unless_cancelled(call, task)
    call.server.subscriptions.follow(call.caller, call.session.id, task)
    return {**_explanation(task), **extension.created(task, call.server.tasks.now())}


def tasks_get(call: Call) -> Answer:
    """Show a task."""
    with task_methods.task_id_of(call) as task_id:
        task = call.server.tasks.get(call.caller, task_id)
        if _was_requested(task):
            return task_methods.tasks_get(call)
        detailed = _detailed(call.server, call.caller, task, _client_capabilities(call))
        return {"resultType": "complete", **render.task(task, call.server.tasks.now()), **detailed}


def tasks_update(call: Call) -> Answer:
    """Take answers to what a task asks."""
    with task_methods.task_id_of(call) as task_id:
        required(call.params, "inputResponses", mapping)
        input_responses.answer(call.server, call.caller, task_id, call.params)
    return {"resultType": "complete"}


def tasks_cancel(call: Call) -> Answer:
    """Cancel a task; one that has ended stays as it is, and that is no error."""
    with task_methods.task_id_of(call) as task_id:
        if _was_requested(call.server.tasks.get(call.caller, task_id)):
            return task_methods.tasks_cancel(call)
        with suppress(IllegalTransition):
            call.server.tasks.cancel(call.caller, task_id)
    return {"resultType": "complete"}


METHODS: Mapping[str, Method] = {"tasks/get": tasks_get, "tasks/update": tasks_update, "tasks/cancel": tasks_cancel}


def notifications(server: SessionServer, caller: Caller, session: Session) -> list[dict[str, JSON]]:
    """Tell what is new of the tasks that the session follows, and that no other stream of it tells."""
    preceding = []
    for task in server.subscriptions.task_updates(caller, session.id):
        with suppress(TaskNotFound):
            shown = _detailed(server, caller, task, client_capabilities_of(session))
            preceding.append(jsonrpc.notification("notifications/tasks", shown))
    return preceding


def _explanation(task: Task) -> dict[str, JSON]:
    """Return what makes a handle a result of this revision as well."""
    return content(
        f"{task.tool} is task {task.id!r} now. This is no failure: do not call it again. "
        f"Look at the task by tasks/get, or call the tool {TASK_RESULT} with its id to wait for the result."
    )


def _was_requested(task: Task) -> bool:
    """Tell whether some session asked for the task with the field `task`; another one may look at it."""
    return task.session is not None


def _detailed(
    server: SessionServer, caller: Caller, task: Task, client_capabilities: frozenset[str]
) -> dict[str, JSON]:
    ended = server.tasks.outcome(caller, task.id) if task.state is State.FINISHED else None
    return extension.detailed(task, server.tasks.now(), ended, client_capabilities)


def _client_capabilities(call: Call) -> frozenset[str]:
    return call.client_capabilities | capabilities.client_capabilities(_request_capabilities(call))


def _request_capabilities(call: Call) -> Mapping[str, JSON]:
    """Return the capabilities that a request declares for itself, as those of the later revision do."""
    meta = call.params.get("_meta")
    declared = meta.get(CAPABILITIES) if isinstance(meta, dict) else None
    return declared if isinstance(declared, dict) else {}
