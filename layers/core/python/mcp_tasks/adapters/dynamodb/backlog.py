"""The live tasks of all tenants, read from a sparse index that only the sweep queries, and what is known of each."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from heapq import merge
from itertools import islice
from typing import Final, TypeAlias

from mcp_tasks.adapters.aws_failures import Unavailable, raising_unavailable
from mcp_tasks.adapters.dynamodb.items import (
    LIVE_SHARDS,
    Item,
    epoch,
    lease_attribute,
    owner_and_id,
    primary_key,
)
from mcp_tasks.adapters.dynamodb.table import ConditionFailed, Table
from mcp_tasks.limits.waits import BACKOFF, SHARDS_TRIED
from mcp_tasks.records import record
from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.model import RunLease, Task

logger = logging.getLogger(__name__)

INDEX: Final = "live"

Due: TypeAlias = tuple[float, str, str]
"""When a task was to be checked, its owner key and its id."""


@record
class DynamoBacklog:
    """The `Backlog` on the index `live`.

    The index is eventually consistent, so every write is conditional on the task being live in the table itself.
    """

    table: Table

    def due(self, *, limit: int) -> Iterable[tuple[str, str]]:
        """Yield the owner and id of tasks whose `checkAt` has passed: the index's shards merged by that time.

        A shard that cannot be read is tried again for `SHARDS_TRIED`, and then left out.  Raises `Unavailable` if none
        can be read.
        """
        shards = self._readable_shards(limit)
        return ((owner_key, task_id) for _, owner_key, task_id in islice(merge(*shards.values()), limit))

    def _readable_shards(self, limit: int) -> Mapping[int, Sequence[Due]]:
        now, pause = self.table.clock.now(), BACKOFF
        gives_up, read = now + SHARDS_TRIED, dict[int, Sequence[Due]]()
        while True:
            for shard in set(range(LIVE_SHARDS)) - read.keys():
                with suppress(Unavailable), raising_unavailable():
                    read[shard] = self._due_of(shard, now, limit)
            if len(read) == LIVE_SHARDS:
                return read
            if self.table.clock.now() + pause >= gives_up:
                extra = {"shards": LIVE_SHARDS - len(read), "fallback": "left_to_next_sweep"}
                logger.warning("shards of the live tasks cannot be read", extra=extra)
                if not read:
                    raise Unavailable("no shard of the live tasks can be read")
                return read
            self.table.clock.sleep(pause)
            pause *= 2

    def _due_of(self, shard: int, now: datetime, limit: int) -> Sequence[Due]:
        found = self.table.query(
            _due,
            limit=limit,
            IndexName=INDEX,
            KeyConditionExpression="liveShard = :shard AND checkAt <= :now",
            ExpressionAttributeValues={":shard": {"S": str(shard)}, ":now": epoch(now)},
        )
        return list(islice(found, limit))

    def live(self) -> Iterable[tuple[str, str]]:
        """Yield the owner and id of every live task, for an operator's commands."""
        for shard in range(LIVE_SHARDS):
            yield from self.table.query(
                owner_and_id,
                limit=100,
                IndexName=INDEX,
                KeyConditionExpression="liveShard = :shard",
                ExpressionAttributeValues={":shard": {"S": str(shard)}},
            )

    def postpone(self, owner_key: str, task_id: str, until: datetime, *, version: int | None = None) -> None:
        """Set `checkAt`, unless the task has changed, or ended: only live tasks have `liveShard`."""
        of_version: Item = {} if version is None else {":version": {"N": str(version)}}
        try:
            self.table.update_unversioned(
                Key=primary_key(owner_key, "task", task_id),
                UpdateExpression="SET checkAt = :until",
                ConditionExpression="attribute_exists(liveShard)" + " AND #version = :version" * len(of_version),
                ExpressionAttributeValues={":until": epoch(until)} | of_version,
                **({"ExpressionAttributeNames": {"#version": "version"}} if of_version else {}),
            )
        except ConditionFailed:
            return

    def launched(self, owner_key: str, task_id: str) -> bool:
        """Set `launched`, which no version of the task stands for: only live tasks have `liveShard`."""
        try:
            self.table.update_unversioned(
                Key=primary_key(owner_key, "task", task_id),
                UpdateExpression="SET launched = :true",
                ConditionExpression="attribute_exists(liveShard) AND goneAt > :now",
                ExpressionAttributeValues={":true": {"BOOL": True}, ":now": epoch(self.table.clock.now())},
            )
        except ConditionFailed:
            return False
        return True

    def lease(self, owner_key: str, task: Task, lease: RunLease) -> bool:
        """Set `lease`, which is no change of the task either, unless another one is stored by now."""
        taken, before = lease_attribute(lease), lease_attribute(task.lease)
        same = "lease = :before" if before else "attribute_not_exists(lease)"
        try:
            self.table.update_unversioned(
                Key=primary_key(owner_key, "task", task.id),
                UpdateExpression="SET lease = :lease",
                # "lease = :lease" also accepts a request that the AWS client retries after a lost response.
                ConditionExpression=f"attribute_exists(liveShard) AND goneAt > :now AND ({same} OR lease = :lease)",
                ExpressionAttributeValues={
                    ":lease": taken["lease"],
                    ":now": epoch(self.table.clock.now()),
                    **({":before": before["lease"]} if before else {}),
                },
            )
        except ConditionFailed:
            return False
        return True

    def repair_counters(self, owner_key: str) -> bool:
        """Do so with one read of the owner's counter and one of the tenant's, where none is damaged."""
        # Saves 1 ms of every cold start but the sweep's.
        from mcp_tasks.adapters.dynamodb.recount import Recount

        recount, tenant = Recount(table=self.table), tenant_of(owner_key)
        is_damaged = recount.is_damaged(owner_key)
        if is_damaged:
            recount.repair(tenant, lambda: {owner for owner, _ in self.live() if tenant_of(owner) == tenant})
        return is_damaged

    def discard(self, owner_key: str, task_id: str) -> None:
        """Delete the item of a task that expired while it was live, as DynamoDB's TTL would hours later.

        The REMOVE record in the table's stream then releases the tenant's quota, as it does for TTL's own deletions.
        """
        try:
            self.table.delete(
                Key=primary_key(owner_key, "task", task_id),
                ConditionExpression="attribute_exists(liveShard) AND goneAt <= :now",
                ExpressionAttributeValues={":now": epoch(self.table.clock.now())},
            )
        except ConditionFailed:
            return


def _due(item: Item) -> Due:
    return float(item["checkAt"]["N"]), *owner_and_id(item)
