"""The task store in the memory of one process, for `make serve` and tests.

The same contract tests run against it and DynamoDB's.
"""

import json
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime

from mcp_tasks.adapters.memory.inbox import MemoryInbox
from mcp_tasks.adapters.memory.start_limits import check_bytes, check_waiting
from mcp_tasks.adapters.memory.turns import check_share, checked_at, is_free, next_turn, placed, queue
from mcp_tasks.limits.waits import FIRST_CHECK
from mcp_tasks.ports.clock import Clock
from mcp_tasks.ports.store import NO_RECORDS, InitialRecords
from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.documents import document_of
from mcp_tasks.tasks.errors import KeyReused, OutcomeRecorded, StaleTask, TaskNotFound, TooManyTasks
from mcp_tasks.tasks.events import Started
from mcp_tasks.tasks.hashing import hashed
from mcp_tasks.tasks.idempotency import IdempotencyKey
from mcp_tasks.tasks.model import JSON, InputResponse, Outcome, Returned, RunLease, State, Task
from mcp_tasks.tasks.plan import NO_PLAN, Plan
from mcp_tasks.tasks.stored_bytes import size_of
from mcp_tasks.tasks.transitions import advance, is_final


@dataclass(slots=True, kw_only=True)
class _Record:
    task: Task
    arguments: Mapping[str, JSON]
    check_at: datetime
    outcome: Outcome | None = None
    steps: dict[str, str] = field(default_factory=dict)
    responses: dict[str, InputResponse] = field(default_factory=dict)
    notified: dict[str, int] = field(default_factory=dict)
    released: bool = False
    stored: int = 0


