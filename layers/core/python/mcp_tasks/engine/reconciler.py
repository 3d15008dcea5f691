"""Repeats the side effects of writes whose process died before it caused them.

The table's stream calls `changed` for every record, and a schedule calls `sweep`, which also finds tasks of which no
record came (`engine/sweep.py`).  Both may repeat what was done, or come late or out of order: the stored task decides.
The events that Step Functions emits when an execution ends go to `execution_outcomes`.
"""

from mcp_tasks.engine.operations import TaskOperations
from mcp_tasks.engine.sweep import Sweep
from mcp_tasks.ports import Ports
from mcp_tasks.records import record
from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.model import State, Task
from mcp_tasks.tasks.pace import phase_began
from mcp_tasks.tasks.transitions import is_final, rightful


@record
class Reconciler:
    """Brings the executions and the quotas into line with the stored tasks."""

    tasks: TaskOperations
    ports: Ports

    def changed(self, owner_key: str, before: Task | None, after: Task | None) -> None:
        """Cause the side effects of a change of a stored task; after `ExecutorUnavailable`, call it again."""
        if before is None and self.ports.tenants is not None:
            self.ports.tenants().seen(tenant_of(owner_key))
        try:
            self._follow(owner_key, before, after)
        finally:
            self._let_others_run(owner_key, before, after)
        self._measure(owner_key, before, after)

    def _follow(self, owner_key: str, before: Task | None, after: Task | None) -> None:
        match before, after:
            case None, Task(state=State.WORKING):
                self.tasks.start_again(owner_key, after.id)
            case Task(), Task(state=State.CANCELLED) if not is_final(before):
                self.ports.executor.stop(after, "cancelled")
            case Task(state=State.QUEUED), Task(state=State.WORKING):
                self._begin_again(owner_key, after)
            case Task(state=State.INPUT_REQUIRED), Task(state=State.WORKING):
                self.ports.executor.resume(after)
            case Task(state=State.INPUT_REQUIRED | State.QUEUED), Task(state=State.FINISHED):
                self.ports.executor.stop(after, "the task has finished")
            case Task(), None if not is_final(before):
                self.ports.tasks.release(owner_key, before.id, before)
                self.ports.executor.stop(before, "the task expired")

    def _begin_again(self, owner_key: str, task: Task) -> None:
        """Start the execution of a task that got its slot, or resume it, as `TaskOperations.begin` does."""
        if not task.was_begun:
            self.tasks.start_again(owner_key, task.id)
        if task.task_token is not None:
            self.tasks.resume(task)

    def _let_others_run(self, owner_key: str, before: Task | None, after: Task | None) -> None:
        """Start queued tasks, if a slot became free or a task was queued."""
        if after is not None and after.holding != rightful(after):
            self.ports.queue.settle(owner_key, after)
        had_slot = before is not None and before.holding.slot is not None
        has_slot = after is not None and after.holding.slot is not None and after.holding == rightful(after)
        is_queued = after is not None and after.state is State.QUEUED
        if is_queued or (had_slot and not has_slot):
            self.tasks.start_queued(tenant_of(owner_key))

    def _measure(self, owner_key: str, before: Task | None, after: Task | None) -> None:
        """Count how long a task took that worked from its start to its end, where nobody was waited for."""
        if self.ports.durations is None or before is None or after is None:
            return
        if not is_final(before) and after.state is State.FINISHED and not before.was_begun:
            duration = after.updated_at - phase_began(before)
            self.ports.durations.add(tenant_of(owner_key), after.tool, duration)

    def sweep(self, *, limit: int) -> int:
        """Check up to `limit` live tasks that are due for it, and return how many of them had to be reconciled."""
        return Sweep(tasks=self.tasks, ports=self.ports).run(limit=limit)

    def deleted(self, owner_key: str, task_id: str) -> None:
        """Stop counting a task that was deleted while it was live, of which only the key can be read."""
        self.ports.tasks.release(owner_key, task_id)
