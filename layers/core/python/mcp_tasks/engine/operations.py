"""Operations on one task by owner key and id, for the modules that run, suspend and reconcile the work.

The store is written first, the side effect comes second.  A side effect that fails is logged and left to the table's
stream, which repeats it (`reconciler`), so that no response waits for the executor and nothing is lost.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from mcp_tasks.engine.result_size import within
from mcp_tasks.fallbacks import report_unreadable
from mcp_tasks.limits.tools import MAX_LINE_CHARACTERS
from mcp_tasks.limits.waits import MAX_STARTED_AT_ONCE, MAX_WRITE_ATTEMPTS
from mcp_tasks.patience import Patience, patient
from mcp_tasks.ports import Ports
from mcp_tasks.ports.executor import ExecutorUnavailable
from mcp_tasks.ports.waiter import Waker
from mcp_tasks.records import record
from mcp_tasks.security.credentials import Credentials
from mcp_tasks.security.tenancy import Caller, tenant_of
from mcp_tasks.tasks.errors import (
    IllegalTransition,
    OutcomeRecorded,
    StaleTask,
    TaskNotFound,
    Unavailable,
    UnreadableItem,
)
from mcp_tasks.tasks.events import Event, Finished, InputReceived, Resumed, SlotNeeded
from mcp_tasks.tasks.model import JSON, Failed, InputResponse, Outcome, OutcomeKind, Returned, RunLease, Task
from mcp_tasks.tasks.plan import NO_PLAN, Plan
from mcp_tasks.tasks.transitions import advance, is_final

logger = logging.getLogger(__name__)


INTERNAL_ERROR = -32603
"""JSON-RPC's code for an internal error."""


