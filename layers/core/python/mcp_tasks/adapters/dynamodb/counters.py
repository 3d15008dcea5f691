"""The counters of a tenant's tasks: several, so that a busy tenant has no hot item.

The tenant's limits are divided among them, exactly.  A task is counted at its home counter, and at another where that
has no room.
"""

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final
from zlib import crc32

from mcp_tasks.adapters.dynamodb.items import Item, count_in, primary_key
from mcp_tasks.adapters.dynamodb.table import ConditionFailed, Table

logger = logging.getLogger(__name__)

COUNTERS: Final = 4
KIND: Final = "quota"
AT_A_COUNTER: Final = ("running", "queued", "suspended")


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

    An expired counter is read as well, since the conditions of writes are on what is stored.  A number below zero is
    mended, but for that of active tasks, of which only the sum has a meaning.
    """
    items = stored_counters(table, tenant)
    return {each: mended(table, counter_key(tenant, each), item, AT_A_COUNTER) for each, item in items.items()}


def stored_counters(table: Table, tenant: str) -> Mapping[int, Item]:
    """Return all counters of a tenant by one query, as they are stored."""
    found = table.query(
        lambda item: (int(item["SK"]["S"].partition("#")[2]), item),
        # With exactly as many, DynamoDB would have to be asked whether there are more.
        limit=COUNTERS + 1,
        ConsistentRead=True,
        KeyConditionExpression="PK = :tenant AND begins_with(SK, :counters)",
        ExpressionAttributeValues={":tenant": {"S": tenant}, ":counters": {"S": f"{KIND}#"}},
    )
    return dict.fromkeys(range(COUNTERS), Item()) | dict(found)


def mended_use(table: Table, owner_key: str, using: Item) -> Item:
    """Return what a subject uses, by its item as it was read, with numbers below zero mended."""
    return mended(table, primary_key(owner_key, "using"), using, ("active", *AT_A_COUNTER))


def mended(table: Table, key: Item, counter: Item, numbers: Sequence[str]) -> Item:
    """Return a counter without numbers below zero, as which it is stored from now on: something deleted its item.

    The tasks that were counted before are counted nowhere, so others may run beside them until they have ended.  A
    number that cannot be read is not mended here: that takes the tasks themselves (`recount.py`).
    """
    below = {name: count_in(counter, name) for name in numbers if count_in(counter, name) < 0}
    if not below:
        return counter
    logger.error("a counter was below zero", extra={"counter": key, **below, "fallback": "counter_mended"})
    with suppress(ConditionFailed):
        table.update(
            Key=key,
            UpdateExpression="SET " + ", ".join(f"{name} = :zero" for name in below),
            ConditionExpression=" AND ".join(f"{name} = :{name}" for name in below),
            ExpressionAttributeValues={
                ":zero": {"N": "0"},
                **{f":{name}": {"N": str(count)} for name, count in below.items()},
            },
        )
    return counter | {name: {"N": "0"} for name in below}


def counted(table: Table, tenant: str, name: str) -> int:
    """Return the sum of one number of all counters of a tenant."""
    return sum(count_in(counter, name) for counter in read_counters(table, tenant).values())
