"""The executor of a task, by its machine."""

from collections.abc import Callable, Collection, Container, Iterable, Mapping

from mcp_tasks.ports.executor import Execution, Executor
from mcp_tasks.tasks.model import JSON, Task


class ExecutorOfTask:
    """The `Executor` that leaves each task to that of its machine; a plain class, since every cold start defines it."""

    def __init__(self, *, machines: Container[str], executor: Callable[[], Executor], others: Executor) -> None:
        """Take the names of some machines, what returns their executor, and the executor of all others."""
        self._machines, self._executor, self._others = machines, executor, others

    def start(self, owner_key: str, task: Task, arguments: Mapping[str, JSON]) -> None:
        """Start the work of a task."""
        self._of(task).start(owner_key, task, arguments)

    def stop(self, task: Task, reason: str) -> None:
        """Stop the work of a task."""
        self._of(task).stop(task, reason)

    def resume(self, task: Task) -> None:
        """Resume the work of a task."""
        self._of(task).resume(task)

    def describe(self, task: Task) -> Execution:
        """Return the state of a task's work."""
        return self._of(task).describe(task)

    def running(self) -> Iterable[Collection[str]]:
        """Yield the ids of tasks whose executions run."""
        yield from self._others.running()
        yield from self._executor().running()

    def _of(self, task: Task) -> Executor:
        return self._executor() if task.machine in self._machines else self._others
