"""Repeats the side effects of writes whose process died before it caused them.

The table's stream calls `changed` for every record, and a schedule calls `sweep`, which also finds tasks of which no
record came.  Both may repeat what was done, or come late or out of order: the stored task decides.  The events that
Step Functions emits when an execution ends go to `execution_outcomes`.
"""

import logging
from dataclasses import dataclass

from mcp_tasks.engine.operations import TaskOperations
from mcp_tasks.fallbacks import skip_unreadable
from mcp_tasks.limits.aws import BETWEEN_DESCRIPTIONS
from mcp_tasks.limits.waits import BETWEEN_CHECKS, BETWEEN_CHECKS_SUSPENDED, GRACE
from mcp_tasks.ports import Ports
from mcp_tasks.ports.executor import Execution
from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.errors import TaskNotFound
from mcp_tasks.tasks.model import State, Task
from mcp_tasks.tasks.transitions import is_final, rightful

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconciler:
    """Brings the executions and the quotas into line with the stored tasks."""

    tasks: TaskOperations
    ports: Ports

    def changed(self, owner_key: str, before: Task | None, after: Task | None) -> None:
        """Cause the side effects of a change of a stored task; after `ExecutorUnavailable`, call it again."""
        try:
            self._follow(owner_key, before, after)
        finally:
            self._let_others_run(owner_key, before, after)

    def _follow(self, owner_key: str, before: Task | None, after: Task | None) -> None:
        match before, after:
            case None, Task(state=State.WORKING):
                self._start(owner_key, after.id)
            case Task(), Task(state=State.CANCELLED) if not is_final(before):
                self.ports.executor.stop(after, "cancelled")
            case Task(state=State.QUEUED), Task(state=State.WORKING):
                self.tasks.begin(owner_key, after)
            case Task(state=State.INPUT_REQUIRED), Task(state=State.WORKING):
                self.ports.executor.resume(after)
            case Task(state=State.INPUT_REQUIRED | State.QUEUED), Task(state=State.FINISHED):
                self.ports.executor.stop(after, "the task has finished")
            case Task(), None if not is_final(before):
                self.ports.tasks.release(owner_key, before.id, before)
                self.ports.executor.stop(before, "the task expired")

    def _let_others_run(self, owner_key: str, before: Task | None, after: Task | None) -> None:
        """Start queued tasks, if a slot became free or a task was queued."""
        if after is not None and after.holding != rightful(after):
            self.ports.queue.settle(owner_key, after)
        had_slot = before is not None and before.holding.slot is not None
        has_slot = after is not None and after.holding.slot is not None and after.holding == rightful(after)
        is_queued = after is not None and after.state is State.QUEUED
        if is_queued or (had_slot and not has_slot):
            self.tasks.start_queued(tenant_of(owner_key))

    def sweep(self, *, limit: int) -> int:
        """Check up to `limit` live tasks that are due for it, and return how many of them had to be reconciled.

        Raises `ExecutorUnavailable`; what is left is due again at the next sweep.
        """
        return sum(self._check_if_readable(*due) for due in self.ports.backlog.due(limit=limit))

    def deleted(self, owner_key: str, task_id: str) -> None:
        """Stop counting a task that was deleted while it was live, of which only the key can be read."""
        self.ports.tasks.release(owner_key, task_id)

    def _check_if_readable(self, owner_key: str, task_id: str) -> bool:
        with skip_unreadable("the task is left as it is", owner_key=owner_key, task=task_id):
            return self._check(owner_key, task_id)
        # Long enough that such tasks do not take the places of readable ones in every sweep.
        self.ports.backlog.postpone(owner_key, task_id, self.ports.clock.now() + BETWEEN_CHECKS)
        return False

    def _check(self, owner_key: str, task_id: str) -> bool:
        ports = self.ports
        try:
            task = self.tasks.read(owner_key, task_id)
        except TaskNotFound:
            ports.backlog.discard(owner_key, task_id)
            return True
        if is_final(task):
            return False
        now = ports.clock.now()
        # Before the check, so that a task whose check fails is not the first one of the next sweep, too.
        ports.backlog.postpone(owner_key, task_id, now + GRACE, version=task.version)
        if now >= task.due_at + GRACE:
            self.tasks.fail(owner_key, task_id, _overdue(task))
            ports.executor.stop(task, "timed out")
            return _swept(task_id, "overdue")
        if task.state is State.QUEUED:
            self.tasks.start_queued(tenant_of(owner_key))
        ports.clock.sleep(BETWEEN_DESCRIPTIONS)
        return self._compare(owner_key, task, ports.executor.describe(task))

    def _compare(self, owner_key: str, task: Task, execution: Execution) -> bool:
        """Bring a live task and its execution together."""
        match execution:
            case Execution.ABSENT if task.state is not State.QUEUED:
                self._start(owner_key, task.id)
                return _swept(task.id, "never started")
            case Execution.ENDED:
                self.tasks.fail(owner_key, task.id, "The work ended without a result.")
                return _swept(task.id, "ended without an outcome")
        if task.state is State.WORKING:
            # Its input requests have responses, if there were any; who was to resume it may have died.
            self.ports.executor.resume(task)
        pause = BETWEEN_CHECKS_SUSPENDED if task.state is State.INPUT_REQUIRED else BETWEEN_CHECKS
        until = min(task.due_at + GRACE, self.ports.clock.now() + pause)
        # Whoever has changed it meanwhile wants it checked sooner: it may have been answered.
        self.ports.backlog.postpone(owner_key, task.id, until, version=task.version)
        return False

    def _start(self, owner_key: str, task_id: str) -> None:
        try:
            task = self.tasks.read(owner_key, task_id)
            if not is_final(task):
                self.tasks.launch(owner_key, task, self.tasks.arguments(owner_key, task_id))
        except TaskNotFound:
            return


def _swept(task_id: str, found: str) -> bool:
    logger.warning("the sweep reconciled a task", extra={"task": task_id, "found": found, "fallback": "swept"})
    return True


def _overdue(task: Task) -> str:
    if task.state is State.QUEUED:
        return "No slot became free in time."
    if task.state is State.INPUT_REQUIRED:
        return "Nobody answered in time."
    return f"The work did not end within {task.timeout}."
