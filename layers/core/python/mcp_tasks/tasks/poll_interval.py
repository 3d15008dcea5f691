"""The poll interval of a task, which grows while nothing happens.

It is a share of the time waited so far, so that a client learns of the end late by no more than that share of the time
the work took, and polls a task that is suspended for days a few hundred times a day instead of every second.
"""

from datetime import datetime, timedelta
from typing import Final

from mcp_tasks.limits.waits import LONGEST_POLL_INTERVAL
from mcp_tasks.tasks.model import State, Task
from mcp_tasks.tasks.transitions import is_final

SHARE: Final = 0.05


def current_poll_interval(task: Task, now: datetime) -> timedelta:
    """Return how long a client should wait before it polls again: the tool's poll interval at the least."""
    if is_final(task):
        return task.poll_interval
    since = task.updated_at if task.state is State.INPUT_REQUIRED else task.resumed_at or task.created_at
    grown = min((now - since) * SHARE, LONGEST_POLL_INTERVAL, task.expires_at - now)
    return max(task.poll_interval, grown)
