"""Checks live tasks on a schedule, and reconciles those that neither a request nor the table's stream took care of.

What the table says is enough for most of them.  Whether an execution still runs is known from a list of all that run
(`Executor.running`), a thousand of them in a call; only an execution that is missing there is described on its own.
"""

import logging
from collections import deque
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from mcp_tasks.engine.approval_notices import ApprovalNotices
from mcp_tasks.engine.operations import TaskOperations
from mcp_tasks.engine.overdue import is_overdue, reason
from mcp_tasks.fallbacks import skip_unreadable
from mcp_tasks.limits.aws import BETWEEN_DESCRIPTIONS, BETWEEN_LISTS, MAX_DESCRIBED, MAX_LISTED
from mcp_tasks.limits.waits import (
    BETWEEN_CHECKS,
    BETWEEN_CHECKS_RUNNING,
    BETWEEN_CHECKS_SUSPENDED,
    GRACE,
    LONGEST_SWEEP,
)
from mcp_tasks.ports import Ports
from mcp_tasks.ports.executor import Execution, ExecutorThrottled, ExecutorUnavailable
from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.errors import TaskNotFound
from mcp_tasks.tasks.model import State, Task
from mcp_tasks.tasks.notifications import next_notice
from mcp_tasks.tasks.run_lease import is_held
from mcp_tasks.tasks.transitions import is_final

logger = logging.getLogger(__name__)

DIED = "The process that did the work died each time, or could not reach the server."
UNRECORDED = "The work ended, and its outcome was not recorded."


