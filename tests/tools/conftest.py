"""What the example tools' tests share: the state machine that a tool waits in, and a data bucket."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

import boto3
import pytest
from moto import mock_aws

from mcp_tasks.testing.work import StateMachine

REGION = "eu-west-1"
BUCKET = "data"


@pytest.fixture
def state_machines() -> Mapping[str, StateMachine]:
    return {"remind_me": lambda arguments: timedelta(seconds=arguments["after_seconds"])}


@pytest.fixture
def s3() -> Iterator[Any]:
    """S3 in this process."""
    with mock_aws():
        yield boto3.client("s3", region_name=REGION)


@pytest.fixture
def bucket(s3: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    """The data bucket's name."""
    s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})
    monkeypatch.setenv("DATA_BUCKET", BUCKET)
    return BUCKET
