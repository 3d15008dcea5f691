"""Each port in memory and on moto, so that one test suite holds for both."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from mcp_tasks.adapters.dynamodb.backlog import DynamoBacklog
from mcp_tasks.adapters.dynamodb.buckets import DynamoBuckets
from mcp_tasks.adapters.dynamodb.change_feed import DynamoChangeFeed
from mcp_tasks.adapters.dynamodb.held_waits import DynamoHeldWaits
from mcp_tasks.adapters.dynamodb.inbox import DynamoInbox
from mcp_tasks.adapters.dynamodb.keys import DynamoKeys
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.adapters.memory.buckets import MemoryBuckets
from mcp_tasks.adapters.memory.change_feed import MemoryChangeFeed
from mcp_tasks.adapters.memory.held_waits import MemoryHeldWaits
from mcp_tasks.adapters.memory.keys import MemoryKeys
from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.adapters.s3 import Payloads
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.ports.buckets import Buckets
from mcp_tasks.ports.change_feed import ChangeFeed
from mcp_tasks.ports.held_waits import HeldWaits
from mcp_tasks.ports.inbox import Inbox
from mcp_tasks.ports.keys import Keys
from mcp_tasks.ports.store import Backlog, TaskStore
from tests.cloud import BUCKET, TABLE, Cloud, OneAtATime, cloud, scan
from tests.dynamodb.twin import Twin
from tests.kit import BusyWaiter, FixedClock, IdleExecutor
from tests.table_ports import table_ports


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def aws() -> Iterator[Cloud]:
    """AWS on moto; each of its answers about the table is held against that of the table in memory."""
    with cloud() as found:
        yield replace(found, dynamodb=Twin(found.dynamodb))


@pytest.fixture
def table(aws: Cloud, clock: FixedClock) -> Iterator[Table]:
    """The table; at the end, a check that every item in it expires, but for what an operator wrote."""
    yield Table(client=OneAtATime(aws.dynamodb), name=TABLE, clock=clock)

    for item in scan(aws.dynamodb):
        if item["SK"]["S"].startswith("plan#"):
            continue
        lasts = float(item["expiresAt"]["N"]) - clock.now().timestamp()
        assert "." not in item["expiresAt"]["N"], f"DynamoDB wants whole seconds: {item}"
        assert lasts < timedelta(days=500).total_seconds(), f"stays for ever: {item}"


@pytest.fixture
def dynamo_store(table: Table, aws: Cloud) -> DynamoTaskStore:
    return DynamoTaskStore(table=table, payloads=Payloads(client=lambda: OneAtATime(aws.s3), bucket=BUCKET))


@pytest.fixture(params=["memory", "dynamodb"])
def store(request: pytest.FixtureRequest, clock: FixedClock) -> TaskStore:
    if request.param == "memory":
        return MemoryTaskStore(clock)
    found: DynamoTaskStore = request.getfixturevalue("dynamo_store")
    return found


@pytest.fixture
def inbox(store: TaskStore) -> Inbox:
    """The inbox that `store` fills."""
    match store:
        case MemoryTaskStore():
            return store.inbox
        case DynamoTaskStore(table=table):
            return DynamoInbox(table=table)
        case _:
            raise TypeError(store)


@pytest.fixture
def backlog(store: TaskStore) -> Backlog:
    """The backlog of the tasks in `store`."""
    match store:
        case MemoryTaskStore():
            return store
        case DynamoTaskStore(table=table):
            return DynamoBacklog(table=table)
        case _:
            raise TypeError(store)


@pytest.fixture(params=["memory", "dynamodb"])
def change_feed(request: pytest.FixtureRequest, clock: FixedClock) -> ChangeFeed:
    if request.param == "memory":
        return MemoryChangeFeed(clock)
    return DynamoChangeFeed(table=request.getfixturevalue("table"))


@pytest.fixture(params=["memory", "dynamodb"])
def keys(request: pytest.FixtureRequest) -> Keys:
    if request.param == "memory":
        return MemoryKeys(b"0123456789abcdef")
    return DynamoKeys(request.getfixturevalue("table"))


@pytest.fixture(params=["memory", "dynamodb"])
def buckets(request: pytest.FixtureRequest, clock: FixedClock) -> Buckets:
    if request.param == "memory":
        return MemoryBuckets(clock)
    return DynamoBuckets(table=request.getfixturevalue("table"))


@pytest.fixture(params=["memory", "dynamodb"])
def held_waits(request: pytest.FixtureRequest) -> HeldWaits:
    if request.param == "memory":
        return MemoryHeldWaits()
    return DynamoHeldWaits(table=request.getfixturevalue("table"))


@pytest.fixture
def service(dynamo_store: DynamoTaskStore, clock: FixedClock) -> TaskService:
    """The service on DynamoDB, with an executor that only records its calls."""
    return TaskService(ports=table_ports(dynamo_store, clock, executor=IdleExecutor(), waiter=BusyWaiter(clock=clock)))
