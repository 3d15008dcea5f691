"""The tasks extension in a session: the server decides which calls become tasks, for clients that declare it.

    tools/call            returns a result, or a task's handle
    tasks/get             returns a task with its result, its error, or its input requests
    tasks/update          takes the responses to a task's input requests
    tasks/cancel          acknowledges, whatever the task's state
    notifications/tasks   notifies of changes on the stream that the session listens on

The extension belongs to 2026-07-28, but some servers and clients use it in sessions as well.  Others declare it in
every `initialize` and do not implement it there (the Inspector, for one), and lose nothing: a declaration in
`initialize` alone turns only those calls into handles that this revision would reject, a task-augmented call stays a
task of this revision, and a handle, like the result of `tasks/get`, is a valid result of this revision, too.  For a
request that declares the extension itself, the server decides as it does in 2026-07-28.

To remove it, delete this module and the lines that name it, then `declares_extension` in `call` and `follow` in
`subscriptions`, which nothing else uses.
"""

from collections.abc import Mapping
from contextlib import suppress
from functools import partial

from mcp_tasks.engine.call_decisions import Decision, RunInline, StartForHandle, TaskOptions
from mcp_tasks.engine.inline_journal import InlineJournal
from mcp_tasks.engine.task_tools import TASK_RESULT
from mcp_tasks.fallbacks import skip_unreadable
from mcp_tasks.features.results import content
from mcp_tasks.features.tools import Tool
from mcp_tasks.security.scopes import lacks
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import IllegalTransition, TaskNotFound
from mcp_tasks.tasks.model import JSON, Task
from mcp_tasks.wire import capabilities, extension, input_responses, jsonrpc
from mcp_tasks.wire.calling import CallTool
from mcp_tasks.wire.fields import mapping, required
from mcp_tasks.wire.rev_2025_11_25 import cancellation, render, task_methods
from mcp_tasks.wire.rev_2025_11_25.call import Answer, Call, Method, client_capabilities_of, declares_extension
from mcp_tasks.wire.rev_2025_11_25.server import SessionServer
from mcp_tasks.wire.rev_2025_11_25.sessions import Session

CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
"""The field of a request's `_meta` that holds capabilities for that request alone."""


def is_active(call: Call) -> bool:
    """Return whether `initialize`, or the request itself, declares the extension."""
    return declares_extension(call.session) or (call.knows_tasks and extension.is_declared(_request_capabilities(call)))


def server_decides(call: Call, tool: Tool) -> bool:
    """Return whether the server decides if a call becomes a task, which the client did not ask for."""
    declared = call.knows_tasks and extension.is_declared(_request_capabilities(call))
    return tool.tasks != "never" and (declared or (tool.tasks == "always" and declares_extension(call.session)))


def decide(call: Call, tool: Tool, params: CallTool) -> Decision:
    """Decide that a call runs within its request for a moment, and becomes a task if it is not done then."""
    # No session, since `tasks/get` shows its input requests; no token, since its progress is not notified of.
    start = StartForHandle(
        TaskOptions(key=params.idempotency_key, client_capabilities=_client_capabilities(call)), call.server.max_hold
    )
    if not tool.starts_inline:
        return start
    publish = partial(call.server.subscriptions.publish, call.caller)
    journal = InlineJournal(client_capabilities=_client_capabilities(call), publish=publish, may_become_task=True)
    return RunInline(journal=journal, then=start)


def task_handle(call: Call, params: CallTool, task: Task) -> dict[str, JSON]:
    """Return the handle of the task that a call became; the task is cancelled if the request was.

    The session is notified of the task's changes from now on.
    """
    # A client that sends an idempotency key may repeat the call to get its result.
    task = task if params.idempotency_key else cancellation.unless_cancelled(call, task)
    call.server.subscriptions.follow(call.caller, call.session.id, task)
    return {**_explanation(task), **extension.created(task, call.server.tasks.poll_interval(call.caller, task))}


def tasks_get(call: Call) -> Answer:
    """Return a task, as this revision does if a session asked for it, otherwise as the extension does."""
    with task_methods.task_id_of(call) as task_id:
        task = call.server.tasks.get(call.caller, task_id)
        if _was_requested(task):
            return task_methods.tasks_get(call)
        detailed = extension.detailed(call.server.tasks, call.caller, task, _client_capabilities(call))
        return {
            "resultType": "complete",
            **render.task(task, call.server.tasks.poll_interval(call.caller, task)),
            **detailed,
        }


def tasks_update(call: Call) -> Answer:
    """Answer input requests of a task."""
    with task_methods.task_id_of(call) as task_id:
        required(call.params, "inputResponses", mapping)
        input_responses.answer(call.server, call.caller, task_id, call.params)
    return {"resultType": "complete"}


def tasks_cancel(call: Call) -> Answer:
    """Cancel a task; a final one stays as it is, which is an error only for a task of this revision."""
    with task_methods.task_id_of(call) as task_id:
        if _was_requested(call.server.tasks.get(call.caller, task_id)):
            return task_methods.tasks_cancel(call)
        with suppress(IllegalTransition):
            call.server.tasks.cancel(call.caller, task_id)
    return {"resultType": "complete"}


METHODS: Mapping[str, Method] = {"tasks/get": tasks_get, "tasks/update": tasks_update, "tasks/cancel": tasks_cancel}


def notifications(server: SessionServer, caller: Caller, session: Session) -> list[dict[str, JSON]]:
    """Return the notifications of changed tasks that the session follows and no other of its streams notifies of.

    A caller without the scopes for reading tasks is sent none.
    """
    messages: list[dict[str, JSON]] = []
    if lacks(caller, server.scopes.read):
        return messages
    for task in server.subscriptions.task_updates(caller, session.id):
        with (
            suppress(TaskNotFound),
            skip_unreadable("no notification is sent", owner_key=caller.owner_key, task=task.id),
        ):
            shown = extension.detailed(server.tasks, caller, task, client_capabilities_of(session))
            messages.append(jsonrpc.notification("notifications/tasks", shown))
    return messages


def _explanation(task: Task) -> dict[str, JSON]:
    """Return the content that makes a handle a valid `CallToolResult` of this revision, too."""
    return content(
        f"{task.tool} is task {task.id!r} now. This is not a failure: do not call it again. "
        f"Look at the task by tasks/get, or call the tool {TASK_RESULT} with its id to wait for the result."
    )


def _was_requested(task: Task) -> bool:
    """Return whether the task was created by a task-augmented call, of this session or another."""
    return task.session is not None


def _client_capabilities(call: Call) -> frozenset[str]:
    return call.client_capabilities | capabilities.client_capabilities(_request_capabilities(call))


def _request_capabilities(call: Call) -> Mapping[str, JSON]:
    """Return the capabilities that a request declares for itself, as requests of 2026-07-28 do."""
    meta = call.params.get("_meta")
    declared = meta.get(CAPABILITIES) if isinstance(meta, dict) else None
    return declared if isinstance(declared, dict) else {}
