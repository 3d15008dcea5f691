"""Creates a task on DynamoDB: who may not start one is refused before anything is put that would be paid for."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from mcp_tasks.adapters.dynamodb.items import Item, alive, item_of
from mcp_tasks.adapters.dynamodb.payload_items import PayloadItems
from mcp_tasks.adapters.dynamodb.placing import place
from mcp_tasks.adapters.dynamodb.reservations import Reservations
from mcp_tasks.adapters.dynamodb.start_limits import StartLimits
from mcp_tasks.adapters.dynamodb.table import ConditionFailed, Table, adding
from mcp_tasks.adapters.s3 import Payloads
from mcp_tasks.ports.store import NO_RECORDS, InitialRecords
from mcp_tasks.records import record
from mcp_tasks.tasks.errors import LimitReached
from mcp_tasks.tasks.idempotency import IdempotencyKey
from mcp_tasks.tasks.model import JSON, Task
from mcp_tasks.tasks.plan import Plan
from mcp_tasks.tasks.stored_bytes import size_of


@record
class Creation:
    """Creates tasks of one owner, within its plan; `read` reads a task that was created before."""

    table: Table
    payloads: Payloads
    read: Callable[[str, str], Task]
    owner_key: str
    plan: Plan

    def create(
        self, task: Task, arguments: Mapping[str, JSON], key: IdempotencyKey | None, records: InitialRecords
    ) -> Task:
        """Put the task, its idempotency key and its counts in one transaction.

        The arguments and the initial records are put before it, which takes half as much: should it fail, they expire
        unread.  For whoever may not start a task, nothing large is put.
        """
        items = PayloadItems(payloads=self.payloads, owner_key=self.owner_key, task=task)
        packed = self.payloads.pack(self.owner_key, task.id, arguments)
        size = 0 if self.plan.stored_bytes is None else size_of(arguments)
        if packed.body is not None or records != NO_RECORDS:
            if (earlier := self._admit(task, size, key)) is not None:
                return earlier
            self.payloads.put(packed)
            for item in items.records(records):
                self.table.put(item)
        return self._start(task, items.item(packed, "args"), size, key)

    def _admit(self, task: Task, size: int, key: IdempotencyKey | None) -> Task | None:
        """Return the task that the key stands for, if there is one; raises `LimitReached` where none may be started."""
        earlier = self._earlier(key)
        if earlier is None:
            limits = StartLimits(table=self.table)
            limits.counting(self.owner_key, task, size, self.plan)
            limits.check_active(self.owner_key, self.plan)
        return earlier

    def _start(self, task: Task, args: Item, size: int, key: IdempotencyKey | None) -> Task:
        limits, kept = StartLimits(table=self.table), list[Item]()

        def write(placed: Task, counts: Sequence[Item]) -> Task:
            return self._add(placed, [*counts, *kept], key)

        while True:
            try:
                kept = limits.counting(self.owner_key, task, size, self.plan)
                self._put_once(args)
                return place(self.owner_key, None, task, self.plan, table=self.table, write=write)
            except LimitReached:
                # What was started with the same key before is no further task.
                earlier = self._earlier(key)
                if earlier is None:
                    raise
                return earlier
            except ConditionFailed as failed:
                if not limits.lost_room(failed):
                    raise

    def _put_once(self, args: Item) -> None:
        # Ids are unique, so that what is stored are these arguments, put by a request that was retried.
        with suppress(ConditionFailed):
            self.table.add(args)

    def _add(self, task: Task, more: Sequence[Item], key: IdempotencyKey | None) -> Task:
        new = [adding(item_of(self.owner_key, task) | alive(task)), *more]
        replaced_id = ""
        while True:
            reserving = () if key is None else [self._reservations.reserving(self.owner_key, task.id, key, replaced_id)]
            try:
                self.table.transact(*new, *reserving)
            except ConditionFailed as failed:
                if 0 in failed.failed:
                    # Ids are unique, so the stored task is this one, written by a request that was retried.
                    return self.read(self.owner_key, task.id)
                if key is None or len(new) not in failed.failed:
                    raise
                reserved = failed.stored(len(new))
                earlier = self._reservations.earlier(self.owner_key, key, reserved)
                if earlier is not None:
                    return earlier
                replaced_id = reserved["taskId"]["S"]
            else:
                return task

    def _earlier(self, key: IdempotencyKey | None) -> Task | None:
        return None if key is None else self._reservations.find(self.owner_key, key)

    @property
    def _reservations(self) -> Reservations:
        return Reservations(table=self.table, read=self.read)
