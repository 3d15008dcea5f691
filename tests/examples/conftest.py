"""What the example tools' tests share: their module, and a data bucket."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import boto3
import pytest
from moto import mock_aws

REGION = "eu-west-1"
BUCKET = "data"


@pytest.fixture
def tools_module() -> str:
    return "examples"


@pytest.fixture
def s3() -> Iterator[Any]:
    """S3 in this process."""
    with mock_aws():
        yield _client()


@cache
def _client() -> Any:
    """Made once: it takes longer than the tests, and moto sees its calls whenever it is on."""
    return boto3.client("s3", region_name=REGION)


@pytest.fixture
def bucket(s3: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    """The data bucket's name."""
    s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})
    monkeypatch.setenv("DATA_BUCKET", BUCKET)
    return BUCKET
