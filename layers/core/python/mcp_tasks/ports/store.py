"""The store of tasks, the queue of those that wait for a slot, and the backlog of live tasks that the sweep checks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from types import MappingProxyType
from typing import Protocol

from mcp_tasks.records import record
from mcp_tasks.tasks.idempotency import IdempotencyKey
from mcp_tasks.tasks.model import JSON, InputResponse, Outcome, RunLease, Task
from mcp_tasks.tasks.plan import NO_PLAN, Plan


@record
class InitialRecords:
    """What a call recorded before it became a task: results of its steps, and responses to its input requests."""

    steps: Mapping[str, JSON] = field(default_factory=dict)
    responses: Mapping[str, InputResponse] = field(default_factory=dict)


NO_RECORDS = InitialRecords()


class TaskStore(Protocol):
    """Stores tasks under the owner key of their caller, with conditional writes; reads are strongly consistent.

    A task whose `expires_at` has passed counts as deleted, whether or not it has been deleted yet.
    """

    def create(
        self,
        owner_key: str,
        task: Task,
        arguments: Mapping[str, JSON],
        *,
        key: IdempotencyKey | None,
        plan: Plan,
        records: InitialRecords = NO_RECORDS,
    ) -> Task:
        """Store a task with its initial records, and count it against its tenant's `plan`, both or neither.

        Returns the stored task, which is an earlier one if `key` belongs to that.  A queued one is started instead
        where a slot is free and nobody waits for it.
        Raises `LimitReached`, where the plan leaves no task or no room for its arguments, `ArgumentsTooLarge` and
        `KeyReused`.
        """

    def read(self, owner_key: str, task_id: str) -> Task:
        """Return the task as last written; raises `TaskNotFound`."""

    def read_recent(self, owner_key: str, task_id: str) -> Task:
        """Return the task as it was a moment ago, at half the price; raises `TaskNotFound`.

        Two such reads may see it in the wrong order: the greater version is the newer one.
        """

    def write(
        self,
        owner_key: str,
        before: Task,
        after: Task,
        outcome: Outcome | None = None,
        responses: Mapping[str, InputResponse] = MappingProxyType({}),
        plan: Plan = NO_PLAN,
    ) -> Task:
        """Replace `before` by `after`, and store its outcome and the responses to its input requests with it.

        What a tool returned is recorded before, and stays even if this write fails: of all that try to finish a task
        with an outcome, the first to come says which it is.  `OutcomeRecorded` tells the others, and has it.  A failure
        is recorded with the task, or not at all.
        Returns the task as stored: one that becomes queued is started instead, if the `plan` leaves it a free slot.
        A task that becomes final stops counting against its tenant's limit, in the same write, and its outcome counts
        among what the tenant keeps if the `plan` limits that.
        Raises `StaleTask` when the stored task is not `before` any more.
        """

    def arguments(self, owner_key: str, task_id: str) -> Mapping[str, JSON]:
        """Return what the tool was called with; raises `TaskNotFound`."""

    def outcome(self, owner_key: str, task_id: str) -> Outcome:
        """Return the outcome of a finished task; raises `TaskNotFound`.

        Of a task in another state there may be one that nobody is to see, since it is recorded first.
        """

    def response(self, owner_key: str, task_id: str, key: str) -> InputResponse | None:
        """Return the response to one of the task's input requests, or None if there is none."""

    def awaiting_input(self, owner_key: str, session: str) -> Sequence[str]:
        """Return the ids of the tasks of a session whose input requests are open; only 2025-11-25 has sessions."""

    def page(self, owner_key: str, *, before: str | None, limit: int) -> Sequence[Task]:
        """Return up to `limit` tasks of the owner, newest first, whose ids come before `before`."""

    def step_names(self, owner_key: str, task_id: str) -> Mapping[str, str | None]:
        """Return the names of all recorded steps by their hashes; None for one that an earlier release recorded."""

    def steps(self, owner_key: str, task_id: str) -> Iterable[tuple[str, JSON]]:
        """Yield what steps of the task's tool recorded, by their hashed names; large values are left out."""

    def recall(self, owner_key: str, task_id: str, step: str) -> tuple[JSON] | None:
        """Return what a step of the task's tool recorded, in a tuple of one, or None if it has not run."""

    def record(self, owner_key: str, task: Task, step: str, value: JSON) -> JSON:
        """Record the result of a step, unless one is recorded already; returns the recorded one."""

    def claim(self, owner_key: str, task: Task, listener: str) -> bool:
        """Raise the version of the task that a listener was notified of, and return whether it was lower."""

    def release(self, owner_key: str, task_id: str, task: Task | None = None) -> None:
        """Stop counting a task that was deleted while it was live, and what it held; has no effect when repeated."""


class Queue(Protocol):
    """The tasks of each tenant that wait for a slot."""

    def start_next(self, tenant: str, plan: Plan) -> tuple[str, Task] | None:
        """Start the task whose turn it is, and return its owner key and itself; None where none waits, or none may.

        Subjects take turns, but for those that run their share.
        """

    def tasks_before(self, owner_key: str, task: Task) -> int:
        """Return how many of the owner's tasks wait before this one, more than `MAX_PLACE` if they are more."""

    def settle(self, owner_key: str, task: Task) -> None:
        """Give back what a stored task holds beyond what it may, as release 0.3 leaves it; may be repeated."""


class Backlog(Protocol):
    """The live tasks of all tenants: when the sweep is to check each, and what does its work, if that was started."""

    def due(self, *, limit: int) -> Iterable[tuple[str, str]]:
        """Yield owner key and id of up to `limit` live tasks to check, the most overdue first."""

    def postpone(self, owner_key: str, task_id: str, until: datetime, *, version: int | None = None) -> None:
        """Make a live task due for its next check at `until`, unless it has another `version` by now."""

    def launched(self, owner_key: str, task_id: str) -> bool:
        """Record that a task's execution was started, if the task is live; return whether it is."""

    def lease(self, owner_key: str, task: Task, lease: RunLease) -> bool:
        """Record the lease of a task's run, if the task is live and still has the one that it was read with.

        Returns whether it has the new one now.
        """

    def discard(self, owner_key: str, task_id: str) -> None:
        """Delete the task if it has expired."""

    def repair_counters(self, owner_key: str) -> bool:
        """Where a counter of the owner or of its tenant is damaged, count anew what the tenant's live tasks hold.

        Returns whether one was.
        """
