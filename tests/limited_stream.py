"""The limits of DynamoDB Streams that moto lacks, put between its real stream and those who read it.

All records come from moto.  Which shard they are in, who may read them and for how long is decided here:
two readers a shard, iterators that live for 15 minutes, shards that split and close, records that are trimmed,
ten DescribeStream calls a second.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from zlib import crc32

from botocore.exceptions import ClientError

from mcp_tasks.ports.clock import Clock

SECOND = timedelta(seconds=1)
READERS = 2
DESCRIPTIONS_PER_SECOND = 10

Keys = Mapping[str, Any]


@dataclass(slots=True, kw_only=True)
class Shard:
    """Some of the records: from `start` to `end` in the order of writing, and of certain keys."""

    id: str
    parent: str | None = None
    start: int = 0
    end: int | None = None
    takes: Callable[[Keys], bool] = lambda keys: True
    is_listed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What an iterator stands for."""

    shard: Shard
    position: int
    taken_at: datetime


class LimitedStream:
    """One stream of one table; every `reader()` is a client of its own."""

    def __init__(self, client: Any, arn: str, clock: Clock) -> None:
        self.arn = arn
        self.clock = clock
        self.shards = [Shard(id="shard-1")]
        self.places: dict[str, Place] = {}
        self.calls: list[tuple[datetime, str]] = []
        self.reads: list[tuple[datetime, str, str]] = []
        self.described: list[datetime] = []
        self.iterator_lifetime = timedelta(minutes=15)
        self.per_page = 100
        self.trimmed = 0
        self.failure: Exception | None = None
        self._client = client
        self._log: list[dict[str, Any]] = []
        self._iterator = self._start()

    def reader(self, name: str) -> "StreamReader":
        """Return a client that knows the three calls of a reader."""
        return StreamReader(stream=self, name=name)

    def length(self) -> int:
        """Return how many records were ever written."""
        return len(self.records())

    def records(self) -> list[dict[str, Any]]:
        """Return all that was ever written."""
        answer = self._client.get_records(ShardIterator=self._iterator)
        self._log += answer["Records"]
        self._iterator = answer["NextShardIterator"]
        return self._log

    def split(self, parent: str, *children: str, are_listed: bool = True) -> None:
        """Close a shard, which goes on in its children, each with a part of the keys."""
        old = self.shard(parent)
        old.end = self.length()
        self.shards += [
            Shard(
                id=child,
                parent=parent,
                start=old.end,
                takes=_part(old.takes, index, len(children)),
                is_listed=are_listed,
            )
            for index, child in enumerate(children)
        ]

    def list_all(self) -> None:
        """Let DescribeStream know of every shard."""
        for shard in self.shards:
            shard.is_listed = True

    def trim(self) -> None:
        """Forget all records written so far."""
        self.trimmed = self.length()

    def shard(self, shard_id: str) -> Shard:
        """Return a shard by its name."""
        return next(shard for shard in self.shards if shard.id == shard_id)

    def read_shards(self, reader: str) -> set[str]:
        """Return the shards that a reader has read from."""
        return {shard for _, who, shard in self.reads if who == reader}

    def put(self, shard: Shard, position: int) -> str:
        """Return an iterator."""
        iterator = f"iterator-{len(self.places)}"
        self.places[iterator] = Place(shard=shard, position=position, taken_at=self.clock.now())
        return iterator

    def _start(self) -> str:
        shard = self._client.describe_stream(StreamArn=self.arn)["StreamDescription"]["Shards"][0]["ShardId"]
        start = self._client.get_shard_iterator(StreamArn=self.arn, ShardId=shard, ShardIteratorType="TRIM_HORIZON")
        iterator: str = start["ShardIterator"]
        return iterator


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamReader:
    """A DynamoDB Streams client in the hands of one reader."""

    stream: LimitedStream
    name: str

    def describe_stream(self, *, StreamArn: str, ExclusiveStartShardId: str | None = None) -> dict[str, Any]:
        """List the shards, a page at a time."""
        stream = self.stream
        self._fail()
        stream.described.append(stream.clock.now())
        if sum(stream.clock.now() - at < SECOND for at in stream.described) > DESCRIPTIONS_PER_SECOND:
            raise rejection("LimitExceededException", "DescribeStream")
        listed = [shard for shard in stream.shards if shard.is_listed]
        start = next((n + 1 for n, shard in enumerate(listed) if shard.id == ExclusiveStartShardId), 0)
        page, rest = listed[start : start + stream.per_page], listed[start + stream.per_page :]
        last = {"LastEvaluatedShardId": page[-1].id} if rest else {}
        return {"StreamDescription": {"StreamArn": StreamArn, "Shards": [_described(shard) for shard in page]} | last}

    def get_shard_iterator(self, *, StreamArn: str, ShardId: str, ShardIteratorType: str) -> dict[str, Any]:
        """Take a place in a shard."""
        self._fail()
        stream, shard = self.stream, self.stream.shard(ShardId)
        start = {"LATEST": stream.length(), "TRIM_HORIZON": max(shard.start, stream.trimmed)}[ShardIteratorType]
        return {"ShardIterator": stream.put(shard, start)}

    def get_records(self, *, ShardIterator: str, Limit: int = 1_000) -> dict[str, Any]:
        """Read on from a place, so many records at the most."""
        self._fail()
        stream, place = self.stream, self.stream.places[ShardIterator]
        self._enter(place.shard.id)
        if stream.clock.now() - place.taken_at >= stream.iterator_lifetime:
            raise rejection("ExpiredIteratorException", "GetRecords")
        if place.position < stream.trimmed:
            raise rejection("TrimmedDataAccessException", "GetRecords")
        written = stream.records()[: place.shard.end]
        places = range(place.position, len(written))
        taken = [at for at in places if place.shard.takes(written[at]["dynamodb"]["Keys"])]
        answer: dict[str, Any] = {"Records": [_keys_only(written[at]) for at in taken[:Limit]]}
        if len(taken) > Limit:
            answer["NextShardIterator"] = stream.put(place.shard, taken[Limit])
        elif place.shard.end is None:
            answer["NextShardIterator"] = stream.put(place.shard, len(written))
        return answer

    def _fail(self) -> None:
        if self.stream.failure is not None:
            raise self.stream.failure

    def _enter(self, shard: str) -> None:
        now, stream = self.stream.clock.now(), self.stream
        stream.calls.append((now, self.name))
        lately = {who for at, who, where in stream.reads if where == shard and now - at < SECOND}
        if len(lately | {self.name}) > READERS:
            raise rejection("LimitExceededException", "GetRecords")
        stream.reads.append((now, self.name, shard))


class KeysOnly(dict[str, Any]):
    """A record whose images may not be read, only its keys."""

    def __getitem__(self, name: str) -> Any:
        """Return an attribute, but no image."""
        assert not name.endswith("Image"), "a record holds somebody's data"
        return super().__getitem__(name)


def rejection(code: str, operation: str) -> ClientError:
    """Return the error that botocore raises for an answer with this code."""
    return ClientError({"Error": {"Code": code, "Message": "rejected"}}, operation)


def _keys_only(record: dict[str, Any]) -> dict[str, Any]:
    return record | {"dynamodb": KeysOnly(record["dynamodb"])}


def _described(shard: Shard) -> dict[str, Any]:
    numbers = {"StartingSequenceNumber": str(shard.start)}
    if shard.end is not None:
        numbers["EndingSequenceNumber"] = str(shard.end)
    parent = {"ParentShardId": shard.parent} if shard.parent else {}
    return {"ShardId": shard.id, "SequenceNumberRange": numbers} | parent


def _part(takes: Callable[[Keys], bool], index: int, parts: int) -> Callable[[Keys], bool]:
    return lambda keys: takes(keys) and crc32(repr(sorted(keys.items())).encode()) % parts == index
