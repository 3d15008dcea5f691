"""The task store in the memory of one process: the same contract tests run against it and DynamoDB's."""

import json
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from itertools import islice, takewhile

from mcp_tasks.adapters.memory.inbox import MemoryInbox
from mcp_tasks.adapters.memory.live import LIVE, QUEUED, place_of
from mcp_tasks.adapters.memory.records import Record, Records
from mcp_tasks.adapters.memory.shelves import Shelves
from mcp_tasks.adapters.memory.start_limits import check_bytes, check_waiting
from mcp_tasks.adapters.memory.turns import check_share, checked_at, is_free, next_turn, placed
from mcp_tasks.limits.waits import FIRST_CHECK, MAX_PLACE
from mcp_tasks.ports.clock import Clock
from mcp_tasks.ports.store import NO_RECORDS, InitialRecords
from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.documents import document_of
from mcp_tasks.tasks.errors import KeyReused, OutcomeRecorded, StaleTask, TaskNotFound, TooManyTasks
from mcp_tasks.tasks.events import Started
from mcp_tasks.tasks.hashing import hashed
from mcp_tasks.tasks.idempotency import IdempotencyKey
from mcp_tasks.tasks.model import JSON, InputResponse, Outcome, Returned, RunLease, Task
from mcp_tasks.tasks.plan import NO_PLAN, Plan
from mcp_tasks.tasks.stored_bytes import size_of
from mcp_tasks.tasks.transitions import advance, is_final


