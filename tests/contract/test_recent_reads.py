"""Those who wait read the task at half the price, and are never told that it is older than they know."""

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.ports.store import TaskStore
from mcp_tasks.ports.waiter import Waker
from mcp_tasks.tasks.errors import TaskNotFound
from mcp_tasks.tasks.events import Progressed
from mcp_tasks.tasks.model import Progress
from tests.contract.store_actions import add, finish, move
from tests.kit import ADA, EVE, BusyWaiter, FixedClock, IdleExecutor, a_task
from tests.table_ports import table_ports


@dataclass(kw_only=True)
class Lagging:
    """DynamoDB, whose eventually consistent reads return an item as it was one read before."""

    client: Any
    kinds: list[bool] = field(default_factory=list)
    _before: dict[str, Any] = field(default_factory=dict)

    def __getattr__(self, operation: str) -> Any:
        return getattr(self.client, operation)

    def get_item(self, *, ConsistentRead: bool, **request: Any) -> Any:
        self.kinds.append(ConsistentRead)
        now = self.client.get_item(ConsistentRead=True, **request)
        before, self._before[str(request["Key"])] = self._before.get(str(request["Key"]), {}), now
        return now if ConsistentRead else before


@pytest.fixture
def lagging(dynamo_store: DynamoTaskStore) -> Lagging:
    return Lagging(client=dynamo_store.table.client)


@pytest.fixture
def late_store(dynamo_store: DynamoTaskStore, lagging: Lagging) -> DynamoTaskStore:
    return replace(dynamo_store, table=replace(dynamo_store.table, client=lagging))


@pytest.fixture
def tasks(late_store: DynamoTaskStore, clock: FixedClock) -> TaskService:
    return TaskService(ports=table_ports(late_store, clock, executor=IdleExecutor(), waiter=BusyWaiter(clock=clock)))


def test_a_recent_read_sees_a_task_and_nobody_elses(store: TaskStore) -> None:
    task = add(store, a_task())

    assert store.read_recent(ADA.owner_key, task.id) == task
    with pytest.raises(TaskNotFound):
        store.read_recent(EVE.owner_key, task.id)


def test_a_recent_read_sees_a_task_that_was_just_created(late_store: DynamoTaskStore, lagging: Lagging) -> None:
    task = add(late_store, a_task())
    lagging.kinds.clear()

    assert late_store.read_recent(ADA.owner_key, task.id) == task
    assert lagging.kinds == [False, True]


def test_who_waits_reads_a_recent_task_and_the_newest_where_it_was_written(
    tasks: TaskService, late_store: DynamoTaskStore, lagging: Lagging
) -> None:
    task = add(late_store, a_task(ttl=timedelta(days=1)))
    known = tasks.read(ADA.owner_key, task.id)
    newer = move(late_store, known, Progressed(progress=Progress(progress=1)))
    lagging.kinds.clear()

    assert tasks.read_again(ADA.owner_key, known, Waker.POLL) == known
    assert tasks.read_again(ADA.owner_key, known, Waker.POLL) == newer
    ended = finish(late_store, newer)
    assert tasks.read_again(ADA.owner_key, newer, Waker.POLL) == newer
    assert lagging.kinds == [False] * 3
    assert tasks.read_again(ADA.owner_key, newer, Waker.STREAM) == ended
    assert lagging.kinds[3:] == [True]


def test_who_waits_is_never_shown_an_older_version(tasks: TaskService, late_store: DynamoTaskStore) -> None:
    task = add(late_store, a_task(ttl=timedelta(days=1)))
    tasks.read(ADA.owner_key, task.id)
    newer = move(late_store, task, Progressed(progress=Progress(progress=1)))

    assert tasks.read_again(ADA.owner_key, newer, Waker.POLL) == newer
