"""`tasks/get`, `tasks/result`, `tasks/list` and `tasks/cancel`."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from mcp_tasks.fallbacks import left_out_tasks, noting_left_out, readable_tasks
from mcp_tasks.tasks.errors import IllegalTransition, TaskNotFound
from mcp_tasks.tasks.model import JSON, Task
from mcp_tasks.tasks.transitions import is_final
from mcp_tasks.wire import paging
from mcp_tasks.wire.jsonrpc import INVALID_PARAMS, METHOD_NOT_FOUND, RpcError
from mcp_tasks.wire.rev_2025_11_25 import input_requests, params, render, response_stream
from mcp_tasks.wire.rev_2025_11_25.call import Answer, Call

LEFT_OUT: Final = "io.github.mcp-task-server/leftOut"
"""The field of a list's `_meta` that says how many tasks are not in it, since they cannot be shown."""


def tasks_get(call: Call) -> Answer:
    """Return a task as it is now, without its input requests: the connection of a poll cannot be resumed.

    "Servers SHOULD NOT upgrade to an SSE stream in response to a `tasks/get` request"  -- 2025-11-25, Tasks.  Some
    clients only poll, and never call `tasks/result`: they receive the requests where they listen.
    """
    with task_id_of(call) as task_id:
        task = call.server.tasks.get(call.caller, task_id)
        if task.session != call.session.id and input_requests.can_answer(call.session, task):
            call.server.subscriptions.follow_input_requests(call.caller, call.session.id, task)
        return render.task(task, call.server.tasks.poll_interval(call.caller, task))


def tasks_result(call: Call) -> Answer:
    """Return the result of a task's call, on a stream that the client resumes until the task is final."""
    with task_id_of(call) as task_id:
        task = call.server.tasks.get(call.caller, task_id)
        if is_final(task):
            return response_stream.answer(call.server, call.caller, task)
        return response_stream.begin(call, task)


def tasks_list(call: Call) -> Answer:
    """List the caller's tasks, newest first."""
    if not call.caller.identified:
        raise RpcError(METHOD_NOT_FOUND, "Callers cannot be told apart here, so nobody's tasks are listed.")
    server, caller = call.server, call.caller
    before = paging.place(server, caller, "tasks/list", call.params)

    def rendered(task: Task) -> dict[str, JSON]:
        return render.task(task, server.tasks.poll_interval(caller, task))

    with noting_left_out() as left_out:
        tasks, last = server.tasks.page(caller, before=before, limit=server.page_size)
        shown = list(readable_tasks(caller.owner_key, tasks, rendered))
    count = left_out_tasks(left_out, last)
    meta = {"_meta": {LEFT_OUT: count}} if count else {}
    return {"tasks": shown, **paging.next_cursor(server, caller, "tasks/list", last), **meta}


def tasks_cancel(call: Call) -> Answer:
    """Cancel a task before this answers; it stays cancelled, whatever its execution does."""
    with task_id_of(call) as task_id:
        try:
            task = call.server.tasks.cancel(call.caller, task_id)
        except IllegalTransition as error:
            status = render.status(call.server.tasks.get(call.caller, task_id))
            raise RpcError(INVALID_PARAMS, f"The task is {status} already and cannot be cancelled.") from error
        return render.task(task, call.server.tasks.poll_interval(call.caller, task))


@contextmanager
def task_id_of(call: Call) -> Iterator[str]:
    """Yield the id of the task that a call is about; a `TaskNotFound` within becomes the `RpcError` for it."""
    task_id = params.task_id(call.params)
    try:
        yield task_id
    except TaskNotFound as error:
        raise render.unknown_task(task_id) from error
