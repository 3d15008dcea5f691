"""The task store on DynamoDB: every transition is one transaction, conditional on the version that it replaces.

Transitions go through `Table.transact` even where they write one item, since only a transaction can be retried after a
lost response.  Kinds of items: `task`, `args`, `result`, `step`, `reply`, `asks`, `inbox`, `decided`, `idem`,
`told` and `released`.
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from mcp_tasks.adapters.dynamodb.actions import indexing_for_session, replacing
from mcp_tasks.adapters.dynamodb.counters import read_counters
from mcp_tasks.adapters.dynamodb.counting import kind_of
from mcp_tasks.adapters.dynamodb.creation import Creation
from mcp_tasks.adapters.dynamodb.items import (
    Item,
    can_exist,
    epoch,
    expiry_attributes,
    primary_key,
    task_of,
)
from mcp_tasks.adapters.dynamodb.payload_items import PayloadItems
from mcp_tasks.adapters.dynamodb.placing import Placing, place
from mcp_tasks.adapters.dynamodb.step_items import inline_steps, step_names
from mcp_tasks.adapters.dynamodb.stored_bytes import StoredBytes
from mcp_tasks.adapters.dynamodb.table import ConditionFailed, Table, adding, putting
from mcp_tasks.adapters.s3 import Payloads
from mcp_tasks.fallbacks import report_unreadable
from mcp_tasks.limits.waits import MARKER_LIFETIME
from mcp_tasks.ports.store import NO_RECORDS, InitialRecords
from mcp_tasks.records import record
from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.documents import document_of, outcome_of, response_of, value_of
from mcp_tasks.tasks.errors import (
    DamagedCounter,
    OutcomeRecorded,
    PayloadRefused,
    StaleTask,
    TaskNotFound,
    UnreadableItem,
)
from mcp_tasks.tasks.hashing import hashed
from mcp_tasks.tasks.idempotency import IdempotencyKey
from mcp_tasks.tasks.json_values import mapping
from mcp_tasks.tasks.model import JSON, Failed, InputResponse, Outcome, Task
from mcp_tasks.tasks.plan import NO_PLAN, Plan
from mcp_tasks.tasks.stored_bytes import size_of

logger = logging.getLogger(__name__)


@record
class DynamoTaskStore:
    """The `TaskStore` on one table; large values are in the bucket of `payloads`."""

    table: Table
    payloads: Payloads

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
        """Put the task and all that belongs to it as `Creation` does."""
        creation = Creation(table=self.table, payloads=self.payloads, read=self.read, owner_key=owner_key, plan=plan)
        return creation.create(task, arguments, key, records)

    def read(self, owner_key: str, task_id: str) -> Task:
        """Return the task by a consistent read of its `task` item."""
        return task_of(self._get(owner_key, "task", task_id))

    def read_recent(self, owner_key: str, task_id: str) -> Task:
        """Return the task by an eventually consistent read, or by a consistent one where that does not know it yet."""
        item = self.table.get(primary_key(owner_key, "task", task_id), consistent=False)
        return self.read(owner_key, task_id) if item is None else task_of(item)

    def write(
        self,
        owner_key: str,
        before: Task,
        after: Task,
        outcome: Outcome | None = None,
        responses: Mapping[str, InputResponse] = NO_RECORDS.responses,
        plan: Plan = NO_PLAN,
    ) -> Task:
        """Update the `task` item on condition of `before`'s version, with all that the transition writes besides.

        In the same transaction are the responses, the session's index of tasks that await input, what the task asks of
        others, and the counts of what it holds.  What a tool returned is put before it, for half of what that would
        take.  A failure is not: were it put by a process that dies then, it would end a task that has time again.
        """
        if after.expires_at <= self.table.clock.now():
            raise StaleTask("gone")
        more = indexing_for_session(owner_key, before, after)
        more += self._asking_others(owner_key, before, after, responses)
        more += map(putting, self._items(owner_key, after).records(InitialRecords(responses=responses)))

        def write(*recording: Item) -> Task:
            def write_placed(placed: Task, counts: Sequence[Item]) -> Task:
                self.table.transact(replacing(owner_key, before, placed), *counts, *more, *recording)
                return placed

            return place(owner_key, before, after, plan, table=self.table, write=write_placed)

        try:
            return write() if outcome is None else self._end(owner_key, after, outcome, plan, write)
        except DamagedCounter as damaged:
            if outcome is None or plan.stored_bytes is None:
                raise
            report_unreadable("an outcome may not be counted", damaged, owner_key=owner_key, task=after.id)
            return self.write(owner_key, before, after, outcome, responses, replace(plan, stored_bytes=None))
        except ConditionFailed as failed:
            raise StaleTask(f"not version {before.version} any more") from failed

    def _end(self, owner_key: str, after: Task, outcome: Outcome, plan: Plan, write: Callable[..., Task]) -> Task:
        """Return what `write` does with the actions that record an outcome; raises `OutcomeRecorded`."""
        document, more = document_of(outcome), list[Item]()
        result = self._items(owner_key, after).result(document)
        if plan.stored_bytes is not None:
            more += StoredBytes(table=self.table).finishing(owner_key, after, size_of(document), plan)
        if isinstance(outcome, Failed):
            try:
                return write(*more, adding(result))
            except ConditionFailed as failed:
                if not _is_recorded(failed):
                    raise
        return write(*more, *self._record_outcome(result, outcome))

    def arguments(self, owner_key: str, task_id: str) -> Mapping[str, JSON]:
        """Return what the `args` item holds, or the S3 object that it points to."""
        # It never changes, so that a read which finds it need not be consistent.
        found = self.table.get(primary_key(owner_key, "args", task_id), consistent=False)
        return self.payloads.unpack(found or self._get(owner_key, "args", task_id), mapping)

    def outcome(self, owner_key: str, task_id: str) -> Outcome:
        """Return the `result` item's outcome, which was put before the task's last transition."""
        return self.payloads.unpack(self._get(owner_key, "result", task_id), outcome_of)

    def response(self, owner_key: str, task_id: str, key: str) -> InputResponse | None:
        """Return what the `reply` item of an input request holds; its key is hashed into the sort key."""
        item = self.table.get(primary_key(owner_key, "reply", task_id, hashed(key)))
        return None if item is None else self.payloads.unpack(item, response_of)

    def awaiting_input(self, owner_key: str, session: str) -> Sequence[str]:
        """Return the ids in the session's `asks` items; a task has one exactly while it is `input_required`."""
        place = primary_key(owner_key, "asks", session, "")
        if not can_exist(place):
            return []
        found = self.table.query(
            lambda item: item["SK"]["S"].rpartition("#")[2],
            limit=100,
            ConsistentRead=True,
            KeyConditionExpression="PK = :owner_key AND begins_with(SK, :place)",
            FilterExpression="goneAt > :now",
            ExpressionAttributeValues={
                ":owner_key": place["PK"],
                ":place": place["SK"],
                ":now": epoch(self.table.clock.now()),
            },
        )
        return list(found)

    def page(self, owner_key: str, *, before: str | None, limit: int) -> Sequence[Task]:
        """Query the owner's partition backwards: ids begin with their time, so that is newest first."""
        last = f"task#{'~' if before is None else _just_below(before)}"
        found = self.table.between(task_of, owner_key, "task#", last, limit=limit, ScanIndexForward=False)
        return list(islice(found, limit))

    def steps(self, owner_key: str, task_id: str) -> Iterable[tuple[str, JSON]]:
        """Query the task's `step` items, of which those are left out that point to an S3 object."""
        return inline_steps(self.table, self.payloads, owner_key, task_id)

    def step_names(self, owner_key: str, task_id: str) -> Mapping[str, str | None]:
        """Query the keys and names of the task's `step` items."""
        return step_names(self.table, owner_key, task_id)

    def recall(self, owner_key: str, task_id: str, step: str) -> tuple[JSON] | None:
        """Return what the `step` item holds; the step's name is hashed into the sort key."""
        item = self.table.get(primary_key(owner_key, "step", task_id, hashed(step)))
        return None if item is None else (self.payloads.unpack(item, value_of),)

    def record(self, owner_key: str, task: Task, step: str, value: JSON) -> JSON:
        """Put the `step` item unless there is one, so that of two runs of a tool the first to record a step wins."""
        self._check_alive(task)
        item = self._items(owner_key, task).step(step, value)
        try:
            self.table.add(item)
        except ConditionFailed as failed:
            item = failed.stored(0)
        return self.payloads.unpack(item, value_of)

    def claim(self, owner_key: str, task: Task, listener: str) -> bool:
        """Raise the version in the listener's `told` item, on condition that it is lower: one claimant succeeds."""
        self._check_alive(task)
        until = expiry_attributes(task.expires_at)
        claim = {
            "Update": {
                "Key": primary_key(owner_key, "told", task.id, hashed(listener)),
                "UpdateExpression": "SET version = :version, expiresAt = :expires, goneAt = :gone",
                "ConditionExpression": "attribute_not_exists(version) OR version < :version",
                "ExpressionAttributeValues": {
                    ":version": {"N": str(task.version)},
                    ":expires": until["expiresAt"],
                    ":gone": until["goneAt"],
                },
            }
        }
        try:
            self.table.transact(claim)
        except ConditionFailed:
            return False
        return True

    def release(self, owner_key: str, task_id: str, task: Task | None = None) -> None:
        """Release the quota of a deleted task once, however often the stream delivers its REMOVE record.

        The `released` item is the marker: it is put on condition that there is none, with the counter's update.
        """
        tenant = tenant_of(owner_key)
        using = self.table.get(primary_key(owner_key, "using"))
        if using is None and not any(read_counters(self.table, tenant).values()):
            # The tenant was erased, and nothing of it comes back.
            return
        marker = primary_key(tenant, "released", task_id) | expiry_attributes(self.table.clock.now() + MARKER_LIFETIME)
        placing = Placing(table=self.table, owner_key=owner_key, task_id=task_id, before=task, after=None)
        try:
            placing.write(lambda _, counts: self.table.transact(adding(marker), *_where_there(using, counts)))
        except ConditionFailed:
            return

    def _asking_others(
        self, owner_key: str, before: Task, after: Task, responses: Mapping[str, InputResponse]
    ) -> Sequence[Item]:
        if not any(each.approval for each in (*before.input_requests, *after.input_requests)):
            return []
        # Saves 2 ms of every cold start: few tasks ask others.
        from mcp_tasks.adapters.dynamodb.inbox_items import inbox_actions

        return inbox_actions(owner_key, before, after, responses, self.table.clock.now())

    def _record_outcome(self, result: Item, outcome: Outcome) -> Sequence[Item]:
        """Put the `result` item unless there is one, or return the action that replaces one that is damaged.

        Raises `OutcomeRecorded` if there is another.
        """
        try:
            self.table.add(result)
        except ConditionFailed as failed:
            try:
                recorded = self.payloads.unpack(failed.stored(0), outcome_of)
            except PayloadRefused:
                raise
            except UnreadableItem as damaged:
                extra = {"tenant": tenant_of(result["PK"]["S"]), "fallback": "unreadable_item"}
                logger.error("another outcome takes its place: %s", damaged, extra=extra)
                return [putting(result)]
            if recorded != outcome:
                raise OutcomeRecorded(recorded) from failed
        return []

    def _get(self, owner_key: str, kind: str, task_id: str) -> Item:
        item = self.table.get(primary_key(owner_key, kind, task_id))
        if item is None:
            raise TaskNotFound(task_id)
        return item

    def _check_alive(self, task: Task) -> None:
        if task.expires_at <= self.table.clock.now():
            raise TaskNotFound(task.id)

    def _items(self, owner_key: str, task: Task) -> PayloadItems:
        return PayloadItems(payloads=self.payloads, owner_key=owner_key, task=task)


def _is_recorded(failed: ConditionFailed) -> bool:
    """Return whether there is an outcome, and the task is as it was read."""
    kinds = {failed.stored(at).get("SK", {"S": ""})["S"].partition("#")[0] for at in failed.failed}
    return "result" in kinds and 0 not in failed.failed


def _where_there(using: Item | None, counts: Sequence[Item]) -> Sequence[Item]:
    """Return the actions that count, without the subject's where it has no counter: while its tenant is erased."""
    return [each for each in counts if using is not None or kind_of(each) != "using"]


def _just_below(task_id: str) -> str:
    # BETWEEN includes its bounds.  Ids have one length and no character above "~", so no other id is in between.
    return f"{task_id[:-1]}{chr(ord(task_id[-1]) - 1)}~"
