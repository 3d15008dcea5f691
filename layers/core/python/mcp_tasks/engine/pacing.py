"""When clients should poll their tasks again, by `tasks/pace.py`, and how many come before one that is queued."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from mcp_tasks.engine.operations import TaskOperations
from mcp_tasks.features.tools import Tool
from mcp_tasks.limits.waits import LONGEST_SPAN, MAX_PLACE
from mcp_tasks.records import record
from mcp_tasks.security.tenancy import Caller, tenant_of
from mcp_tasks.tasks.errors import Unavailable
from mcp_tasks.tasks.model import JSON, State, Task
from mcp_tasks.tasks.pace import UNKNOWN, Known, Pacing, pace, until_report
from mcp_tasks.tasks.transitions import is_final

WAITS = "Waiting for its turn"


@record
class PacedTasks(TaskOperations):
    """Says when to poll a task again; `TaskService` adds what clients do with tasks."""

    def pace(self, caller: Caller, task: Task, known: Known = UNKNOWN) -> Pacing:
        """Return when a client of which this is known should poll the caller's task again."""
        if self.ports.durations is not None and not is_final(task):
            known = replace(known, durations=self.ports.durations.of(tenant_of(caller.owner_key), task.tool))
        return pace(task, self.now(), known)

    def poll_interval(self, caller: Caller, task: Task) -> timedelta:
        """Return how long a client should wait before it polls the task again: as its tool says at the least.

        A client that polls learns of progress in no other way, so that it is told to come as often as there is some.
        """
        after = self.pace(caller, task).after
        if task.progress is not None:
            after = min(after, until_report(task, self.now()))
        return max(task.poll_interval, after)

    def placed(self, owner_key: str, task: Task) -> Task:
        """Return the task as its caller is shown it: a queued one says its place in its status message."""
        if task.state is not State.QUEUED:
            return task
        try:
            return replace(task, status_message=_place(self.ports.queue.tasks_before(owner_key, task)))
        except Unavailable:
            # The task itself was read, or written.
            return replace(task, status_message=f"{WAITS}.")


def waits_until(tool: Tool, arguments: Mapping[str, JSON], now: datetime) -> datetime | None:
    """Return until when the tool's state machine waits first, or None if no argument says so."""
    seconds = None if tool.not_before is None else arguments.get(tool.not_before)
    # The arguments are checked, but by a schema that may say nothing of this one.
    if not isinstance(seconds, int | float) or not 0 < seconds <= LONGEST_SPAN.total_seconds():
        return None
    return now + timedelta(seconds=seconds)


def _place(before: int) -> str:
    """Return the status message of a queued task that so many tasks of its caller come before."""
    count = f"more than {MAX_PLACE}" if before > MAX_PLACE else str(before)
    return f"{WAITS}: {count} of your tasks {'comes' if before == 1 else 'come'} before it."
