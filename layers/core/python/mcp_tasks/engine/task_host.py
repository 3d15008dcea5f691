"""The host of a run on the store: one task of one owner is all that a run reaches through it."""

import json
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TypeVar

from mcp_tasks import audit
from mcp_tasks.engine.operations import TaskOperations
from mcp_tasks.engine.suspension import Suspension
from mcp_tasks.fallbacks import report_unreadable
from mcp_tasks.limits.tools import MAX_LOADED_CHARACTERS
from mcp_tasks.limits.waits import BETWEEN_REPORTS
from mcp_tasks.ports.run_host import LoadedRun, RunNotWanted
from mcp_tasks.records import record
from mcp_tasks.security.credentials import Credentials
from mcp_tasks.security.scopes import INSUFFICIENT_SCOPE, lacks
from mcp_tasks.security.tenancy import Caller, tenant_of
from mcp_tasks.tasks.documents import document_of_response
from mcp_tasks.tasks.errors import (
    DamagedCounter,
    IllegalTransition,
    NewerSchema,
    PayloadRefused,
    StaleTask,
    TaskNotFound,
    UnreadableItem,
)
from mcp_tasks.tasks.events import EndExpected, Event, Progressed, StatusReported
from mcp_tasks.tasks.hashing import hashed
from mcp_tasks.tasks.model import (
    DIRECT_MACHINE,
    JSON,
    Failed,
    InputRequest,
    InputResponse,
    Outcome,
    Progress,
    RunLease,
    Task,
)
from mcp_tasks.tasks.run_lease import granted, renewed
from mcp_tasks.tasks.transitions import is_final

logger = logging.getLogger(__name__)

T = TypeVar("T")


