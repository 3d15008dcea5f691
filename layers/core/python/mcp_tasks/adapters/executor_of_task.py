"""The executor of a task, by its machine."""

from collections.abc import Callable, Collection, Iterable, Mapping

from mcp_tasks.ports.executor import Execution, Executor
from mcp_tasks.tasks.model import DIRECT_MACHINE, JSON, Task


class ExecutorOfTask:
    """The `Executor` that leaves each task to that of its machine; a plain class, since every cold start defines it."""

    def __init__(self, *, machines: Executor, direct: Callable[[], Executor]) -> None:
        """Take the executor on state machines, and what returns the one for tasks without."""
        self._machines, self._direct = machines, direct

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
        yield from self._machines.running()
        yield from self._direct().running()

    def _of(self, task: Task) -> Executor:
        return self._direct() if task.machine == DIRECT_MACHINE else self._machines
