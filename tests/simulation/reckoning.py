"""When things of a task are due, by our own reckoning: a mistake of the code's is not made here as well."""

from datetime import datetime, timedelta
from typing import Final

from mcp_tasks.limits.waits import GRACE, KEPT, MAX_DIRECT_RUNS, UNNOTICED
from mcp_tasks.tasks.model import DIRECT_MACHINE, InputRequest, State, Task

SOON: Final = timedelta(minutes=4)
"""By then the sweep has found what nobody works on, and what nobody was told of."""

A_MOMENT: Final = timedelta(seconds=2)
"""An execution waits by whole seconds."""


def may_become(before: Task, after: Task) -> bool:
    """Return whether a task may be so next: what has ended stays so, and what waits goes on with what it waited for."""
    match before.state, after.state:
        case State.QUEUED, State.WORKING:
            return after.holding.slot is not None and after.started_at == after.updated_at
        case State.QUEUED, State.INPUT_REQUIRED:
            return False
        case State.WORKING, State.INPUT_REQUIRED:
            return bool(after.input_requests) and after.task_token is not None
        case State.INPUT_REQUIRED, State.WORKING | State.QUEUED:
            return not after.input_requests and after.resumed_at == after.updated_at
        case _:
            return before.state not in (State.FINISHED, State.CANCELLED)


def expires_at(task: Task) -> datetime:
    """Return until when a task is kept."""
    return task.created_at + task.ttl


def due_at(task: Task, slept: datetime | None = None) -> datetime:
    """Return until when a task has time: all of it while it waits, and its timeout since it went on while it works.

    It went on no sooner than it `slept`, by what its runs were told.
    """
    latest = task.created_at + task.ttl - KEPT
    if task.state is not State.WORKING:
        return latest
    since = max(filter(None, (task.created_at, task.started_at, task.resumed_at, task.wakes_at, slept)))
    return min(latest, since + longest_work(task))


def longest_work(task: Task) -> timedelta:
    """Return for how long a task may work at the most."""
    return MAX_DIRECT_RUNS * task.timeout + UNNOTICED if task.machine == DIRECT_MACHINE else task.timeout


def last_call(task: Task) -> datetime:
    """Return when a task has ended at the latest, so that its outcome is kept for some minutes."""
    return task.created_at + task.ttl - KEPT + GRACE + A_MOMENT


def deadline(task: Task, input_request: InputRequest) -> datetime:
    """Return when a task goes on without an answer to an input request."""
    latest = task.created_at + task.ttl - KEPT
    if input_request.timeout is None or task.requested_at is None:
        return latest
    return min(task.requested_at + input_request.timeout, latest)
