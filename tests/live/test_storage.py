"""What a stage keeps, on AWS: large results, units of writes, keys of one's own, and a table that is restored.

Relied on: `ReturnConsumedCapacity=INDEXES` tells what a transaction takes in the table and in each index apart; and a
restored table has the indexes of its source, and neither its stream, nor its expiry, nor its recovery.
"""

import uuid
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final

import boto3
import pytest

from mcp_tasks.adapters.clock import SystemClock
from mcp_tasks.adapters.dynamodb.backlog import DynamoBacklog
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.wire.revisions import PACKAGES
from tests.live.deployed import Stage, needs, until

pytestmark = pytest.mark.live

LARGE: Final = 1_000_000
RECOVERABLE: Final = 15 * 60
"""Seconds after which a table can be restored with what was just written."""

KEPT: Final = ("KeySchema", "StreamSpecification")
RESTORED: Final = {"Delay": 20, "MaxAttempts": 180}
"""An hour: `aws dynamodb wait` gives up after 8 minutes."""


@pytest.fixture
def new_name() -> Iterator[str]:
    """The name of a table that is deleted at the end."""
    dynamodb, name = boto3.client("dynamodb"), f"live-test-{uuid.uuid4().hex}"
    yield name

    # A test that failed early made none.
    with suppress(dynamodb.exceptions.ResourceNotFoundException):
        dynamodb.describe_table(TableName=name)
        exists = dynamodb.get_waiter("table_exists")
        exists.wait(TableName=name, WaiterConfig=RESTORED)
        dynamodb.update_table(TableName=name, DeletionProtectionEnabled=False)
        exists.wait(TableName=name)
        dynamodb.delete_table(TableName=name)


@pytest.mark.parametrize("revision", PACKAGES)
def test_a_large_result_goes_through_the_bucket(stage: Stage, revision: str) -> None:
    """Botocore of Lambda's runtime reads the data of the core layer, which leaves out most of AWS, for S3 too."""
    s3, bucket = boto3.client("s3"), stage.outputs["PayloadBucket"]
    before = datetime.now(UTC).replace(microsecond=0)

    result = stage.client(revision).call_tool("fill", {"characters": LARGE})

    assert result.text == "x" * LARGE
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket)
    sizes = [each["Size"] for page in pages for each in page.get("Contents", ()) if each["LastModified"] >= before]
    assert max(sizes, default=0) >= LARGE


def test_an_entry_of_the_index_takes_one_unit_in_a_transaction_too(any_stage: Stage, new_name: str) -> None:
    dynamodb = boto3.client("dynamodb")
    found = dynamodb.describe_table(TableName=any_stage.outputs["TableName"])["Table"]
    indexes = [
        {name: each[name] for name in ("IndexName", "KeySchema", "Projection")}
        for each in found["GlobalSecondaryIndexes"]
    ]
    dynamodb.create_table(
        TableName=new_name,
        KeySchema=found["KeySchema"],
        AttributeDefinitions=found["AttributeDefinitions"],
        GlobalSecondaryIndexes=indexes,
        BillingMode="PAY_PER_REQUEST",
    )
    dynamodb.get_waiter("table_exists").wait(TableName=new_name)
    live = {"PK": {"S": "a"}, "SK": {"S": "b"}, "liveShard": {"S": "0"}, "checkAt": {"N": "1"}}

    def taken(**write: Any) -> tuple[float, float]:
        reply = dynamodb.transact_write_items(TransactItems=[write], ReturnConsumedCapacity="INDEXES")
        (units,) = reply["ConsumedCapacity"]
        index = units.get("GlobalSecondaryIndexes", {}).get("live", {"CapacityUnits": 0})
        return units["Table"]["CapacityUnits"], index["CapacityUnits"]

    assert taken(Put={"TableName": new_name, "Item": live}) == (2, 1)
    assert taken(Delete={"TableName": new_name, "Key": {name: live[name] for name in ("PK", "SK")}}) == (2, 1)


def test_what_a_stage_keeps_is_encrypted_by_its_own_key(any_stage: Stage) -> None:
    resources = any_stage.resources
    needs(resources.get("AWS::KMS::Key"), f"{any_stage.stack} is encrypted by keys of AWS: set `customer_key`")
    (own,) = resources["AWS::KMS::Key"]

    keys = {
        **{each: _key_of_table(each) for each in resources["AWS::DynamoDB::GlobalTable"]},
        **{each: _key_of_bucket(each) for each in resources["AWS::S3::Bucket"]},
        **{each: _key_of_log_group(each) for each in resources["AWS::Logs::LogGroup"]},
    }

    assert {name: key for name, key in keys.items() if not str(key).endswith(own)} == {}


def test_a_restored_table_can_serve_a_stage(stage: Stage, new_name: str) -> None:
    """As docs/operations.md has it, up to the deploy that points the stage at the table."""
    dynamodb, old = boto3.client("dynamodb"), stage.outputs["TableName"]
    task, after = stage.client(PACKAGES[0]).start_task("wait_an_hour"), datetime.now(UTC)
    stage.execution_of(task)
    until(lambda: _recoverable(dynamodb, old) > after, within=RECOVERABLE)

    dynamodb.restore_table_to_point_in_time(SourceTableName=old, TargetTableName=new_name, UseLatestRestorableTime=True)
    exists = dynamodb.get_waiter("table_exists")
    exists.wait(TableName=new_name, WaiterConfig=RESTORED)
    dynamodb.update_table(
        TableName=new_name,
        DeletionProtectionEnabled=True,
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    )
    exists.wait(TableName=new_name)
    dynamodb.update_time_to_live(
        TableName=new_name, TimeToLiveSpecification={"Enabled": True, "AttributeName": "expiresAt"}
    )
    dynamodb.update_continuous_backups(
        TableName=new_name, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}
    )
    task.cancel()

    found, source = (dynamodb.describe_table(TableName=each)["Table"] for each in (new_name, old))
    assert found["LatestStreamArn"].startswith(f"{found['TableArn']}/stream/")
    assert {name: found[name] for name in KEPT} == {name: source[name] for name in KEPT}
    assert dynamodb.describe_time_to_live(TableName=new_name)["TimeToLiveDescription"]["AttributeName"] == "expiresAt"
    # By the index, as the sweep finds it.
    restored = DynamoBacklog(table=Table(client=dynamodb, name=new_name, clock=SystemClock()))
    assert task.id in {task_id for _, task_id in restored.live()}


def _recoverable(dynamodb: Any, table: str) -> datetime:
    """Return the time of the newest state that a table can be restored to."""
    found = dynamodb.describe_continuous_backups(TableName=table)["ContinuousBackupsDescription"]
    moment: datetime = found["PointInTimeRecoveryDescription"]["LatestRestorableDateTime"]
    return moment


def _key_of_table(name: str) -> Any:
    found = boto3.client("dynamodb").describe_table(TableName=name)["Table"]
    return found.get("SSEDescription", {}).get("KMSMasterKeyArn")


def _key_of_bucket(name: str) -> Any:
    (rule,) = boto3.client("s3").get_bucket_encryption(Bucket=name)["ServerSideEncryptionConfiguration"]["Rules"]
    return rule["ApplyServerSideEncryptionByDefault"].get("KMSMasterKeyID")


def _key_of_log_group(name: str) -> Any:
    pages = boto3.client("logs").get_paginator("describe_log_groups").paginate(logGroupNamePrefix=name)
    return next(each.get("kmsKeyId") for page in pages for each in page["logGroups"] if each["logGroupName"] == name)