@record
class TaskHost:
    """Implements `RunHost` for the task of an owner; `needed` are the scopes that a call of a tool needs today.

    `run` is the name of the run, under which it holds the lease of a task without an execution.
    """

    tasks: TaskOperations
    owner_key: str
    task_id: str
    run: str = ""
    needed: Callable[[str], Sequence[str]] = lambda tool: ()

    def load(self) -> LoadedRun | timedelta:
        """Give up the input requests that have timed out, get a slot, and return what the run begins with."""
        with _while_wanted(), self._while_readable():
            task = self._suspension.expire(self.owner_key, self.task_id)
            _check(task)
            task = self._suspension.admit(self.owner_key, task)
            _check(task)
            if (suspended := self._suspension.remaining(task)) is not None:
                # By a run that died then, or by the call before it was a task; or some responses are still missing; or
                # no slot is free.
                return suspended
            self._check_scopes(task)
            lease, now = self._lease(task), self.tasks.now()
            due_at = min(task.due_at, now + task.timeout)
            return LoadedRun(
                owner_key=self.owner_key,
                task_id=task.id,
                tool=task.tool,
                tool_version=task.tool_version,
                trace=task.trace,
                arguments=self.tasks.arguments(self.owner_key, task.id),
                scopes=task.scopes,
                actor=task.actor,
                client_capabilities=task.client_capabilities,
                requested=task.requested,
                steps=_fitting(self.tasks.recorded_steps(self.owner_key, task.id)),
                responses=_fitting(self._responses(task), document_of_response),
                ttl=task.ttl,
                expires_at=task.expires_at,
                due_at=due_at,
                attempt=None if lease is None else lease.number,
                left=due_at - now,
            )

    def renew(self) -> None:
        """Renew the lease of the run, unless another run has taken it."""
        with _while_wanted():
            task = self.tasks.read(self.owner_key, self.task_id)
            _check(task)
            if task.lease is not None:
                self._hold(task, renewed(task, self.run, self.tasks.now()))

    def check(self) -> None:
        """Return if the task is live."""
        with _while_wanted():
            _check(self.tasks.read(self.owner_key, self.task_id))

    def progressed(self, progress: Progress) -> None:
        """Write progress that is higher than before: a later attempt reports the same again, and it must rise."""

        def report(task: Task) -> Progressed | None:
            rises = task.progress is None or progress.progress > task.progress.progress
            return Progressed(progress=progress) if rises else None

        self._report(report)

    def status_reported(self, status_message: str) -> None:
        """Write a status message that differs from the one before."""

        def report(task: Task) -> StatusReported | None:
            return None if status_message == task.status_message else StatusReported(status_message=status_message)

        self._report(report)

    def expected(self, at: datetime) -> None:
        """Write when the work will be done, but for what is nearly what was said before: a replay says it again."""

        def report(task: Task) -> EndExpected | None:
            known, until = task.expected_at, max(task.created_at, min(at, task.expires_at))
            return None if known is not None and abs(known - until) < BETWEEN_REPORTS else EndExpected(until)

        self._report(report)

    def recall(self, step: str) -> tuple[JSON] | None:
        """Return what a step recorded."""
        self.check()
        with self._while_readable():
            return self.tasks.recorded_step(self.owner_key, self.task_id, step)

    def record(self, step: str, value: JSON) -> JSON:
        """Record the result of a step: of two runs, the first to record it wins."""
        with _while_wanted(), self._while_readable():
            task = self.tasks.read(self.owner_key, self.task_id)
            _check(task)
            recorded = self.tasks.record_step(self.owner_key, task, step, value)
        at = self.tasks.now().isoformat()
        fields = {"tool": task.tool, "task": task.id, "step": hashed(step), "at": at}
        # Of two runs that record it at once, each writes that: a reader takes the two for one.
        audit.write("task.step", Caller.of_owner_key(self.owner_key), fields)
        return recorded

    def count_steps(self) -> int:
        """Return how many steps are recorded."""
        self.check()
        return len(self.tasks.step_names(self.owner_key, self.task_id))

    def response(self, key: str) -> InputResponse | None:
        """Return the response to one of the task's input requests."""
        self.check()
        with self._while_readable():
            return self.tasks.response(self.owner_key, self.task_id, key)

    def tenant_credentials(self) -> Credentials | None:
        """Return credentials for what is the owner's tenant's own in AWS."""
        self.check()
        return self.tasks.tenant_credentials(self.owner_key)

    def published(self, uri: str) -> None:
        """Publish that a resource changed."""
        self.check()
        self.tasks.publish(self.owner_key, uri)

    def request_input(self, input_requests: Sequence[InputRequest]) -> timedelta:
        """Store the input requests that the run ended with."""
        with _while_wanted():
            return self._suspension.request_input(self.owner_key, self.task_id, input_requests)

    def sleep(self, wakes_at: datetime) -> timedelta:
        """Store when the task wakes, which is before it expires."""
        with _while_wanted():
            return self._suspension.sleep(self.owner_key, self.task_id, wakes_at)

    def finish(self, outcome: Outcome) -> None:
        """Record the outcome, unless the task has one."""
        with _while_wanted():
            self.tasks.finish(self.owner_key, self.task_id, outcome)

    @contextmanager
    def _while_readable(self) -> Iterator[None]:
        """Fail the task where what is stored of it is damaged, unless another attempt may read it."""
        try:
            yield
        except (DamagedCounter, NewerSchema, PayloadRefused):
            raise
        except UnreadableItem as damaged:
            self.tasks.fail(self.owner_key, self.task_id, damaged.for_client)
            report_unreadable("a task ended as failed", damaged, task=self.task_id, owner_key=self.owner_key)
            raise RunNotWanted from None

    def _check_scopes(self, task: Task) -> None:
        """Fail a task whose tool needs scopes that the request which created it did not have."""
        needed = self.needed(task.tool)
        if not lacks(replace(Caller.of_owner_key(self.owner_key), scopes=task.scopes), needed):
            return
        about = {"task": task.id, "tenant": tenant_of(self.owner_key), "tool": task.tool}
        logger.warning("a task lacks scopes", extra=about)
        reason = f"{task.tool} needs the scopes {' '.join(needed)}, and the request that created this task had fewer."
        self.tasks.finish(self.owner_key, task.id, Failed(code=INSUFFICIENT_SCOPE, message=reason))
        raise RunNotWanted

    def _lease(self, task: Task) -> RunLease | None:
        """Take the lease of a task without an execution, where no other run holds it and this is not one too many."""
        if task.machine != DIRECT_MACHINE:
            return None
        return self._hold(task, granted(task, self.run, self.tasks.now()))

    def _hold(self, task: Task, lease: RunLease | None) -> RunLease:
        if lease is None or not self.tasks.lease(self.owner_key, task, lease):
            raise RunNotWanted
        return lease

    @property
    def _suspension(self) -> Suspension:
        return Suspension(tasks=self.tasks)

    def _responses(self, task: Task) -> Iterator[tuple[str, InputResponse]]:
        for key in task.requested:
            if (response := self.tasks.response(self.owner_key, task.id, key)) is not None:
                yield key, response

    def _report(self, report: Callable[[Task], Event | None]) -> None:
        def decide(task: Task) -> Event | None:
            _check(task)
            return report(task)

        with _while_wanted():
            try:
                self.tasks.change(self.owner_key, self.task_id, decide)
            except StaleTask:
                extra = {"task": self.task_id, "fallback": "report_left_out"}
                logger.info("a report is left out, the next one will do", extra=extra)


def _fitting(values: Iterable[tuple[str, T]], plain: Callable[[T], JSON] = lambda value: value) -> dict[str, T]:
    fitting: dict[str, T] = {}
    left = MAX_LOADED_CHARACTERS
    for key, value in values:
        left -= len(json.dumps(plain(value)))
        if left < 0:
            break
        fitting[key] = value
    return fitting


@contextmanager
def _while_wanted() -> Iterator[None]:
    try:
        yield
    except (IllegalTransition, TaskNotFound) as error:
        raise RunNotWanted from error


def _check(task: Task) -> None:
    if is_final(task):
        raise RunNotWanted
