"""Says which tasks have had their time, for the sweep that ends them."""

from datetime import datetime

from mcp_tasks.limits.waits import GRACE
from mcp_tasks.tasks.model import DIRECT_MACHINE, State, Task
from mcp_tasks.tasks.run_lease import is_held


def is_overdue(task: Task, now: datetime) -> bool:
    """Return whether the time of a live task is over, and that in which a run may still record its outcome."""
    return now >= task.due_at + GRACE and not is_held(task, now)


def reason(task: Task) -> str:
    """Return why a task that is overdue fails, for its client."""
    if task.state is State.QUEUED:
        return "No slot became free in time."
    if task.state is State.INPUT_REQUIRED:
        return "Nobody answered in time."
    if task.machine == DIRECT_MACHINE and task.lease is None:
        return "The work did not begin in time."
    return f"The work did not end within {task.timeout}."
