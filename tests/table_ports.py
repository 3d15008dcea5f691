"""All ports on the one table."""

from mcp_tasks.adapters.dynamodb.backlog import DynamoBacklog
from mcp_tasks.adapters.dynamodb.buckets import DynamoBuckets
from mcp_tasks.adapters.dynamodb.change_feed import DynamoChangeFeed
from mcp_tasks.adapters.dynamodb.durations import DynamoDurations
from mcp_tasks.adapters.dynamodb.held_waits import DynamoHeldWaits
from mcp_tasks.adapters.dynamodb.inbox import DynamoInbox
from mcp_tasks.adapters.dynamodb.keys import DynamoKeys
from mcp_tasks.adapters.dynamodb.queue import DynamoQueue
from mcp_tasks.adapters.dynamodb.storage import TableStorage
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.adapters.fixed_plans import FixedPlans
from mcp_tasks.adapters.s3 import Payloads
from mcp_tasks.ports import Ports
from mcp_tasks.ports.clock import Clock
from mcp_tasks.ports.executor import Executor
from mcp_tasks.ports.waiter import Waiter
from mcp_tasks.tasks.plan import Plan
from tests.cloud import BUCKET, TABLE, Cloud


def table_ports(
    store: DynamoTaskStore, clock: Clock, *, executor: Executor, waiter: Waiter, plan: Plan | None = None
) -> Ports:
    """Return the ports on the table of a store."""
    table = store.table
    return Ports(
        clock=clock,
        tasks=store,
        queue=DynamoQueue(table=table),
        backlog=DynamoBacklog(table=table),
        inbox=lambda: DynamoInbox(table=table),
        executor=executor,
        waiter=waiter,
        storage=TableStorage(table=table),
        change_feed=DynamoChangeFeed(table=table),
        keys=DynamoKeys(table),
        plans=FixedPlans(plan=plan or Plan()),
        buckets=DynamoBuckets(table=table),
        held_waits=DynamoHeldWaits(table=table),
        durations=DynamoDurations(table=table),
    )


def store_of(aws: Cloud, clock: Clock) -> DynamoTaskStore:
    """Return a store of tasks on the table and the bucket."""
    table = Table(client=aws.dynamodb, name=TABLE, clock=clock)
    return DynamoTaskStore(table=table, payloads=Payloads(client=lambda: aws.s3, bucket=BUCKET))
