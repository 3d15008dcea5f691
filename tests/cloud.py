"""AWS in this process: moto, with the one table and the one bucket of the stack."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import boto3
from moto import mock_aws

from tests.moto_items import quick_items

TABLE = "tasks"
BUCKET = "payloads"
REGION = "eu-west-1"


@dataclass(slots=True, kw_only=True)
class StreamRead:
    """What was read of the table's stream so far, and the shard iterator of what comes next."""

    records: list[dict[str, Any]] = field(default_factory=list)
    iterator: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cloud:
    """The clients, and what was read of the stream."""

    dynamodb: Any
    s3: Any
    states: Any
    streams: Any
    sts: Any
    read: StreamRead = field(default_factory=StreamRead)


@contextmanager
def cloud() -> Iterator[Cloud]:
    """Begin with an empty table and an empty bucket."""
    with mock_aws(), quick_items():
        found = Cloud(**_clients())
        found.dynamodb.create_table(**TABLE_SCHEMA)
        found.s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})
        yield found


def scan(dynamodb: Any) -> list[dict[str, Any]]:
    """Return everything in the table."""
    return [item for page in dynamodb.get_paginator("scan").paginate(TableName=TABLE) for item in page["Items"]]


def stream(cloud: Cloud) -> list[dict[str, Any]]:
    """Return every record of the table's stream; only new ones are fetched."""
    page = cloud.streams.get_records(ShardIterator=cloud.read.iterator or _start_of_stream(cloud))
    cloud.read.iterator = page["NextShardIterator"]
    cloud.read.records += page["Records"]
    return list(cloud.read.records)


def _start_of_stream(cloud: Cloud) -> str:
    arn = cloud.dynamodb.describe_table(TableName=TABLE)["Table"]["LatestStreamArn"]
    (shard,) = cloud.streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
    start = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    return str(cloud.streams.get_shard_iterator(**start)["ShardIterator"])


class OneAtATime:
    """A client whose calls take turns: each is atomic on AWS, but moto has no locks."""

    _turn = threading.Lock()

    def __init__(self, client: Any) -> None:
        self._client = client

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        call = getattr(self._client, operation)

        def in_turn(**request: Any) -> Any:
            with self._turn:
                return call(**request)

        return in_turn


@cache
def _clients() -> dict[str, Any]:
    """Make the clients once: it takes longer than most tests, and moto sees their calls whenever it is on."""
    names = {"dynamodb": "dynamodb", "s3": "s3", "states": "stepfunctions", "streams": "dynamodbstreams", "sts": "sts"}
    return {name: boto3.client(service, region_name=REGION) for name, service in names.items()}


TABLE_SCHEMA = {
    "TableName": TABLE,
    "BillingMode": "PAY_PER_REQUEST",
    "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
    "AttributeDefinitions": [
        {"AttributeName": "PK", "AttributeType": "S"},
        {"AttributeName": "SK", "AttributeType": "S"},
        {"AttributeName": "liveShard", "AttributeType": "S"},
        {"AttributeName": "checkAt", "AttributeType": "N"},
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "live",
            "KeySchema": [
                {"AttributeName": "liveShard", "KeyType": "HASH"},
                {"AttributeName": "checkAt", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "KEYS_ONLY"},
        }
    ],
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
}
