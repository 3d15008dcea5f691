"""Tasks, for clients that declare the extension: looked at, answered, cancelled."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from mcp_tasks.tasks.errors import IllegalTransition, TaskNotFound
from mcp_tasks.tasks.model import JSON, State, Task
from mcp_tasks.wire import extension, input_responses
from mcp_tasks.wire.extension import TASKS
from mcp_tasks.wire.fields import mapping, name, required
from mcp_tasks.wire.rev_2026_07_28 import render
from mcp_tasks.wire.rev_2026_07_28.call import Answer, Call
from mcp_tasks.wire.rev_2026_07_28.errors import missing_capability


def tasks_get(call: Call) -> Answer:
    """Show a task as it is now, with its result if it has one."""
    with task_of(call) as task_id:
        return render.complete(detailed(call, call.server.tasks.get(call.caller, task_id)))


def tasks_update(call: Call) -> Answer:
    """Take answers to what a task asks; what nobody asked, or somebody answered already, is left out."""
    with task_of(call) as task_id:
        required(call.params, "inputResponses", mapping)
        input_responses.answer(call.server, call.caller, task_id, call.params)
    return render.complete({})


def tasks_cancel(call: Call) -> Answer:
    """Cancel a task; one that has ended stays as it is, and that is no error."""
    with task_of(call) as task_id, suppress(IllegalTransition):
        call.server.tasks.cancel(call.caller, task_id)
    return render.complete({})


def detailed(call: Call, task: Task) -> dict[str, JSON]:
    """Show a task with all that its status calls for; raises `TaskNotFound`."""
    ended = call.server.tasks.outcome(call.caller, task.id) if task.state is State.FINISHED else None
    return extension.detailed(task, call.server.tasks.now(), ended, call.client_capabilities)


def require_tasks(call: Call) -> None:
    """Refuse a client that did not declare the extension with this request; raises `RpcError`."""
    if not call.declares_tasks:
        raise missing_capability(f"{call.method} is for clients that declare {TASKS}.", {"extensions": {TASKS: {}}})


@contextmanager
def task_of(call: Call) -> Iterator[str]:
    """Give the id of the task that the call is about; whoever does not find that task, refuses the call."""
    require_tasks(call)
    task_id = required(call.params, "taskId", name)
    try:
        yield task_id
    except TaskNotFound as error:
        raise render.unknown_task(task_id) from error