class MemoryTaskStore:
    """The `TaskStore`, the `Queue` and the `Backlog` in one dictionary; all writes notify the condition `changed`."""

    def __init__(self, clock: Clock) -> None:
        self.changed = threading.Condition()
        self.inbox = MemoryInbox(clock, self.changed)
        self._clock = clock
        self._records: dict[tuple[str, str], _Record] = {}
        self._served: dict[str, str] = {}
        self._keys: dict[tuple[str, str], tuple[str, str, datetime]] = {}

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
        """Add a task, unless its key stands for an earlier one or the live tasks are as many as the plan allows."""
        with self.changed:
            if key is not None and (earlier := self._earlier(owner_key, key)) is not None:
                return earlier
            check_waiting(self.all_tasks(), owner_key, plan)
            stored = 0 if plan.stored_bytes is None else size_of(arguments)
            kept = [(owner, record.task, record.stored) for (owner, _), record in self._records.items()]
            check_bytes(kept, owner_key, stored, plan, self._clock.now())
            self._check_active(owner_key, task, plan)
            task = placed(self.all_tasks(), owner_key, task, plan)
            self._records[owner_key, task.id] = _Record(
                task=task,
                arguments=arguments,
                check_at=task.created_at + FIRST_CHECK,
                steps={name: json.dumps(value) for name, value in records.steps.items()},
                responses=dict(records.responses),
                stored=stored,
            )
            if key is not None:
                self._keys[owner_key, key.name] = (key.fingerprint, task.id, self._clock.now() + key.lifetime)
            self._on_change(owner_key, None, task, records)
            self.changed.notify_all()
            return task

    def read(self, owner_key: str, task_id: str) -> Task:
        """Return the task as last written."""
        with self.changed:
            return self._record(owner_key, task_id).task

    def read_recent(self, owner_key: str, task_id: str) -> Task:
        """Return the task as last written."""
        return self.read(owner_key, task_id)

    def write(
        self,
        owner_key: str,
        before: Task,
        after: Task,
        outcome: Outcome | None = None,
        responses: Mapping[str, InputResponse] = NO_RECORDS.responses,
        plan: Plan = NO_PLAN,
    ) -> Task:
        """Replace a task that has `before`'s version; the sweep checks a task whose input came soon again."""
        with self.changed:
            try:
                record = self._record(owner_key, before.id)
            except TaskNotFound as error:
                raise StaleTask("gone") from error
            # This stays even if the write fails, and a failure does not.
            if isinstance(outcome, Returned):
                record.outcome = record.outcome or outcome
            if outcome is not None and record.outcome is not None and record.outcome != outcome:
                raise OutcomeRecorded(record.outcome)
            if record.task.version != before.version:
                raise StaleTask(f"version {record.task.version}, not {before.version}")
            others = [each for each in self.all_tasks() if each[1].id != before.id]
            after = placed(others, owner_key, after, plan)
            self.inbox.change(owner_key, before, after, responses)
            record.task = replace(after, launched=record.task.launched, lease=record.task.lease)
            record.outcome = record.outcome or outcome
            record.responses |= responses
            if outcome is not None and plan.stored_bytes is not None:
                record.stored += size_of(document_of(outcome))
            if after.state is not before.state:
                record.check_at = checked_at(owner_key, after) or record.check_at
            self._on_change(owner_key, before, after, InitialRecords(responses=responses))
            self.changed.notify_all()
            return after

    def arguments(self, owner_key: str, task_id: str) -> Mapping[str, JSON]:
        """Return the arguments that the task was created with."""
        with self.changed:
            return self._record(owner_key, task_id).arguments

    def outcome(self, owner_key: str, task_id: str) -> Outcome:
        """Return the outcome; raises `TaskNotFound` also for a task that has none yet."""
        with self.changed:
            outcome = self._record(owner_key, task_id).outcome
        if outcome is None:
            raise TaskNotFound(task_id)
        return outcome

    def response(self, owner_key: str, task_id: str, key: str) -> InputResponse | None:
        """Return the response to an input request, None also when the task has expired."""
        with self.changed, suppress(TaskNotFound):
            return self._record(owner_key, task_id).responses.get(key)
        return None

    def awaiting_input(self, owner_key: str, session: str) -> Sequence[str]:
        """Return the ids of the session's tasks that await input, found by a scan of all."""
        with self.changed:
            mine = [record.task for (owner, _), record in self._records.items() if owner == owner_key]
        waiting = [task for task in mine if task.session == session and task.state is State.INPUT_REQUIRED]
        return sorted(task.id for task in waiting if task.expires_at > self._clock.now())

    def page(self, owner_key: str, *, before: str | None, limit: int) -> Sequence[Task]:
        """Return the owner's tasks, newest first, found by a scan of all."""
        with self.changed:
            mine = [record.task for (owner, _), record in self._records.items() if owner == owner_key]
        live = [task for task in mine if task.expires_at > self._clock.now() and (before is None or task.id < before)]
        return sorted(live, key=lambda task: task.id, reverse=True)[:limit]

    def steps(self, owner_key: str, task_id: str) -> Iterable[tuple[str, JSON]]:
        """Return all steps, each value from its JSON."""
        with self.changed, suppress(TaskNotFound):
            return [(hashed(step), json.loads(kept)) for step, kept in self._record(owner_key, task_id).steps.items()]
        return []

    def count_steps(self, owner_key: str, task_id: str) -> int:
        """Count all steps."""
        return len(list(self.steps(owner_key, task_id)))

    def recall(self, owner_key: str, task_id: str, step: str) -> tuple[JSON] | None:
        """Return a step's value from its JSON, so that a tool is never given the object that it recorded."""
        with self.changed:
            try:
                steps = self._record(owner_key, task_id).steps
            except TaskNotFound:
                return None
            return (json.loads(steps[step]),) if step in steps else None

    def record(self, owner_key: str, task: Task, step: str, value: JSON) -> JSON:
        """Keep a step's value as JSON, unless one is kept; returns a copy of the kept one."""
        with self.changed:
            return json.loads(self._record(owner_key, task.id).steps.setdefault(step, json.dumps(value)))

    def claim(self, owner_key: str, task: Task, listener: str) -> bool:
        """Raise the version that the listener was notified of; returns whether it was lower."""
        with self.changed:
            notified = self._record(owner_key, task.id).notified
            fresh = task.version > notified.get(listener, 0)
            notified[listener] = max(notified.get(listener, 0), task.version)
            return fresh

    def release(self, owner_key: str, task_id: str, task: Task | None = None) -> None:
        """Do nothing: the live tasks themselves are counted, so a deleted one is not."""

    def start_next(self, tenant: str, plan: Plan) -> tuple[str, Task] | None:
        """Start the task whose turn it is, among those that have not expired."""
        with self.changed:
            now = self._clock.now()
            of_tenant = [(owner, task) for owner, task in self.all_tasks() if tenant_of(owner) == tenant]
            alive = [(owner, task) for owner, task in of_tenant if task.expires_at > now or task.holding.queue is None]
            turn = next_turn(alive, plan, self._served.get(tenant, "")) if is_free(of_tenant, plan) else None
            if turn is None:
                return None
            owner_key, before = turn
            started = advance(before, Started(slot=0), now=now)
            self._served[tenant] = owner_key
            return owner_key, self.write(owner_key, before, replace(started, version=before.version + 1))

    def waiting(self) -> set[str]:
        """Return the tenants with queued tasks."""
        with self.changed:
            return {tenant_of(owner_key) for owner_key, task in self.all_tasks() if task.state is State.QUEUED}

    def tasks_before(self, owner_key: str, task: Task) -> int:
        """Count the owner's places before that of the task."""
        with self.changed:
            mine = queue(each for each in self.all_tasks() if each[0] == owner_key)
            return sum((not each.was_begun, each.id) < (not task.was_begun, task.id) for _, each in mine)

    def settle(self, owner_key: str, task: Task) -> None:
        """Do nothing: no other release writes to the memory of this process."""

    def due(self, *, limit: int) -> Iterable[tuple[str, str]]:
        """Return the live tasks whose check is due, expired ones included, by the time of the check."""
        now = self._clock.now()
        with self.changed:
            live = [(record.check_at, at) for at, record in self._records.items() if not is_final(record.task)]
        return [at for check_at, at in sorted(live) if check_at <= now][:limit]

    def postpone(self, owner_key: str, task_id: str, until: datetime, *, version: int | None = None) -> None:
        """Set when the task is checked next, if it is still here, in that version."""
        with self.changed:
            record = self._records.get((owner_key, task_id))
            if record is not None and version in (None, record.task.version):
                record.check_at = until

    def launched(self, owner_key: str, task_id: str) -> bool:
        """Record that the task was launched, as no change of it."""
        return self._mark(owner_key, task_id, lambda task: replace(task, launched=True))

    def lease(self, owner_key: str, task: Task, lease: RunLease) -> bool:
        """Record the lease of the task's run, as no change of it."""
        known = (task.lease, lease)
        return self._mark(owner_key, task.id, lambda each: replace(each, lease=lease) if each.lease in known else None)

    def discard(self, owner_key: str, task_id: str) -> None:
        """Delete the task if it has expired."""
        with self.changed:
            record = self._records.get((owner_key, task_id))
            if record is not None and record.task.expires_at <= self._clock.now():
                del self._records[owner_key, task_id]
                self._on_change(owner_key, record.task, None, NO_RECORDS)

    def _mark(self, owner_key: str, task_id: str, mark: Callable[[Task], Task | None]) -> bool:
        """Replace a live task by what `mark` returns, in the same version; return whether that was anything."""
        with self.changed, suppress(TaskNotFound):
            record = self._record(owner_key, task_id)
            marked = None if is_final(record.task) else mark(record.task)
            record.task = marked or record.task
            return marked is not None
        return False

    def _on_change(self, owner_key: str, before: Task | None, after: Task | None, records: InitialRecords) -> None:
        """Take each change of a task, with what was stored beside it, as the table's stream does; for subclasses."""

    def _record(self, owner_key: str, task_id: str) -> _Record:
        record = self._records.get((owner_key, task_id))
        if record is None or record.task.expires_at <= self._clock.now():
            raise TaskNotFound(task_id)
        return record

    def _earlier(self, owner_key: str, key: IdempotencyKey) -> Task | None:
        fingerprint, task_id, expires_at = self._keys.get((owner_key, key.name), ("", "", self._clock.now()))
        if expires_at > self._clock.now():
            if fingerprint != key.fingerprint:
                raise KeyReused(key.name)
            with suppress(TaskNotFound):
                earlier = self._record(owner_key, task_id).task
                return earlier if key.stands_for(earlier) else None
        return None

    def _check_active(self, owner_key: str, task: Task, plan: Plan) -> None:
        """Raise `TooManyTasks` where the subject or its tenant may have no further task."""
        check_share(self.all_tasks(), owner_key, task, plan)
        if self._active(owner_key) >= plan.active_tasks:
            raise TooManyTasks(plan.active_tasks)

    def _active(self, owner_key: str) -> int:
        return sum(tenant_of(owner) == tenant_of(owner_key) and not is_final(task) for owner, task in self.all_tasks())

    def all_tasks(self) -> list[tuple[str, Task]]:
        """Return all tasks with the keys of their owners; whoever calls this holds `changed`."""
        return [(owner_key, record.task) for (owner_key, _), record in self._records.items()]
