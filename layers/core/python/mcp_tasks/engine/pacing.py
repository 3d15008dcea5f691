"""When clients should look at their tasks again: `tasks/pace.py` with what this process knows."""

from dataclasses import dataclass
from datetime import timedelta

from mcp_tasks.engine.operations import TaskOperations
from mcp_tasks.tasks.model import Task
from mcp_tasks.tasks.pace import UNKNOWN, Known, Look, pace


@dataclass(frozen=True, slots=True, kw_only=True)
class PacedTasks(TaskOperations):
    """Says when to look at a task again; `TaskService` adds what clients do with tasks."""

    def pace(self, task: Task, known: Known = UNKNOWN) -> Look:
        """Return when somebody of whom that is known should look at the task again."""
        return pace(task, self.now(), known)

    def poll_interval(self, task: Task) -> timedelta:
        """Return how long a client should wait before it polls the task again: as its tool says at the least."""
        return max(task.poll_interval, self.pace(task).after)
