"""What `ministack_iam` puts right about IAM, tried with a user whose policy must deny."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from local.emulator import ACCOUNT, REGION, Emulator, running_emulator

TABLE = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/items"
LEADING_KEYS = "dynamodb:LeadingKeys"


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    """The emulator with a table of items in two partitions, and an index."""
    with running_emulator() as emulator:
        dynamodb = emulator.client("dynamodb")
        dynamodb.create_table(
            TableName="items",
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK", "place")],
            KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
            GlobalSecondaryIndexes=[
                {
                    "IndexName": "live",
                    "KeySchema": [{"AttributeName": "place", "KeyType": "HASH"}],
                    "Projection": {"ProjectionType": "ALL"},
                }
            ],
        )
        emulator.client("s3").create_bucket(Bucket="objects")
        for key in ("acme", "!"):
            dynamodb.put_item(TableName="items", Item=item(key))
            emulator.client("s3").put_object(Bucket="objects", Key=f"{key}/one", Body=b"1")
        yield emulator


def item(key: str) -> dict[str, Any]:
    return {"PK": {"S": key}, "SK": {"S": "one"}, "place": {"S": key}}


def key_of(key: str) -> dict[str, Any]:
    return {name: value for name, value in item(key).items() if name != "place"}


Clients = Callable[[str], Any]


def user(emulator: Emulator, name: str, statement: dict[str, Any], **tags: str) -> Clients:
    """Return what makes clients of a user with one statement of policy, and these tags."""
    iam = emulator.client("iam")
    iam.create_user(UserName=name, Tags=[{"Key": key, "Value": value} for key, value in tags.items()])
    policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", **statement}]}
    iam.put_user_policy(UserName=name, PolicyName="may", PolicyDocument=json.dumps(policy))
    made = iam.create_access_key(UserName=name)["AccessKey"]
    return lambda service: boto3.client(
        service,
        region_name=REGION,
        endpoint_url=emulator.url,
        aws_access_key_id=made["AccessKeyId"],
        aws_secret_access_key=made["SecretAccessKey"],
        config=Config(account_id_endpoint_mode="disabled", retries={"total_max_attempts": 1}),
    )


def denied(call: Callable[[], object]) -> bool:
    """Return whether IAM refused a call; raises what else went wrong."""
    try:
        call()
    except ClientError as error:
        if error.response["Error"]["Code"] not in ("AccessDenied", "AccessDeniedException"):
            raise
        return True
    return False


REQUESTS: dict[str, Callable[[Any, str], object]] = {
    "get": lambda dynamodb, key: dynamodb.get_item(TableName="items", Key=key_of(key)),
    "get by the table's ARN": lambda dynamodb, key: dynamodb.get_item(TableName=TABLE, Key=key_of(key)),
    "put": lambda dynamodb, key: dynamodb.put_item(TableName="items", Item=item(key)),
    "update": lambda dynamodb, key: dynamodb.update_item(
        TableName="items", Key=key_of(key), UpdateExpression="SET a = :a", ExpressionAttributeValues={":a": {"S": "a"}}
    ),
    "query": lambda dynamodb, key: dynamodb.query(
        TableName="items",
        KeyConditionExpression="#p = :key AND SK = :one",
        ExpressionAttributeNames={"#p": "PK"},
        ExpressionAttributeValues={":key": {"S": key}, ":one": {"S": "one"}},
    ),
    "query of the index": lambda dynamodb, key: dynamodb.query(
        TableName="items",
        IndexName="live",
        KeyConditionExpression="place = :key",
        ExpressionAttributeValues={":key": {"S": key}},
    ),
    "batch get": lambda dynamodb, key: dynamodb.batch_get_item(
        RequestItems={"items": {"Keys": [key_of("acme"), key_of(key)][key == "acme" :]}}
    ),
    "batch write": lambda dynamodb, key: dynamodb.batch_write_item(
        RequestItems={"items": [{"PutRequest": {"Item": item(key)}}]}
    ),
    "transaction of reads": lambda dynamodb, key: dynamodb.transact_get_items(
        TransactItems=[{"Get": {"TableName": "items", "Key": key_of(key)}}]
    ),
    "transaction of writes": lambda dynamodb, key: dynamodb.transact_write_items(
        TransactItems=[{"Put": {"TableName": "items", "Item": item(key)}}]
    ),
}


@pytest.fixture(scope="module")
def all_but_one(emulator: Emulator) -> Any:
    """The client of a user who may do everything with items, but for those of one partition."""
    condition = {"ForAllValues:StringNotEquals": {LEADING_KEYS: ["!"]}}
    may = {"Action": "dynamodb:*", "Resource": [TABLE, f"{TABLE}/*"], "Condition": condition}
    return user(emulator, "all-but-one", may)("dynamodb")


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_is_denied_by_the_partition_that_it_names(all_but_one: Any, name: str) -> None:
    assert denied(lambda: REQUESTS[name](all_but_one, "!"))
    assert not denied(lambda: REQUESTS[name](all_but_one, "acme"))


def test_a_request_that_names_no_partition_satisfies_a_condition_on_all_as_on_aws(all_but_one: Any) -> None:
    """Which is why no policy of ours allows a Scan."""
    assert not denied(lambda: all_but_one.scan(TableName="items"))


def test_a_variable_stands_for_the_callers_tag(emulator: Emulator) -> None:
    may = {"Action": "s3:GetObject", "Resource": "arn:aws:s3:::objects/${aws:PrincipalTag/tenant}/*"}
    s3 = user(emulator, "tagged", may, tenant="acme")("s3")

    assert not denied(lambda: s3.get_object(Bucket="objects", Key="acme/one"))
    assert denied(lambda: s3.get_object(Bucket="objects", Key="!/one"))


def test_a_variable_stands_for_the_callers_tag_in_a_condition(emulator: Emulator) -> None:
    condition = {"ForAllValues:StringEquals": {LEADING_KEYS: ["${aws:PrincipalTag/tenant}"]}}
    may = {"Action": "dynamodb:GetItem", "Resource": TABLE, "Condition": condition}
    dynamodb = user(emulator, "tagged-too", may, tenant="acme")("dynamodb")

    assert not denied(lambda: REQUESTS["get"](dynamodb, "acme"))
    assert denied(lambda: REQUESTS["get"](dynamodb, "!"))


@pytest.mark.parametrize("tags", [{}, {"tenant": "*"}], ids=["no tag", "a pattern"])
def test_a_variable_without_a_value_of_its_own_allows_nothing(emulator: Emulator, tags: dict[str, str]) -> None:
    may = {"Action": "s3:GetObject", "Resource": "arn:aws:s3:::objects/${aws:PrincipalTag/tenant}/*"}
    s3 = user(emulator, f"odd-{len(tags)}", may, **tags)("s3")

    assert denied(lambda: s3.get_object(Bucket="objects", Key="acme/one"))
    assert denied(lambda: s3.get_object(Bucket="objects", Key="${aws:PrincipalTag/tenant}/one"))
