"""Runs the tools of tasks in the process that has the store: for `make serve`, the test kit and tests."""

from dataclasses import dataclass
from datetime import timedelta

from mcp_tasks.engine.operations import TaskOperations
from mcp_tasks.engine.runner import Runner
from mcp_tasks.engine.task_host import TaskHost
from mcp_tasks.tasks.model import JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class InProcessRunner:
    """A runner whose runs are hosted here."""

    tasks: TaskOperations
    runner: Runner

    def run(self, owner_key: str, task_id: str, *, attempt: int = 1, state_input: JSON = None) -> timedelta | None:
        """Run the tool of a task; returns and raises what `Runner.run` does."""
        host = TaskHost(tasks=self.tasks, owner_key=owner_key, task_id=task_id)
        return self.runner.run(host, attempt=attempt, state_input=state_input)
