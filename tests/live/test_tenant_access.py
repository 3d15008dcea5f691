"""What tools reach of their caller's tenant's own, on AWS: by sessions with a tag of theirs.

Relied on: STS takes `Caller.tenant_tag` as the value of a tag, whatever the tenant's name; and a request that names no
partition key, as a Scan, satisfies `ForAllValues`, which is why `OWN_ITEMS` has `Null` as well.
"""

import uuid
from collections.abc import Iterator, Mapping
from typing import Any, Final

import boto3
import pytest

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.wire.revisions import PACKAGES
from tests.live.deployed import Stage, until
from tests.live.roles import MakeClient, copied, said, session

pytestmark = pytest.mark.live

TENANTS: Final = ("acme", "acme-2", "a/b~ Ü%", "..", "*", "${aws:PrincipalTag/tenant}", "x" * 60)
NAME: Final = f"live-test-{uuid.uuid4().hex}"


def tag(tenant: str) -> str:
    return Caller(tenant=tenant, subject="ada").tenant_tag


@pytest.fixture
def sessions(stage: Stage) -> Iterator[Mapping[str, MakeClient]]:
    """Clients of each tenant, as `host_run` would give them to its tools."""
    with copied(stage.functions["host_run"]["Environment"]["Variables"]["TENANT_ROLE"]) as role:
        yield {tenant: session(role, tenant=tag(tenant)) for tenant in TENANTS}

    s3, table = boto3.client("s3"), boto3.resource("dynamodb").Table(stage.outputs["ItemsTable"])
    for tenant in TENANTS:
        s3.delete_object(Bucket=stage.outputs["DataBucket"], Key=f"{tag(tenant)}/{NAME}")
        for key in own_items(tenant):
            table.delete_item(Key={"PK": key})


def of_objects(s3: Any, bucket: str, tenant: str) -> str:
    """Say what comes of writing and reading in a tenant's folder."""
    note = {"Bucket": bucket, "Key": f"{tag(tenant)}/{NAME}"}
    return f"{said(s3.put_object, **note, Body=b'a note')}, {said(s3.get_object, **note)}"


def own_items(tenant: str) -> tuple[str, str]:
    """Return the partition keys of items that are the tenant's own."""
    return tag(tenant), f"{tag(tenant)}#{NAME}"


def of_items(dynamodb: Any, table: str, *tenants: str) -> dict[str, str]:
    """Say what comes of requests for items of the last of these tenants, and in a transaction of all."""
    keys = [{"PK": {"S": key}} for tenant in tenants for key in own_items(tenant)]
    puts = [{"Put": {"TableName": table, "Item": key}} for key in keys]
    last = {
        "TableName": table,
        "KeyConditionExpression": "PK = :key",
        "ExpressionAttributeValues": {":key": keys[-1]["PK"]},
    }
    return {
        "transaction": said(dynamodb.transact_write_items, TransactItems=puts),
        "put": said(dynamodb.put_item, TableName=table, Item=keys[-1]),
        "get": said(dynamodb.get_item, TableName=table, Key=keys[-1]),
        "query": said(dynamodb.query, **last),
    }


ALL: Final = dict.fromkeys(("transaction", "put", "get", "query"), "done")
NONE: Final = dict.fromkeys(ALL, "denied")


@pytest.mark.parametrize("revision", PACKAGES)
def test_a_run_has_a_session_of_its_callers_tenant(stage: Stage, revision: str) -> None:
    client, bucket = stage.client(revision), stage.outputs["DataBucket"]
    own = client.call_tool("tenant_tag").text
    reached = {
        folder: client.call_tool("reach", {"bucket": bucket, "folder": folder}).text for folder in (own, f"{own}-2")
    }

    boto3.client("s3").delete_object(Bucket=bucket, Key=f"{own}/note.txt")
    assert reached == {own: "a note", f"{own}-2": "AccessDenied"}


def test_a_tenant_of_any_name_is_held_to_its_folder(stage: Stage, sessions: Mapping[str, MakeClient]) -> None:
    bucket, s3 = stage.outputs["DataBucket"], {tenant: make("s3") for tenant, make in sessions.items()}
    until(lambda: all(of_objects(s3[each], bucket, each) == "done, done" for each in TENANTS))

    for one in TENANTS:
        reached = {other: of_objects(s3[one], bucket, other) for other in TENANTS}
        assert reached == {**dict.fromkeys(TENANTS, "denied, denied"), one: "done, done"}, one


def test_a_tenant_of_any_name_is_held_to_its_items(stage: Stage, sessions: Mapping[str, MakeClient]) -> None:
    table, clients = stage.outputs["ItemsTable"], {tenant: make("dynamodb") for tenant, make in sessions.items()}
    until(lambda: all(of_items(clients[each], table, each) == ALL for each in TENANTS))

    for one in TENANTS:
        for other in set(TENANTS) - {one}:
            # Its own items beside another's, which a transaction is not to smuggle in.
            assert of_items(clients[one], table, one, other) == NONE, f"{one} reaches {other}"
        assert said(clients[one].scan, TableName=table) == "denied"
