"""Calls behind which there is a task that their client knows nothing of: waited for, and asked in rounds on the way.

The state that travels names the task, so that a round goes on with it: nothing is started again.
"""

from collections.abc import Mapping
from datetime import timedelta

from mcp_tasks.engine.task_tools import outcome_of
from mcp_tasks.tasks.errors import TaskNotFound
from mcp_tasks.tasks.model import JSON, InputRequest, Task
from mcp_tasks.wire import input_responses, waiting
from mcp_tasks.wire.capabilities import capability_needed
from mcp_tasks.wire.rev_2026_07_28 import mrtr, render
from mcp_tasks.wire.rev_2026_07_28.call import Call


def follow(call: Call, task: Task, *, patience: timedelta) -> Mapping[str, JSON]:
    """Wait for the task behind the call: answer with its outcome, with what it asks, or with its id.

    Its client knows of no task, so that the progress is the call's.
    """
    server, caller = call.server, call.caller
    task, told = waiting.wait(
        server,
        caller,
        task,
        patience=min(patience, server.hold),
        token=mrtr.progress_token(call),
        until=lambda task: bool(_answerable(call, task)),
    )
    call.told.extend(told)
    input_requests = _answerable(call, task)
    if input_requests:
        return mrtr.asked(call, input_requests, {"task": task.id})
    return render.outcome(outcome_of(server.tasks, caller, task))


def ongoing(call: Call) -> Task | None:
    """Return the task that an earlier round of the call left, with the answers of this one; raises `RpcError`."""
    left = mrtr.known(call)
    if left is None or "task" not in left:
        return None
    try:
        return input_responses.answer(call.server, call.caller, left["task"], call.params)
    except TaskNotFound as error:
        raise render.unknown_task(left["task"]) from error


def _answerable(call: Call, task: Task) -> list[InputRequest]:
    """Return what the client can be asked; anything else is somebody else's to answer."""
    return [each for each in task.open_input_requests if capability_needed(each) in call.client_capabilities]
