"""Reads the latest records of a DynamoDB stream, from all of its open shards.

A shard closes after some hours, or when its partition of the table is split, and its children go on where it ended; so
a reader that stays at the latest records goes on with the children.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import chain
from typing import Any, Final, Self

from botocore.exceptions import ClientError

from mcp_tasks.adapters.dynamodb.items import Item
from mcp_tasks.ports.clock import Clock
from mcp_tasks.records import record

logger = logging.getLogger(__name__)

# AWS allows ten DescribeStream calls a second in an account, so the list is cached.  An old list loses no record:
# a shard that has closed since leads to its children, and they are read from their beginning.
CACHED_FOR: Final = timedelta(seconds=30)
REFRESHED_EVERY: Final = timedelta(seconds=1)

# Beyond this, reading every shard in turn costs more than reading the one task, and is no quicker.
MAX_OPEN: Final = 16
MAX_LISTED: Final = 500

# To read more takes longer than it is until the next read, with the CPU that 128 MB have: 0.2 ms times 14 for each.
MAX_READ: Final = 100

# AWS expires an iterator after 15 minutes, and trims the records it points at after 24 hours.
ITERATOR_LOST: Final = frozenset({"ExpiredIteratorException", "TrimmedDataAccessException"})


class StreamUnusable(Exception):
    """The stream has no open shard, or more of them than one reader can follow."""


class StreamOutruns(StreamUnusable):
    """The stream is written faster than one reader reads it."""


@record
class Shard:
    """One shard of the stream; an open one still receives records."""

    id: str
    parent: str | None
    is_open: bool

    @classmethod
    def of(cls, described: Mapping[str, Any]) -> Self:
        """Return the shard from its description in DescribeStream's response."""
        is_open = "EndingSequenceNumber" not in described["SequenceNumberRange"]
        return cls(id=described["ShardId"], parent=described.get("ParentShardId"), is_open=is_open)


@dataclass(slots=True, kw_only=True)
class ShardMap:
    """The shards of one stream, in a cache that all waiters of a process share."""

    client: Any
    arn: str
    clock: Clock
    _shards: tuple[Shard, ...] = field(default=(), init=False)
    _listed_at: datetime | None = field(default=None, init=False)

    def open_shards(self) -> list[str]:
        """Return the ids of the shards that were open within the last 30 seconds; raises `StreamUnusable`."""
        if self._is_older_than(CACHED_FOR):
            self._list()
        if len(self._shards) > MAX_LISTED:
            raise StreamUnusable(f"{len(self._shards)} shards and more")
        found = [shard.id for shard in self._shards if shard.is_open]
        if not found:
            raise StreamUnusable("no shard is open")
        return found

    def children(self, parent: str) -> list[str]:
        """Return the ids of the shards that continue a closed one; none if AWS does not list them yet."""
        found = [shard.id for shard in self._shards if shard.parent == parent]
        if not found and self._is_older_than(REFRESHED_EVERY):
            self._list()
            found = [shard.id for shard in self._shards if shard.parent == parent]
        return found

    def _is_older_than(self, age: timedelta) -> bool:
        return self._listed_at is None or self.clock.now() - self._listed_at >= age

    def _list(self) -> None:
        shards: list[Shard] = []
        start: dict[str, str] = {}
        while len(shards) <= MAX_LISTED:
            page = self.client.describe_stream(StreamArn=self.arn, **start)["StreamDescription"]
            shards.extend(map(Shard.of, page["Shards"]))
            if "LastEvaluatedShardId" not in page:
                break
            start = {"ExclusiveStartShardId": page["LastEvaluatedShardId"]}
        self._shards, self._listed_at = tuple(shards), self.clock.now()


@dataclass(slots=True, kw_only=True)
class LatestRecords:
    """An iterator in every open shard, which starts at the latest record and advances with each read."""

    shards: ShardMap
    _iterators: dict[str, str] = field(default_factory=dict, init=False)
    _closed: set[str] = field(default_factory=set, init=False)

    def __post_init__(self) -> None:
        """Open the iterators; raises `StreamUnusable`."""
        self._open(self.shards.open_shards(), "LATEST")

    def read_and_match(self, keys: Sequence[Item]) -> bool:
        """Read the new records of every shard; returns whether one of these items was, or may have been, written.

        Raises `StreamUnusable`.
        """
        written = [self._read(shard, keys) for shard in list(self._iterators)]
        children = {shard: self.shards.children(shard) for shard in self._closed}
        self._closed = {shard for shard in self._closed if not children[shard]}
        self._open(list(chain.from_iterable(children.values())), "TRIM_HORIZON")
        return any(written)

    def _read(self, shard: str, keys: Sequence[Item]) -> bool:
        try:
            answer = self.shards.client.get_records(ShardIterator=self._iterators[shard], Limit=MAX_READ)
        except ClientError as error:
            if error.response["Error"]["Code"] not in ITERATOR_LOST:
                raise
            # The records between the lost iterator and the new one are never read, so any item may be in them.
            logger.warning("a place in the stream is lost", extra={"fallback": "place_lost", "shard": shard})
            self._iterators[shard] = self._iterator(shard, "LATEST")
            return True
        next_iterator = answer.get("NextShardIterator")
        if next_iterator:
            self._iterators[shard] = next_iterator
        else:
            del self._iterators[shard]
            self._closed.add(shard)
        # Records hold whole items, of every tenant: nothing but their keys is read here.
        if any(record["dynamodb"]["Keys"] in keys for record in answer["Records"]):
            return True
        if len(answer["Records"]) >= MAX_READ:
            raise StreamOutruns(f"{MAX_READ} records and more in a read")
        return False

    def _open(self, shards: Sequence[str], kind: str) -> None:
        if len(self._iterators) + len(shards) > MAX_OPEN:
            raise StreamUnusable(f"{len(self._iterators) + len(shards)} shards to read")
        self._iterators |= {shard: self._iterator(shard, kind) for shard in shards}

    def _iterator(self, shard: str, kind: str) -> str:
        found = self.shards.client.get_shard_iterator(StreamArn=self.shards.arn, ShardId=shard, ShardIteratorType=kind)
        iterator: str = found["ShardIterator"]
        return iterator