@record
class TaskOperations:
    """Operations on single tasks for code that knows their owner key; `TaskService` adds those of clients' requests."""

    ports: Ports

    def now(self) -> datetime:
        """Return the time by which tasks expire and waits end, in UTC."""
        return self.ports.clock.now()

    def sleep(self, duration: timedelta) -> None:
        """Return after that much time has passed."""
        self.ports.clock.sleep(duration)

    def patience(self, left: timedelta) -> Patience:
        """Return the patience of a request that has this much time left."""
        return Patience(clock=self.ports.clock, until=self.now() + left)

    def read(self, owner_key: str, task_id: str) -> Task:
        """Return the task as it is now; raises `TaskNotFound`."""
        return self.ports.tasks.read(owner_key, task_id)

    def read_again(self, owner_key: str, task: Task, woken_by: Waker) -> Task:
        """Return the task after a pause, at half the price if nothing says that it was written; never an older one.

        While AWS is unavailable it is the same one: a wait then ends with its time.
        """
        read = self.ports.tasks.read if woken_by is Waker.STREAM else self.ports.tasks.read_recent
        with suppress(Unavailable):
            return max(task, read(owner_key, task.id), key=lambda each: each.version)
        return task

    def arguments(self, owner_key: str, task_id: str) -> Mapping[str, JSON]:
        """Return what the task's tool was called with; raises `TaskNotFound`."""
        return self.ports.tasks.arguments(owner_key, task_id)

    def recorded_steps(self, owner_key: str, task_id: str) -> Iterable[tuple[str, JSON]]:
        """Yield what steps of the task's tool recorded, by their hashed names; large values are left out."""
        return self.ports.tasks.steps(owner_key, task_id)

    def step_names(self, owner_key: str, task_id: str) -> Mapping[str, str | None]:
        """Return the names of all recorded steps by their hashes; None for one that an earlier release recorded."""
        return self.ports.tasks.step_names(owner_key, task_id)

    def recorded_step(self, owner_key: str, task_id: str, name: str) -> tuple[JSON] | None:
        """Return what a step of the task's tool recorded, in a tuple of one, or None if it has not run."""
        return self.ports.tasks.recall(owner_key, task_id, name)

    def record_step(self, owner_key: str, task: Task, name: str, value: JSON) -> JSON:
        """Record the result of a step, unless an earlier run of it did; returns the recorded one."""
        return self.ports.tasks.record(owner_key, task, name, value)

    def response(self, owner_key: str, task_id: str, key: str) -> InputResponse | None:
        """Return the response to one of the task's input requests, if there is one."""
        return self.ports.tasks.response(owner_key, task_id, key)

    def lease(self, owner_key: str, task: Task, lease: RunLease) -> bool:
        """Return whether the task has the lease now, which it has unless its lease changed since it was read."""
        return self.ports.backlog.lease(owner_key, task, lease)

    def tenant_credentials(self, owner_key: str) -> Credentials | None:
        """Return credentials for what is the owner's tenant's own in AWS, if there are any."""
        access = self.ports.tenant_access
        return None if access is None else access.credentials(Caller.of_owner_key(owner_key))

    def publish(self, owner_key: str, uri: str) -> None:
        """Publish that the resource at a URI changed, to all callers of the owner's tenant."""
        self.ports.change_feed.publish(owner_key, uri)

    def launch(self, owner_key: str, task: Task, arguments: Mapping[str, JSON]) -> None:
        """Start the execution of a live task, unless it was started before; raises `ExecutorUnavailable`."""
        self.ports.executor.start(owner_key, task, arguments)
        # So the table's stream need not start it again.  A cancellation before this line found no execution to stop.
        if not self.ports.backlog.launched(owner_key, task.id):
            self.ports.executor.stop(task, "cancelled before it started")

    def start_again(self, owner_key: str, task_id: str, *, if_launched: bool = False) -> None:
        """Launch a stored task, unless it is gone, final or, if it shall be left alone then, known to be launched.

        Raises `ExecutorUnavailable`.
        """
        with suppress(TaskNotFound):
            task = self.read(owner_key, task_id)
            if not is_final(task) and (if_launched or not task.launched):
                self.launch(owner_key, task, self.arguments(owner_key, task_id))

    def finish(
        self, owner_key: str, task_id: str, outcome: Outcome, *, if_so: Callable[[Task], bool] = lambda task: True
    ) -> Task:
        """Finish a task with the outcome, or with one that an earlier attempt recorded and could not finish it with.

        Where the stored task is not `if_so`, nothing is written.  Raises `TaskNotFound` and, if the task is final
        already, `IllegalTransition`.
        """
        plan = self._plan_if_readable(owner_key)
        try:
            return self._finish(owner_key, task_id, _fitting(plan, outcome), plan, if_so)
        except OutcomeRecorded as recorded:
            return self._finish(owner_key, task_id, recorded.outcome, plan, lambda task: True)

    def fitting(self, owner_key: str, outcome: Outcome) -> Outcome:
        """Return the outcome as its tenant's plan leaves it: no result, and no data of an error, that is too large."""
        return _fitting(self._plan_if_readable(owner_key), outcome)

    def fail(
        self, owner_key: str, task_id: str, reason: str, *, if_so: Callable[[Task], bool] = lambda task: True
    ) -> bool:
        """Finish a task whose work ended without an outcome, if it is live and `if_so`; return whether it was."""
        try:
            ended = self.finish(owner_key, task_id, Failed(code=INTERNAL_ERROR, message=reason), if_so=if_so)
        except (TaskNotFound, IllegalTransition):
            return False
        if ended.outcome_kind is OutcomeKind.FAILED:
            logger.warning("task %s failed, since its work recorded no outcome: %s", task_id, reason)
        return is_final(ended)

    def apply(self, owner_key: str, task_id: str, event: Event) -> Task:
        """Apply an event to the stored task; raises what `change` raises."""
        return self.change(owner_key, task_id, lambda task: event)

    def change(
        self, owner_key: str, task_id: str, decide: Callable[[Task], Event | None], plan: Plan = NO_PLAN
    ) -> Task:
        """Apply the event that `decide` returns for the stored task; no stored task changes in any other way.

        Where `decide` returns None, nothing is written.  What a task that ends keeps is counted by the `plan`.  Another
        process's write makes it decide again.  Raises `TaskNotFound`, `IllegalTransition`, and `StaleTask` when it lost
        `MAX_WRITE_ATTEMPTS` races.
        """
        for _ in range(MAX_WRITE_ATTEMPTS):
            before = self.ports.tasks.read(owner_key, task_id)
            event = decide(before)
            if event is None:
                return before
            moved = advance(before, event, now=self.ports.clock.now())
            after = replace(moved, version=before.version + 1)
            try:
                after = self._write(owner_key, before, after, event, plan)
            except StaleTask:
                continue
            return after
        raise StaleTask(f"lost {MAX_WRITE_ATTEMPTS} races for one task")

    def start_queued(self, tenant: str, *, most: int = MAX_STARTED_AT_ONCE) -> None:
        """Start the tenant's queued tasks whose turn it is, as long as slots are free, and then their work.

        A request starts one at most, and leaves others to the table's stream, as is a start that fails.
        """
        plan = self.ports.plans.of(tenant)
        for _ in range(most):
            started = self.ports.queue.start_next(tenant, plan)
            if started is None:
                return
            self.attempt(partial(self.begin, *started))

    def begin(self, owner_key: str, task: Task) -> None:
        """Start the execution of a task that got its slot, or resume it; raises `ExecutorUnavailable`."""
        if not task.was_begun:
            with suppress(TaskNotFound):
                self.launch(owner_key, task, self.arguments(owner_key, task.id))
        if task.task_token is not None:
            # One without a token finds the slot when it is about to wait for it.
            self.resume(task)

    def resume(self, task: Task) -> None:
        """Resume a suspended execution, unless it runs or has ended; raises `ExecutorUnavailable`."""
        self.ports.executor.resume(task)

    def attempt(self, effect: Callable[[], None]) -> None:
        """Cause the side effect of a write; if AWS is unavailable for it, the table's stream repeats it.

        So no client waits until it is available again.
        """
        try:
            with patient(self.patience(timedelta())):
                effect()
        except (ExecutorUnavailable, Unavailable):
            message = "AWS is unavailable: the table's stream will repeat this side effect"
            logger.exception(message, extra={"fallback": "left_to_stream"})

    def _finish(
        self, owner_key: str, task_id: str, outcome: Outcome, plan: Plan, if_so: Callable[[Task], bool]
    ) -> Task:
        event = Finished(outcome=outcome, status_message=_reason(outcome))
        return self.change(owner_key, task_id, lambda task: event if if_so(task) else None, plan=plan)

    def _write(self, owner_key: str, before: Task, after: Task, event: Event, plan: Plan) -> Task:
        write = self.ports.tasks.write
        match event:
            case Finished(outcome=outcome):
                return write(owner_key, before, after, outcome, plan=plan)
            case InputReceived(responses=responses):
                return write(owner_key, before, after, responses=responses)
            case Resumed(responses=responses):
                plan = self.ports.plans.of(tenant_of(owner_key))
                return write(owner_key, before, after, responses=responses, plan=plan)
            case SlotNeeded():
                return write(owner_key, before, after, plan=self.ports.plans.of(tenant_of(owner_key)))
            case _:
                return write(owner_key, before, after)

    def _plan_if_readable(self, owner_key: str) -> Plan:
        """Return the plan of an owner's tenant, or none: no plan keeps a task from ending."""
        try:
            return self.ports.plans.of(tenant_of(owner_key))
        except UnreadableItem as unreadable:
            report_unreadable("an outcome is neither limited nor counted", unreadable, owner_key=owner_key)
            return NO_PLAN


def _fitting(plan: Plan, outcome: Outcome) -> Outcome:
    return outcome if plan.result_bytes is None else within(plan.result_bytes, outcome)


def _reason(outcome: Outcome) -> str | None:
    """Return why the work failed in one line, for the status message; None if it did not."""
    match outcome:
        case Failed(message=message):
            return message[:MAX_LINE_CHARACTERS]
        case Returned(is_error=True, result={"content": [{"text": str(text)}, *_]}):
            return text[:MAX_LINE_CHARACTERS]
        case _:
            return None
