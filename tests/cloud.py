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


@dataclass(frozen=True, slots=True, kw_only=True)
class Cloud:
    """The clients, and the records that were read of the table's stream."""

    dynamodb: Any
    s3: Any
    states: Any
    streams: Any
    sts: Any
    records: list[dict[str, Any]] = field(default_factory=list)


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
    """Return every record of the table's stream; only new ones are fetched.

    Each time by a new iterator: a transaction that fails has moto put the table back as a copy, of which iterators that
    were made before know nothing.
    """
    page = cloud.streams.get_records(ShardIterator=_after(cloud))
    cloud.records.extend(page["Records"])
    return list(cloud.records)


def _after(cloud: Cloud) -> str:
    arn = cloud.dynamodb.describe_table(TableName=TABLE)["Table"]["LatestStreamArn"]
    (shard,) = cloud.streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
    start = {"ShardIteratorType": "TRIM_HORIZON"}
    if cloud.records:
        last = cloud.records[-1]["dynamodb"]["SequenceNumber"]
        start = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": last}
    return str(cloud.streams.get_shard_iterator(StreamArn=arn, ShardId=shard["ShardId"], **start)["ShardIterator"])


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
