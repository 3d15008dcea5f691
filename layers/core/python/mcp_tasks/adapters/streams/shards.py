"""The live end of a DynamoDB stream: which shards there are, and what is new in them.

A stream is a family of shards.  A shard closes after some hours, or when its part of the table is split, and its
children go on where it ended; so whoever follows the live end has to follow the children.
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

logger = logging.getLogger(__name__)

# AWS allows ten DescribeStream calls a second in an account, so the answer is kept.  An old answer loses nothing:
# a shard that closed since then leads to its children, and they are read from their beginning.
KNOWN_FOR: Final = timedelta(seconds=30)
ASKED_EVERY: Final = timedelta(seconds=1)

# Beyond this, reading every shard in turn costs more than reading the one task, and is no quicker.
MOST_OPEN: Final = 16
MOST_LISTED: Final = 500

# AWS takes an iterator away after 15 minutes, and the records it points at after 24 hours.
PLACE_LOST: Final = frozenset({"ExpiredIteratorException", "TrimmedDataAccessException"})


class StreamUnfit(Exception):
    """The stream has no open shard, or more of them than one reader can follow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """One shard of the stream; an open one still grows."""

    id: str
    parent: str | None
    is_open: bool

    @classmethod
    def of(cls, described: Mapping[str, Any]) -> Self:
        """Read the shard out of what DescribeStream says."""
        is_open = "EndingSequenceNumber" not in described["SequenceNumberRange"]
        return cls(id=described["ShardId"], parent=described.get("ParentShardId"), is_open=is_open)


@dataclass(slots=True, kw_only=True)
class ShardMap:
    """The shards of one stream, asked for seldom; one for each process."""

    client: Any
    arn: str
    clock: Clock
    _shards: tuple[Shard, ...] = field(default=(), init=False)
    _asked_at: datetime | None = field(default=None, init=False)

    def open_shards(self) -> list[str]:
        """Return the shards that were open lately; raises `StreamUnfit`."""
        if self._is_older_than(KNOWN_FOR):
            self._ask()
        if len(self._shards) > MOST_LISTED:
            raise StreamUnfit(f"{len(self._shards)} shards and more")
        found = [shard.id for shard in self._shards if shard.is_open]
        if not found:
            raise StreamUnfit("no shard is open")
        return found

    def children(self, parent: str) -> list[str]:
        """Return the shards that go on where a closed one ended; none if AWS does not list them yet."""
        found = [shard.id for shard in self._shards if shard.parent == parent]
        if not found and self._is_older_than(ASKED_EVERY):
            self._ask()
            found = [shard.id for shard in self._shards if shard.parent == parent]
        return found

    def _is_older_than(self, age: timedelta) -> bool:
        return self._asked_at is None or self.clock.now() - self._asked_at >= age

    def _ask(self) -> None:
        shards: list[Shard] = []
        following: dict[str, str] = {}
        while len(shards) <= MOST_LISTED:
            answer = self.client.describe_stream(StreamArn=self.arn, **following)["StreamDescription"]
            shards.extend(map(Shard.of, answer["Shards"]))
            if "LastEvaluatedShardId" not in answer:
                break
            following = {"ExclusiveStartShardId": answer["LastEvaluatedShardId"]}
        self._shards, self._asked_at = tuple(shards), self.clock.now()


@dataclass(slots=True, kw_only=True)
class StreamEnd:
    """A place in every open shard of the stream, first at the end and moving on as it is read."""

    shards: ShardMap
    _places: dict[str, str] = field(default_factory=dict, init=False)
    _closed: set[str] = field(default_factory=set, init=False)

    def __post_init__(self) -> None:
        """Take a place at the end of each shard; raises `StreamUnfit`."""
        self._go(self.shards.open_shards(), "LATEST")

    def tells_of(self, keys: Sequence[Item]) -> bool:
        """Read on in every shard; tells whether an item with one of these keys was, or may have been, written.

        Raises `StreamUnfit`.
        """
        written = [self._read(shard, keys) for shard in list(self._places)]
        children = {shard: self.shards.children(shard) for shard in self._closed}
        self._closed = {shard for shard in self._closed if not children[shard]}
        self._go(list(chain.from_iterable(children.values())), "TRIM_HORIZON")
        return any(written)

    def _read(self, shard: str, keys: Sequence[Item]) -> bool:
        try:
            answer = self.shards.client.get_records(ShardIterator=self._places[shard])
        except ClientError as error:
            if error.response["Error"]["Code"] not in PLACE_LOST:
                raise
            # Whatever was between the lost place and this one, nobody will tell; so it may have been anything.
            logger.warning("a place in the stream is lost", extra={"fallback": "place_lost", "shard": shard})
            self._places[shard] = self._place(shard, "LATEST")
            return True
        following = answer.get("NextShardIterator")
        if following:
            self._places[shard] = following
        else:
            del self._places[shard]
            self._closed.add(shard)
        # Records hold whole items, of every tenant; the keys are all that may be looked at.
        return any(record["dynamodb"]["Keys"] in keys for record in answer["Records"])

    def _go(self, shards: Sequence[str], kind: str) -> None:
        if len(self._places) + len(shards) > MOST_OPEN:
            raise StreamUnfit(f"{len(self._places) + len(shards)} shards to read")
        self._places |= {shard: self._place(shard, kind) for shard in shards}

    def _place(self, shard: str, kind: str) -> str:
        place = self.shards.client.get_shard_iterator(StreamArn=self.shards.arn, ShardId=shard, ShardIteratorType=kind)
        iterator: str = place["ShardIterator"]
        return iterator
