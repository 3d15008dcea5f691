"""The counters of a tenant's tasks: several, so that a busy tenant has no hot item.

The tenant's limits are divided among them, exactly.  A task is counted at its home counter, and at another where that
has no room.
"""

from collections.abc import Mapping
from typing import Final
from zlib import crc32

from mcp_tasks.adapters.dynamodb.items import Item, count_in, primary_key
from mcp_tasks.adapters.dynamodb.table import Table

COUNTERS: Final = 4
KIND: Final = "quota"


def counter_key(tenant: str, counter: int) -> Item:
    """Return the key of a counter's item."""
    return primary_key(tenant, KIND, counter)


def from_home(task_id: str) -> list[int]:
    """Return all counters in the order in which a task is counted at them, its home counter first."""
    home = crc32(task_id.encode()) % COUNTERS
    return [(home + step) % COUNTERS for step in range(COUNTERS)]


def share_at(counter: int, limit: int) -> int:
    """Return how much of a limit is a counter's; all counters together have exactly the limit."""
    return limit // COUNTERS + (counter < limit % COUNTERS)


def read_counters(table: Table, tenant: str) -> Mapping[int, Item]:
    """Return all counters of a tenant by one query; one at which nothing was counted yet is empty.

    An expired counter is read as well, since the conditions of writes are on what is stored.
    """
    found = table.query(
        lambda item: (int(item["SK"]["S"].partition("#")[2]), item),
        # With exactly as many, DynamoDB would have to be asked whether there are more.
        limit=COUNTERS + 1,
        ConsistentRead=True,
        KeyConditionExpression="PK = :tenant AND begins_with(SK, :counters)",
        ExpressionAttributeValues={":tenant": {"S": tenant}, ":counters": {"S": f"{KIND}#"}},
    )
    return dict.fromkeys(range(COUNTERS), Item()) | dict(found)


def counted(table: Table, tenant: str, name: str) -> int:
    """Return the sum of one number of all counters of a tenant."""
    return sum(count_in(counter, name) for counter in read_counters(table, tenant).values())
