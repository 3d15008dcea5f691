"""The live tasks of all tenants, found by the sparse index that only the sweep reads."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from heapq import merge
from itertools import islice
from typing import Final

from mcp_tasks.adapters.dynamodb.items import LIVE_SHARDS, Item, epoch, owner_and_id, primary_key
from mcp_tasks.adapters.dynamodb.table import ConditionFailed, Table

INDEX: Final = "live"


@dataclass(frozen=True, slots=True, kw_only=True)
class DynamoBacklog:
    """The backlog; see `Backlog`.

    The index lags a little behind the table, so each method leaves alone what has ended in the meantime.
    """

    table: Table

    def due(self, *, limit: int) -> Iterable[tuple[str, str]]:
        """Yield what to check; see `Backlog`."""
        now = epoch(self.table.clock.now())
        shards = [
            self.table.query(
                limit=limit,
                IndexName=INDEX,
                KeyConditionExpression="liveShard = :shard AND checkAt <= :now",
                ExpressionAttributeValues={":shard": {"S": str(shard)}, ":now": now},
            )
            for shard in range(LIVE_SHARDS)
        ]
        return map(owner_and_id, islice(merge(*shards, key=_check_at), limit))

    def postpone(self, owner_key: str, task_id: str, until: datetime) -> None:
        """Check later; see `Backlog`."""
        try:
            self.table.update_unversioned(
                Key=primary_key(owner_key, "task", task_id),
                UpdateExpression="SET checkAt = :until",
                ConditionExpression="attribute_exists(liveShard)",
                ExpressionAttributeValues={":until": epoch(until)},
            )
        except ConditionFailed:
            return

    def discard(self, owner_key: str, task_id: str) -> None:
        """Delete an expired task, live to the end; see `Backlog`.

        Who hears of it in the table's stream stops counting the task, as after a deletion by DynamoDB.
        """
        try:
            self.table.delete(
                Key=primary_key(owner_key, "task", task_id),
                ConditionExpression="attribute_exists(liveShard) AND goneAt <= :now",
                ExpressionAttributeValues={":now": epoch(self.table.clock.now())},
            )
        except ConditionFailed:
            return


def _check_at(item: Item) -> float:
    return float(item["checkAt"]["N"])
