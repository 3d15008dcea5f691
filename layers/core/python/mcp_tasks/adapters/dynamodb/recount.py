"""Counts anew what the live tasks of a tenant hold, and repairs the counters that say something else.

A task and the counters of what it holds change in one transaction, which sets the counters' `goneAt` anew.  So a
counter that is read before the tasks, and has the same `goneAt` when it is written, has counted nothing meanwhile.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from mcp_tasks.adapters.dynamodb.counters import AT_A_COUNTER, counter_key, from_home, stored_counters
from mcp_tasks.adapters.dynamodb.items import (
    Item,
    count_in,
    expires_at,
    expiry_attributes,
    holding_of,
    owner_and_id,
    primary_key,
)
from mcp_tasks.adapters.dynamodb.table import ConditionFailed, Table
from mcp_tasks.limits.waits import COUNTER_LIFETIME
from mcp_tasks.records import record
from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.errors import UnreadableItem
from mcp_tasks.tasks.model import Holding

logger = logging.getLogger(__name__)

NUMBERS: Final = ("active", *AT_A_COUNTER)
ATTEMPTS: Final = 3


class Held(NamedTuple):
    """A task by what it holds, and by whether it is live."""

    task_id: str
    holding: Holding
    is_live: bool

    def at(self, counter: int) -> Mapping[str, int]:
        """Return what it holds at a counter of its tenant; it may be active at any, and is at its home."""
        is_home = from_home(self.task_id)[0] == counter
        return {
            "active": self.is_live and is_home,
            "running": self.holding.slot == counter,
            "queued": self.holding.queue == counter,
            "suspended": self.holding.suspended and is_home,
        }

    @property
    def of_subject(self) -> Mapping[str, int]:
        """Return what it holds of its subject's share."""
        return {
            "active": self.holding.active,
            "running": self.holding.slot is not None,
            "queued": self.holding.queue is not None,
            "suspended": self.holding.suspended,
        }


@record
class Recount:
    """Repairs counters, each on condition that it is still as it was read."""

    table: Table

    def is_damaged(self, owner_key: str) -> bool:
        """Return whether a counter of an owner, or of its tenant, cannot be read."""
        counters = stored_counters(self.table, tenant_of(owner_key)).values()
        return any(_is_damaged(each) for each in (self.table.stored(_using(owner_key)), *counters))

    def repair(self, tenant: str, owners: Callable[[], Iterable[str]]) -> bool:
        """Repair the counters of a tenant, and of those of its `owners` that have tasks or may have a counter.

        Returns False where tasks of the tenant started or ended each time, and something is left as it is.
        """
        return any(self._repair(tenant, owners) for _ in range(ATTEMPTS))

    def _repair(self, tenant: str, owners: Callable[[], Iterable[str]]) -> bool:
        counters, held, done = stored_counters(self.table, tenant), list[Held](), True
        for owner_key in owners():
            using, own = self.table.stored(_using(owner_key)), self._held(owner_key)
            done &= self._write({"using": (_using(owner_key), using, _sum(each.of_subject for each in own))})
            held += own
        right = {each: _sum(task.at(each) for task in held) for each in counters}
        if _active(counters.values()) == sum(each["active"] for each in right.values()):
            # At which counter a task became active is not recorded.
            right = {each: numbers | {"active": count_in(counters[each], "active")} for each, numbers in right.items()}
        return done & self._write(
            {f"quota#{each}": (counter_key(tenant, each), item, right[each]) for each, item in counters.items()}
        )

    def _held(self, owner_key: str) -> Sequence[Held]:
        found = self.table.query(
            lambda item: Held(owner_and_id(item)[1], holding_of(item), "liveShard" in item),
            limit=100,
            ConsistentRead=True,
            KeyConditionExpression="PK = :owner AND begins_with(SK, :tasks)",
            FilterExpression="attribute_exists(liveShard) OR attribute_exists(holding)",
            ExpressionAttributeValues={":owner": {"S": owner_key}, ":tasks": {"S": "task#"}},
        )
        return list(found)

    def _write(self, counters: Mapping[str, tuple[Item, Item, Mapping[str, int]]]) -> bool:
        """Write counters, each by its key, its item as it was read, and its numbers; return whether all are right."""
        now = self.table.clock.now()
        until = expiry_attributes(now + COUNTER_LIFETIME)
        writes = {name: update for name, each in counters.items() if (update := _update(*each, until))}
        if not writes:
            return True
        try:
            self.table.transact(*writes.values())
        except ConditionFailed:
            logger.warning("counters were written while their tasks were counted: %s", ", ".join(writes))
            return False
        for name in writes:
            key = counters[name][0]
            extra = {"tenant": tenant_of(key["PK"]["S"]), "counter": name, "fallback": "counter_recounted"}
            logger.error("the counter %s is repaired from what it counts", name, extra=extra)
        return True


def _using(owner_key: str) -> Item:
    return primary_key(owner_key, "using")


def _is_damaged(item: Item) -> bool:
    try:
        for name in NUMBERS:
            count_in(item, name)
        if item:
            expires_at(item)
    except UnreadableItem:
        return True
    return False


def _active(counters: Iterable[Item]) -> int | None:
    try:
        return sum(count_in(each, "active") for each in counters)
    except UnreadableItem:
        return None


def _sum(numbers: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total = Counter(dict.fromkeys(NUMBERS, 0))
    for each in numbers:
        total.update(each)
    return dict(total)


def _is(item: Item, name: str, number: int) -> bool:
    try:
        return count_in(item, name) == number
    except UnreadableItem:
        return False


def _update(key: Item, item: Item, numbers: Mapping[str, int], until: Item) -> Item | None:
    """Return the action that sets what is wrong in a counter's item as it was read, None if nothing is."""
    wrong = {name: {"N": str(number)} for name, number in numbers.items() if not _is(item, name, number)}
    if not wrong and not _is_damaged(item):
        return None
    conditions = [
        f"{name} = :was_{name}" if name in item else f"attribute_not_exists({name})" for name in (*wrong, "goneAt")
    ]
    values = {f":{name}": value for name, value in (wrong | until).items()}
    was = {f":was_{name}": item[name] for name in (*wrong, "goneAt") if name in item}
    return {
        "Update": {
            "Key": key,
            "UpdateExpression": "SET " + ", ".join(f"{name} = :{name}" for name in (*wrong, *until)),
            "ConditionExpression": " AND ".join(conditions),
            "ExpressionAttributeValues": values | was,
        }
    }