class MemoryTaskStore:
    """The `TaskStore`, the `Queue` and the `Backlog` of one process; all writes notify the condition `changed`.

    A task that has ended is forgotten once it has expired; a live one by `discard`, as it is deleted from the table.
    """

    def __init__(self, clock: Clock) -> None:
        self.changed = threading.Condition()
        self.inbox = MemoryInbox(clock, self.changed)
        self._clock = clock
        self._records = Records(clock)
        self.live = self._records.live
        self._served: dict[str, str] = {}
        self._keys: Shelves[tuple[str, str]] = Shelves(clock)

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
            check_waiting(self.live, owner_key, plan)
            stored = 0 if plan.stored_bytes is None else size_of(arguments)
            check_bytes(self._records.stored, owner_key, stored, plan, self._clock.now())
            self._check_active(owner_key, task, plan)
            task = placed(self.live, owner_key, task, plan)
            record = Record(
                task=task,
                arguments=arguments,
                check_at=task.created_at + FIRST_CHECK,
                steps={name: json.dumps(value) for name, value in records.steps.items()},
                responses=dict(records.responses),
                stored=stored,
            )
            self._records.keep(owner_key, record)
            if key is not None:
                self._keys.put(owner_key, key.name, (key.fingerprint, task.id), self._clock.now() + key.lifetime)
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
            is_stale = record.task.version != before.version
            recorded = record.outcome if isinstance(outcome, Returned) or not is_stale else None
            if outcome is not None and recorded is not None and recorded != outcome:
                raise OutcomeRecorded(recorded)
            if is_stale:
                raise StaleTask(f"version {record.task.version}, not {before.version}")
            after = self._placed(owner_key, record.task, after, plan)
            self.inbox.change(owner_key, before, after, responses)
            record.outcome = record.outcome or outcome
            record.responses |= responses
            more = 0 if outcome is None or plan.stored_bytes is None else size_of(document_of(outcome))
            if after.state is not before.state:
                record.check_at = checked_at(owner_key, after) or record.check_at
            task = replace(after, launched=record.task.launched, lease=record.task.lease)
            self._records.keep(owner_key, replace(record, task=task, stored=record.stored + more))
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
        """Return the ids of the session's tasks that await input."""
        with self.changed:
            waiting = list(self.live.asking.after((owner_key, session), None))
        return [task_id for task_id, expires_at in waiting if expires_at > self._clock.now()]

    def page(self, owner_key: str, *, before: str | None, limit: int) -> Sequence[Task]:
        """Return the owner's tasks, newest first."""
        now = self._clock.now()
        with self.changed:
            mine = (record.task for _, record in self._records.before(owner_key, before))
            return list(islice((task for task in mine if task.expires_at > now), limit))

    def steps(self, owner_key: str, task_id: str) -> Iterable[tuple[str, JSON]]:
        """Return all steps, each value from its JSON."""
        return [(hashed(step), json.loads(kept)) for step, kept in self._recorded_steps(owner_key, task_id).items()]

    def step_names(self, owner_key: str, task_id: str) -> Mapping[str, str | None]:
        """Return the names of all steps."""
        return {hashed(step): step for step in self._recorded_steps(owner_key, task_id)}

    def recall(self, owner_key: str, task_id: str, step: str) -> tuple[JSON] | None:
        """Return a step's value from its JSON, so that a tool is never given the object that it recorded."""
        steps = self._recorded_steps(owner_key, task_id)
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
            now, served = self._clock.now(), self._served.get(tenant, "")
            turn = next_turn(self.live, tenant, plan, served, now) if is_free(self.live, tenant, plan) else None
            if turn is None:
                return None
            owner_key, before = turn[0], self._records[turn].task
            started = advance(before, Started(slot=0), now=now)
            self._served[tenant] = owner_key
            return owner_key, self.write(owner_key, before, replace(started, version=before.version + 1))

    def waiting(self) -> set[str]:
        """Return the tenants with queued tasks."""
        with self.changed:
            return self.live.tenants_with(QUEUED)

    def tasks_before(self, owner_key: str, task: Task) -> int:
        """Count the owner's places before that of the task, up to one more than `MAX_PLACE`."""
        own = place_of(owner_key, task)
        with self.changed:
            waiting = self.live.queue.after(tenant_of(owner_key), (owner_key,))
            return sum(1 for _ in islice(takewhile(lambda each: each[0] < own, waiting), MAX_PLACE + 1))

    def settle(self, owner_key: str, task: Task) -> None:
        """Do nothing: no other release writes to the memory of this process."""

    def due(self, *, limit: int) -> Iterable[tuple[str, str]]:
        """Return the live tasks whose check is due, expired ones included, by the time of the check."""
        now = self._clock.now()
        with self.changed:
            live = [(self._records[at].check_at, at) for at in self.live.keys]
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

    def repair_counters(self, owner_key: str) -> bool:
        """Return False: the live tasks themselves are counted."""
        return False

    def discard(self, owner_key: str, task_id: str) -> None:
        """Delete the task if it has expired."""
        with self.changed:
            record = self._records.get((owner_key, task_id))
            if record is not None and record.task.expires_at <= self._clock.now():
                self._records.drop(owner_key, task_id)
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

    def _recorded_steps(self, owner_key: str, task_id: str) -> Mapping[str, str]:
        with self.changed, suppress(TaskNotFound):
            return dict(self._record(owner_key, task_id).steps)
        return {}

    def _record(self, owner_key: str, task_id: str) -> Record:
        record = self._records.get((owner_key, task_id))
        if record is None or record.task.expires_at <= self._clock.now():
            raise TaskNotFound(task_id)
        return record

    def _earlier(self, owner_key: str, key: IdempotencyKey) -> Task | None:
        fingerprint, task_id = self._keys.find(owner_key, key.name) or ("", "")
        if task_id and fingerprint != key.fingerprint:
            raise KeyReused(key.name)
        with suppress(TaskNotFound):
            earlier = self._record(owner_key, task_id).task
            return earlier if key.stands_for(earlier) else None
        return None

    def _check_active(self, owner_key: str, task: Task, plan: Plan) -> None:
        check_share(self.live, owner_key, task, plan)
        if self._active(owner_key) >= plan.active_tasks:
            raise TooManyTasks(plan.active_tasks)

    def _active(self, owner_key: str) -> int:
        return self.live.of_tenant[tenant_of(owner_key), LIVE]

    def owners(self) -> list[str]:
        """Return the owner keys that have tasks; the caller holds `changed`."""
        return self._records.shelves()

    def _placed(self, owner_key: str, before: Task, after: Task, plan: Plan) -> Task:
        """Return a task as it is to be stored, beside what the others hold."""
        self.live.remove(owner_key, before)
        try:
            return placed(self.live, owner_key, after, plan)
        finally:
            self.live.add(owner_key, before)
