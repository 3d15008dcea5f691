"""Cancellation of requests by `notifications/cancelled`, and of the tasks that run plain calls.

"Receivers of cancellation notifications SHOULD: Stop processing the cancelled request, Free associated resources"
    -- 2025-11-25, Cancellation, Behavior Requirements
"""

from contextlib import suppress

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import IllegalTransition, TaskNotFound
from mcp_tasks.tasks.model import Task
from mcp_tasks.tasks.transitions import is_final
from mcp_tasks.wire.jsonrpc import RequestId
from mcp_tasks.wire.rev_2025_11_25.call import Call
from mcp_tasks.wire.rev_2025_11_25.server import SessionServer
from mcp_tasks.wire.rev_2025_11_25.sessions import Session


def cancel_request(server: SessionServer, caller: Caller, session: Session, request_id: RequestId) -> None:
    """Cancel a request, and the task that runs it if it is a plain call; no other task is affected."""
    task_id = server.sessions.cancel_request(caller, session, request_id)
    if task_id is not None:
        cancel_task(server, caller, task_id)


def unless_cancelled(call: Call, task: Task) -> Task:
    """Return the task of a plain call, which it cancels first if the request was cancelled.

    That may have happened while the POST was held, before the task was attached to the request.
    """
    if is_final(task) or call.server.sessions.awaits_response(call.caller, call.session.id, call.id):
        return task
    cancel_task(call.server, call.caller, task.id)
    return call.server.tasks.get(call.caller, task.id)


def cancel_task(server: SessionServer, caller: Caller, task_id: str) -> None:
    """Cancel the task of a request that was cancelled, unless it is final or gone."""
    with suppress(TaskNotFound, IllegalTransition):
        server.tasks.cancel(caller, task_id)
