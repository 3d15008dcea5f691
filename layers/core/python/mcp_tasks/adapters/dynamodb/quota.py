"""The counters of a tenant's active tasks, spread so that a busy tenant has no hot item.

The limit is divided among the counters, exactly.  A task is counted on its home counter, or on any other while that
one is full, and subtracted likewise.  Where it was counted is not recorded, because only the sum has a meaning: it is
the number of active tasks, and while that is not zero some counter is not.
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from zlib import crc32

from mcp_tasks.adapters.dynamodb.items import Item, count_in, expiry_attributes, primary_key
from mcp_tasks.adapters.dynamodb.table import Busy, ConditionFailed, Table
from mcp_tasks.limits.waits import COUNTER_LIFETIME
from mcp_tasks.records import record

logger = logging.getLogger(__name__)

COUNTERS: Final = 4


@record
class Quota:
    """A tenant's counters, each changed only in the transaction that adds or ends the task it counts."""

    table: Table

    def take(self, tenant: str, task_id: str, limit: int, actions: Sequence[Item]) -> bool:
        """Write the actions and count a task in one transaction; returns False, having written nothing, at the limit.

        Raises `ConditionFailed` when the condition of one of the actions does not hold.
        """
        return self._do(actions, self._takes(tenant, task_id, limit))

    def give_back(self, tenant: str, task_id: str, actions: Sequence[Item]) -> None:
        """Write the actions and stop counting a task in one transaction; raises `ConditionFailed` like `take`."""
        if not self._do(actions, _returns(tenant, task_id)):
            # Impossible while the sum is right; but were a counter ever damaged, tasks must still be able to end.
            logger.error("no task of the tenant is counted, yet one ends: %s", task_id)
            self.table.transact(*actions)

    def _do(self, actions: Sequence[Item], last: Iterable[Item]) -> bool:
        """Write the actions together with the first of `last` whose condition holds; returns whether one did."""
        conflict: Busy | None = None
        for choice in last:
            try:
                self.table.transact(*actions, choice)
            except ConditionFailed as failed:
                if failed.failed != {len(actions)}:
                    raise
            except Busy as busy:
                if busy.places != {len(actions)}:
                    raise
                conflict = busy
            else:
                return True
        if conflict is not None:
            raise conflict
        return False

    def _takes(self, tenant: str, task_id: str, limit: int) -> Iterator[Item]:
        shares = {counter: limit // COUNTERS + (counter < limit % COUNTERS) for counter in _from_home(task_id)}
        choices = [counter for counter, share in shares.items() if share > 0]
        for counter in choices:
            # A read before each but the first: a transaction that fails costs ten times as much and more.
            if counter == choices[0] or self._active(tenant, counter) < shares[counter]:
                yield self._taking(tenant, counter, shares[counter])

    def _active(self, tenant: str, counter: int) -> int:
        return count_in(self.table.get(primary_key(tenant, "quota", counter)) or {}, "active")

    def _taking(self, tenant: str, counter: int, share: int) -> Item:
        until = expiry_attributes(self.table.clock.now() + COUNTER_LIFETIME)
        return {
            "Update": {
                "Key": primary_key(tenant, "quota", counter),
                "UpdateExpression": "ADD active :one SET expiresAt = :expires, goneAt = :gone",
                "ConditionExpression": "attribute_not_exists(active) OR active < :share",
                "ExpressionAttributeValues": {
                    ":one": {"N": "1"},
                    ":share": {"N": str(share)},
                    ":expires": until["expiresAt"],
                    ":gone": until["goneAt"],
                },
            }
        }


def _returns(tenant: str, task_id: str) -> Iterator[Item]:
    # Each counter is tried twice: one that was empty may have been counted up while the others were tried.
    for counter in _from_home(task_id) * 2:
        yield {
            "Update": {
                "Key": primary_key(tenant, "quota", counter),
                "UpdateExpression": "ADD active :minus_one",
                "ConditionExpression": "active > :zero",
                "ExpressionAttributeValues": {":minus_one": {"N": "-1"}, ":zero": {"N": "0"}},
            }
        }


def _from_home(task_id: str) -> list[int]:
    home = crc32(task_id.encode()) % COUNTERS
    return [(home + step) % COUNTERS for step in range(COUNTERS)]