@dataclass(slots=True, kw_only=True)
class Sweep:
    """One sweep: the executions that ran when it began, and the tenants and owners that it has taken care of.

    It has started queued tasks of the tenants, and looked at the counters of the owners.
    """

    tasks: TaskOperations
    ports: Ports
    _running: set[str] = field(default_factory=set)
    _tenants: set[str] = field(default_factory=set)
    _owners: set[str] = field(default_factory=set)

    def run(self, *, limit: int) -> int:
        """Check up to `limit` tasks that are due, the most overdue first; return how many had to be reconciled.

        A check that fails does not end it.  It ends early where AWS throttles it or its time is over: what
        is left comes first at the next sweep.
        """
        ends, reconciled = self.ports.clock.now() + LONGEST_SWEEP, 0
        due = deque(self.ports.backlog.due(limit=limit))
        if len(due) > MAX_DESCRIBED:
            self._list_running()
        try:
            while due and self.ports.clock.now() < ends:
                reconciled += self._check_or_skip(*due[0])
                due.popleft()
        except ExecutorThrottled:
            logger.warning("AWS throttles the sweep, which ends", exc_info=True)
        if due:
            logger.warning("the sweep is cut short", extra={"left": len(due), "fallback": "left_to_next_sweep"})
        return reconciled

    def _list_running(self) -> None:
        try:
            for page in self.ports.executor.running():
                self._running.update(page)
                if len(self._running) >= MAX_LISTED:
                    return
                self.ports.clock.sleep(BETWEEN_LISTS)
        except ExecutorUnavailable:
            message = "not all running executions could be listed: the others are described one by one"
            logger.exception(message, extra={"fallback": "executions_not_listed"})

    def _check_or_skip(self, owner_key: str, task_id: str) -> bool:
        """Check a task; where that fails, leave it to a later sweep and go on."""
        about = {"tenant": tenant_of(owner_key), "task": task_id}
        try:
            with skip_unreadable("the task is left as it is", **about):
                self._repair_counters(owner_key)
                return self._check(owner_key, task_id)
            # It can be read once a release that knows its schema is deployed, or somebody has repaired it.
            pause = BETWEEN_CHECKS
        except ExecutorThrottled:
            raise
        except Exception:
            logger.exception("the check of a task failed", extra={**about, "fallback": "check_failed"})
            # Most failures are AWS's and pass.  Tasks whose checks always fail come after all that are due by then.
            pause = GRACE
        try:
            self.ports.backlog.postpone(owner_key, task_id, self.ports.clock.now() + pause)
        except Exception:
            logger.exception("the check could not be postponed either", extra=about)
        return False

    def _check(self, owner_key: str, task_id: str) -> bool:
        try:
            task = self.tasks.read(owner_key, task_id)
        except TaskNotFound:
            self.ports.backlog.discard(owner_key, task_id)
            return True
        if is_final(task):
            return False
        now = self.ports.clock.now()
        known = task.id in self._running or _has_no_execution(task) or is_held(task, now)
        overdue = is_overdue(task, now)
        if overdue or not known:
            # Before the check, so that a task at which the process dies is not the first one of the next sweep, too.
            self._postpone(owner_key, task, now + GRACE)
        if overdue:
            if not self.tasks.fail(owner_key, task_id, reason(task), if_so=self._is_overdue):
                # It has ended since it was read, or has time again: its run came to its end, or it was answered.
                return False
            self.ports.executor.stop(task, "timed out")
            return _swept(task_id, "overdue")
        if task.state is State.QUEUED:
            self._start_queued(tenant_of(owner_key))
        if _asks_others(task):
            # Before the check, which is left out where AWS throttles it.
            ApprovalNotices(ports=self.ports).remind(owner_key, task, now)
        return self._go_on(owner_key, task, now) if known else self._compare(owner_key, task, now)

    def _is_overdue(self, task: Task) -> bool:
        return is_overdue(task, self.ports.clock.now())

    def _repair_counters(self, owner_key: str) -> None:
        """Repair the counters of an owner and of its tenant, once in a sweep: no task could end by a damaged one."""
        if owner_key in self._owners:
            return
        self._owners.add(owner_key)
        if self.ports.backlog.repair_counters(owner_key):
            # No task could get its turn meanwhile.
            self._start_queued(tenant_of(owner_key))

    def _start_queued(self, tenant: str) -> None:
        """Start queued tasks of a tenant, once in a sweep: the table's stream starts those that come after them."""
        if tenant not in self._tenants:
            self._tenants.add(tenant)
            self.tasks.start_queued(tenant)

    def _compare(self, owner_key: str, task: Task, told: datetime) -> bool:
        """Bring a live task and its execution together."""
        self.ports.clock.sleep(BETWEEN_DESCRIPTIONS)
        match self.ports.executor.describe(task):
            case Execution.ABSENT if task.state is not State.QUEUED:
                self.tasks.start_again(owner_key, task.id, if_launched=True)
                return _swept(task.id, "never started")
            case Execution.ENDED:
                self.tasks.fail(owner_key, task.id, _ended(task))
                return _swept(task.id, "ended without an outcome")
        return self._go_on(owner_key, task, told)

    def _go_on(self, owner_key: str, task: Task, told: datetime) -> bool:
        """Leave a task alone until its next check, but for one that should go on.

        People were `told` of what it asks as of that time: who is to be since then is told by the next sweep.
        """
        if task.state is State.WORKING:
            # Its input requests have responses, if there were any; who was to resume it may have died.
            self.ports.executor.resume(task)
        until = min(task.due_at + GRACE, self.ports.clock.now() + _pause(task))
        if task.lease is not None:
            # Nobody but a sweep learns that a run without an execution has died.
            until = min(until, task.lease.until)
        if _asks_others(task) and (at := next_notice(owner_key, task, told)) is not None:
            until = min(until, at)
        # Whoever has changed it meanwhile wants it checked sooner: it may have been answered.
        self._postpone(owner_key, task, until)
        return False

    def _postpone(self, owner_key: str, task: Task, until: datetime) -> None:
        self.ports.backlog.postpone(owner_key, task.id, until, version=task.version)


def _pause(task: Task) -> timedelta:
    """Return how long it may stay unknown that the work of a task has ended; others may wait for its slot."""
    if task.state is State.INPUT_REQUIRED:
        return BETWEEN_CHECKS_SUSPENDED
    return BETWEEN_CHECKS if task.holding.slot is None else BETWEEN_CHECKS_RUNNING


def _asks_others(task: Task) -> bool:
    return any(each.approval for each in task.open_input_requests)


def _has_no_execution(task: Task) -> bool:
    """Return whether nothing of the task can have run yet."""
    return task.state is State.QUEUED and not task.was_begun and task.task_token is None


def _ended(task: Task) -> str:
    """Return the reason for the error, where no event of an execution has recorded one."""
    return UNRECORDED if task.lease is None else DIED


def _swept(task_id: str, found: str) -> bool:
    logger.warning("the sweep reconciled a task", extra={"task": task_id, "found": found, "fallback": "swept"})
    return True
