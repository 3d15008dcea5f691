"""The task table on moto with its stream, and everything that waits on it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import Any

import boto3

from mcp_tasks.adapters.dynamodb.lease import DynamoLease
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.adapters.streams.shards import ShardMap
from mcp_tasks.adapters.streams.tail import TailingWaiter
from mcp_tasks.ports.waiter import Watch
from tests.cloud import REGION, TABLE, cloud
from tests.limited_stream import LimitedStream
from tests.timeline import Timeline

OWNER_KEY = "acme#ada"
TASK = "0f8"

TIMEOUT = timedelta(seconds=25)
READ_EVERY = 0.25
GUARD = (2.0, 5.0)
POLL = (0.375, 0.625)


@dataclass(slots=True, kw_only=True)
class TaskStream:
    """The table, its stream under the limits of AWS, and the clock of both."""

    table: Any
    stream: LimitedStream
    clock: Timeline
    chance: float = 0.5

    def change(self, task_id: str = TASK, owner_key: str = OWNER_KEY) -> None:
        """Write a task."""
        self._write(owner_key, f"task#{task_id}")

    def write_step(self) -> None:
        """Write something that belongs to the task, but is not the task."""
        self._write(OWNER_KEY, f"step#{TASK}#1")

    def lease_item(self) -> dict[str, Any] | None:
        """Return the lease as it is stored."""
        answer = self.table.get_item(TableName=TABLE, Key={"PK": {"S": "!"}, "SK": {"S": "lease#tail"}})
        item: dict[str, Any] | None = answer.get("Item")
        return item

    def lease(self) -> DynamoLease:
        """Return the lease of the stream's tail."""
        return DynamoLease(table=Table(client=self.table, name=TABLE, clock=self.clock), name="tail")

    def tail(self, name: str = "tail", client: Any = None) -> TailingWaiter:
        """Return the waiter of a process, with a client of its own for the stream."""
        reader = client or self.stream.reader(name)
        shards = ShardMap(client=reader, arn=self.stream.arn, clock=self.clock)
        return TailingWaiter(clock=self.clock, shards=shards, lease=self.lease(), chance=lambda: self.chance)

    def _write(self, owner_key: str, name: str) -> None:
        version = str(self.stream.length() + 1)
        item = {"PK": {"S": owner_key}, "SK": {"S": name}, "version": {"N": version}, "expiresAt": {"N": "2000000000"}}
        self.table.put_item(TableName=TABLE, Item=item)


@cache
def streams() -> Any:
    """Return a boto3 client of DynamoDB Streams; making one takes longer than most tests."""
    return boto3.client("dynamodbstreams", region_name=REGION)


def paused(table: TaskStream, watch: Watch) -> float:
    """Pause once and return for how many seconds."""
    before = table.clock.elapsed
    watch.pause(TIMEOUT)
    return table.clock.elapsed - before


@contextmanager
def task_stream() -> Iterator[TaskStream]:
    """Make a table with one task in it."""
    with cloud() as made:
        clock = Timeline()
        arn = made.dynamodb.describe_table(TableName=TABLE)["Table"]["LatestStreamArn"]
        table = TaskStream(table=made.dynamodb, stream=LimitedStream(streams(), arn, clock), clock=clock)
        table.change()
        yield table
