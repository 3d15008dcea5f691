"""Of a thousand calls at once, exactly as many are let through as a plan counts; on the emulator's DynamoDB.

Rates are another matter, since they are leased: see `tests/contract/test_buckets.py`.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import boto3
import pytest
from botocore.config import Config

from local.emulator import running_emulator
from mcp_tasks.adapters.clock import SystemClock
from mcp_tasks.adapters.dynamodb.held_waits import DynamoHeldWaits
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.adapters.s3 import Payloads
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import TooManyTasks
from mcp_tasks.tasks.model import State, Task
from mcp_tasks.tasks.plan import Plan
from tests.cloud import TABLE, TABLE_SCHEMA
from tests.kit import BusyWaiter, IdleExecutor
from tests.table_ports import table_ports
from tests.unit.jobs import job

pytestmark = pytest.mark.slow

CALLS, AT_ONCE, LIMIT = 1_000, 50, 100


@pytest.fixture(scope="module")
def table() -> Iterator[Table]:
    with running_emulator() as emulator:
        at_once = Config(max_pool_connections=AT_ONCE, retries={"mode": "standard"})
        client = boto3.client(
            "dynamodb",
            endpoint_url=emulator.url,
            region_name="eu-west-1",
            aws_access_key_id="local",
            aws_secret_access_key="local",
            config=at_once,
        )
        client.create_table(**TABLE_SCHEMA)
        yield Table(client=client, name=TABLE, clock=SystemClock())


def let_through(call: Callable[[int], bool]) -> int:
    """Make all calls, as many at a time as there are threads, and return how many were let through."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return sum(pool.map(call, range(CALLS)))


def service(table: Table, plan: Plan) -> TaskService:
    store = DynamoTaskStore(table=table, payloads=Payloads(client=lambda: None, bucket="none"))
    waiter = BusyWaiter(clock=table.clock)
    return TaskService(ports=table_ports(store, table.clock, executor=IdleExecutor(), waiter=waiter, plan=plan))


def start(tasks: TaskService, callers: list[Caller], number: int) -> bool:
    try:
        tasks.start(callers[number % len(callers)], job, {})
    except TooManyTasks:
        return False
    return True


def stored(tasks: TaskService, caller: Caller) -> list[Task]:
    return list(tasks.page(caller, before=None, limit=CALLS)[0])


@pytest.mark.parametrize("share", [0.5, 1], ids=["of a subject", "of a tenant"])
def test_as_many_tasks_are_accepted_as_may_be_active(table: Table, share: float) -> None:
    callers = [Caller(tenant=f"active {share}", subject=subject) for subject in ("ada", "bob")]
    tasks = service(table, Plan(active_tasks=LIMIT, subject_share=share))

    assert let_through(partial(start, tasks, callers)) == LIMIT
    by_caller = [len(stored(tasks, caller)) for caller in callers]
    assert sum(by_caller) == LIMIT
    assert max(by_caller) <= share * LIMIT


def test_as_many_tasks_run_as_may_and_all_others_are_queued(table: Table) -> None:
    caller = Caller(tenant="running", subject="ada")
    tasks = service(table, Plan(active_tasks=CALLS, running_tasks=LIMIT, subject_share=1))

    assert let_through(partial(start, tasks, [caller])) == CALLS
    found = [task.state for task in stored(tasks, caller)]
    assert (found.count(State.WORKING), found.count(State.QUEUED)) == (LIMIT, CALLS - LIMIT)


def test_as_many_connections_are_held_as_may_be(table: Table) -> None:
    waits = DynamoHeldWaits(table=table)

    assert let_through(lambda _: waits.begin("held", LIMIT) is not None) == LIMIT
