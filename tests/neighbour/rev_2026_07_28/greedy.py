"""The greedy tenant on the emulator: its tasks, and what it uses of its plan."""

from collections import Counter
from dataclasses import replace
from typing import Any, Final

from local.http_client import HttpClient
from local.stack import Stack
from mcp_tasks.adapters.clock import SystemClock
from mcp_tasks.adapters.dynamodb.counters import counted, counter_key, from_home
from mcp_tasks.adapters.dynamodb.counting import queue_key
from mcp_tasks.adapters.dynamodb.held_waits import DynamoHeldWaits
from mcp_tasks.adapters.dynamodb.items import Item, alive, expiry_attributes, item_of, primary_key, task_of
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.testing.rev_2026_07_28 import Client

TENANT: Final = "greedy"
SUBJECTS: Final = [Caller(tenant=TENANT, subject=f"subject {number}") for number in range(4)]
STARTED, TOIL = 4, (7.0, 9.0, 11.0, 13.0)
"""How many tasks each subject starts by requests, and how many seconds those of each work: so they end one by one."""

BATCH: Final = 25
"""Items that DynamoDB takes at once."""


def start_tasks(stack: Stack, number: int) -> list[str]:
    """Have the tenant run as many tasks as it may, and queue all others; return a queued one of each subject."""
    clients = [Client(HttpClient(stack.url, token).send) for token in tokens(stack)]
    started = [
        [client.start("work", seconds=seconds) for client, seconds in zip(clients, TOIL, strict=True)]
        for _ in range(STARTED)
    ]
    for subject, queued in zip(SUBJECTS, started[-1], strict=True):
        _queue_more(stack, subject.owner_key, queued, number // len(SUBJECTS) - STARTED)
    return started[-1]


def tokens(stack: Stack) -> list[str]:
    """Return a token of each subject."""
    return [stack.token(each.tenant, each.subject) for each in SUBJECTS]


def used(stack: Stack) -> Counter[str]:
    """Return how many tasks run and are queued, and how many connections are held."""
    table = Table(client=stack.client("dynamodb"), name=stack.outputs["TableName"], clock=SystemClock())
    running, queued = (counted(table, TENANT, name) for name in ("running", "queued"))
    return Counter(running=running, queued=queued, held=DynamoHeldWaits(table=table).count(TENANT))


def _queue_more(stack: Stack, owner_key: str, task_id: str, number: int) -> None:
    """Store so many more of a queued task as the store would: each start by a request takes the emulator 0.1 s."""
    table, client = stack.outputs["TableName"], stack.client("dynamodb")
    key, args_key = (primary_key(owner_key, kind, task_id) for kind in ("task", "args"))
    task = task_of(client.get_item(TableName=table, Key=key)["Item"])
    args = client.get_item(TableName=table, Key=args_key)["Item"]
    items, homes = list[Item](), Counter[int]()
    for each in range(number):
        twin = replace(task, id=f"{task_id[:-6]}{each:06}")
        twin = replace(twin, holding=replace(task.holding, queue=from_home(twin.id)[0]))
        homes[from_home(twin.id)[0]] += 1
        items.append(item_of(owner_key, twin) | alive(twin))
        items.append(args | primary_key(owner_key, "args", twin.id))
        items.append(queue_key(owner_key, twin) | expiry_attributes(twin.expires_at))
    for first in range(0, len(items), BATCH):
        puts = [{"PutRequest": {"Item": item}} for item in items[first : first + BATCH]]
        client.batch_write_item(RequestItems={table: puts})
    for home, queued in homes.items():
        _add(client, table, counter_key(TENANT, home), queued=queued, active=queued)
    _add(client, table, primary_key(owner_key, "using"), queued=number, active=number)


def _add(client: Any, table: str, key: Item, **counts: int) -> None:
    client.update_item(
        TableName=table,
        Key=key,
        UpdateExpression="ADD " + ", ".join(f"{name} :{name}" for name in counts),
        ExpressionAttributeValues={f":{name}": {"N": str(count)} for name, count in counts.items()},
    )
