"""`tasks/get`, `tasks/update` and `tasks/cancel`, for clients that declare the tasks extension."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from mcp_tasks.tasks.errors import IllegalTransition, TaskNotFound
from mcp_tasks.tasks.model import JSON, Task
from mcp_tasks.wire import extension, input_responses
from mcp_tasks.wire.extension import TASKS
from mcp_tasks.wire.fields import mapping, name, required
from mcp_tasks.wire.rev_2026_07_28 import render
from mcp_tasks.wire.rev_2026_07_28.call import Answer, Call
from mcp_tasks.wire.rev_2026_07_28.errors import missing_capability


def tasks_get(call: Call) -> Answer:
    """Return a task as it is now, with its input requests, result or error."""
    with task_of(call) as task_id:
        return render.complete(detailed(call, call.server.tasks.get(call.caller, task_id)))


def tasks_update(call: Call) -> Answer:
    """Give a task its input responses; keys that are unknown or answered already are ignored."""
    with task_of(call) as task_id:
        required(call.params, "inputResponses", mapping)
        input_responses.answer(call.server, call.caller, task_id, call.params)
    return render.complete({})


def tasks_cancel(call: Call) -> Answer:
    """Cancel a task; for one that has ended this does nothing and is no error."""
    with task_of(call) as task_id, suppress(IllegalTransition):
        call.server.tasks.cancel(call.caller, task_id)
    return render.complete({})


def detailed(call: Call, task: Task) -> dict[str, JSON]:
    """Return a `DetailedTask`, with the outcome if it is finished; raises `TaskNotFound`."""
    return extension.detailed(call.server.tasks, call.caller, task, call.client_capabilities)


def require_tasks(call: Call) -> None:
    """Raise `RpcError` if the request does not declare the tasks extension."""
    if not call.declares_tasks:
        raise missing_capability(f"{call.method} is for clients that declare {TASKS}.", {"extensions": {TASKS: {}}})


@contextmanager
def task_of(call: Call) -> Iterator[str]:
    """Yield the `taskId` of the request, and turn `TaskNotFound` in the block into `RpcError`."""
    require_tasks(call)
    task_id = required(call.params, "taskId", name)
    try:
        yield task_id
    except TaskNotFound as error:
        raise render.unknown_task(task_id) from error
