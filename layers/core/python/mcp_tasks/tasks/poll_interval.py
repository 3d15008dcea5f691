"""When it is worth looking at a task again: what clients are told to wait between two looks.

The longer nothing has come, the longer nothing is likely to come.  So whoever looks learns of the end late by a small
share of what it took, and a task that suspends for days is looked at some hundred times a day and not every second.
"""

from datetime import datetime, timedelta
from typing import Final

from mcp_tasks.limits.waits import LONGEST_POLL_INTERVAL
from mcp_tasks.tasks.model import State, Task
from mcp_tasks.tasks.transitions import is_final

SHARE: Final = 0.05


def current_poll_interval(task: Task, now: datetime) -> timedelta:
    """Return how long to wait before the next look: never less than its tool says, nor much beyond the task's ttl."""
    if is_final(task):
        return task.poll_interval
    since = task.updated_at if task.state is State.INPUT_REQUIRED else task.resumed_at or task.created_at
    grown = min((now - since) * SHARE, LONGEST_POLL_INTERVAL, task.expires_at - now)
    return max(task.poll_interval, grown)
