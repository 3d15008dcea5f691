"""What holds data: the table, the two buckets, the queue."""

import pytest

from tests.infra.assembly import Assembly


def test_the_table_expires_streams_and_is_backed_up(cloud: Assembly) -> None:
    (table,) = cloud.of("AWS::DynamoDB::GlobalTable").values()
    (replica,) = table["Replicas"]

    assert table["KeySchema"] == [
        {"AttributeName": "PK", "KeyType": "HASH"},
        {"AttributeName": "SK", "KeyType": "RANGE"},
    ]
    assert table["BillingMode"] == "PAY_PER_REQUEST"
    assert table["TimeToLiveSpecification"] == {"AttributeName": "expiresAt", "Enabled": True}
    assert table["StreamSpecification"] == {"StreamViewType": "NEW_AND_OLD_IMAGES"}
    assert replica["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}


def test_the_only_index_holds_keys_of_live_tasks_by_when_to_check_them(cloud: Assembly) -> None:
    (table,) = cloud.of("AWS::DynamoDB::GlobalTable").values()
    types = {each["AttributeName"]: each["AttributeType"] for each in table["AttributeDefinitions"]}
    (index,) = table["GlobalSecondaryIndexes"]

    assert index == {
        "IndexName": "live",
        "KeySchema": [
            {"AttributeName": "liveShard", "KeyType": "HASH"},
            {"AttributeName": "checkAt", "KeyType": "RANGE"},
        ],
        "Projection": {"ProjectionType": "KEYS_ONLY"},
    }
    assert types == {"PK": "S", "SK": "S", "liveShard": "S", "checkAt": "N"}


def test_only_prods_table_is_protected_against_deletion(cloud: Assembly, prod: Assembly) -> None:
    protected = [
        replica.get("DeletionProtectionEnabled")
        for stage in (cloud, prod)
        for table in stage.of("AWS::DynamoDB::GlobalTable").values()
        for replica in table["Replicas"]
    ]

    assert protected == [False, True]


def test_payloads_are_gone_after_the_longest_task(cloud: Assembly) -> None:
    bucket = cloud.of("AWS::S3::Bucket")["PayloadsBucket"]
    longest = cloud.of("AWS::Lambda::Function")["Functionsservemcp"]["Environment"]["Variables"]["MAX_TTL_SECONDS"]
    (rule,) = bucket["LifecycleConfiguration"]["Rules"]

    assert rule["Status"] == "Enabled"
    assert int(longest) + 86400 <= rule["ExpirationInDays"] * 86400 <= int(longest) + 3 * 86400
    assert "VersioningConfiguration" not in bucket


@pytest.mark.parametrize("name", ["PayloadsBucket", "Data"])
def test_a_bucket_is_private_and_encrypted(cloud: Assembly, name: str) -> None:
    bucket = cloud.of("AWS::S3::Bucket")[name]

    assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}
    assert bucket["BucketEncryption"]


def test_whoever_stores_something_must_use_tls(cloud: Assembly) -> None:
    policies = [
        *cloud.of("AWS::S3::BucketPolicy").values(),
        *cloud.of("AWS::SQS::QueuePolicy").values(),
    ]
    rejections = [
        statement["Condition"]
        for policy in policies
        for statement in policy["PolicyDocument"]["Statement"]
        if statement["Effect"] == "Deny"
    ]

    assert rejections == [{"Bool": {"aws:SecureTransport": "false"}}] * 3
