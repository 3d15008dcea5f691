"""A stage on a table in memory: with its time come the stream, the sweep, DynamoDB's TTL and new keys."""

from collections.abc import Sequence
from datetime import timedelta
from random import Random
from typing import Any, Final

from mcp_tasks.adapters.dynamodb import key_rotation
from mcp_tasks.adapters.dynamodb.changes import change_of, deleted_while_live
from mcp_tasks.adapters.dynamodb.items import owner_and_id
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.adapters.s3 import Payloads
from mcp_tasks.ports import Ports
from tests.dynamodb.client import MemoryDynamo
from tests.dynamodb.table import Record, in_stream
from tests.protocol.all_features import ALL
from tests.protocol.harness import Harness
from tests.table_ports import table_ports

LATEST_TTL: Final = timedelta(hours=48)
"""DynamoDB deletes an item so long after it expired, at most."""

ACCEPTED_FOR: Final = timedelta(days=1)
"""How long keys are accepted that a rotation retired."""


class Stage:
    """Everything that a stage has; `harness` is what clients reach."""

    def __init__(self, random: Random) -> None:
        self.dynamodb = MemoryDynamo()
        self.dynamodb.items.written = self._written
        self.harness = Harness(ALL, ports=self._ports)
        self._random = random
        self._stream: list[Record] = []
        self._gone: dict[tuple[str, str], float] = {}

    def pass_time(self, time: timedelta, *, at_once: timedelta = timedelta(hours=1)) -> None:
        """Let time pass: each hour the sweep comes, the stream is delivered, and what has expired may be deleted."""
        for _ in range(time // at_once):
            self.harness.clock.advance(at_once)
            self.deliver()
            self.harness.wiring.reconciler().sweep(limit=1000)
            self._delete_expired()
            self.deliver()

    def deliver(self) -> None:
        """Deliver the stream of the table's tasks."""
        while self._stream:
            record = self._stream.pop(0)
            if record.key[1].startswith("task#"):
                self._reconcile(in_stream(record))

    def rotate_keys(self) -> None:
        """Rotate the signing keys, as an operator does who fears for them."""
        key_rotation.rotate(self.table, accepted_for=ACCEPTED_FOR)

    @property
    def table(self) -> Table:
        """The table."""
        return Table(client=self.dynamodb, name="tasks", clock=self.harness.clock)

    def kinds(self) -> Sequence[str]:
        """Return the kind of each item that there is."""
        return [item["SK"]["S"].partition("#")[0] for item in self.dynamodb.items.all()]

    def _ports(self, clock: Any, **others: Any) -> Ports:
        table = Table(client=self.dynamodb, name="tasks", clock=clock)
        return table_ports(
            DynamoTaskStore(table=table, payloads=Payloads(client=_no_bucket, bucket="none")), clock, **others
        )

    def _written(self, records: Sequence[Record]) -> None:
        self._stream += records

    def _reconcile(self, record: Any) -> None:
        owner_key, task_id = owner_and_id(record["Keys"])
        change, reconciler = change_of(record), self.harness.wiring.reconciler()
        reconciler.changed(owner_key, change.before, change.after)
        if deleted_while_live(record):
            reconciler.deleted(owner_key, task_id)

    def _delete_expired(self) -> None:
        """Delete as DynamoDB's TTL does: each item at a time of its own, up to two days after it expired."""
        now = self.harness.clock.now().timestamp()
        for item in self.dynamodb.items.all():
            key = (item["PK"]["S"], item["SK"]["S"])
            if "expiresAt" not in item or float(item["expiresAt"]["N"]) > now:
                self._gone.pop(key, None)
            elif now >= self._gone.setdefault(key, now + self._random.uniform(0, LATEST_TTL.total_seconds())):
                del self._gone[key]
                self.dynamodb.items.replace([(key, None)])


def _no_bucket() -> Any:
    raise AssertionError("a year has values that are too large for an item")
