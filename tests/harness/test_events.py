"""The harness delivers what the table's stream has, which moto breaks off at the first transaction that fails."""

from typing import Any

import pytest
from botocore.exceptions import ClientError

from mcp_tasks.testing.state_machines.resources import client
from tests.harness.harness import Harness


def put(table: str, name: str, **condition: str) -> dict[str, Any]:
    return {"Put": {"TableName": table, "Item": {"PK": {"S": "acme"}, "SK": {"S": name}}, **condition}}


def test_the_stream_goes_on_after_a_transaction_that_failed_and_has_nothing_of_it(deployment: Harness) -> None:
    dynamodb, table, changes = client("dynamodb"), deployment.table.name, deployment.deliveries.changes
    dynamodb.transact_write_items(TransactItems=[put(table, "first")])
    before = changes.poll()

    with pytest.raises(ClientError, match="ConditionalCheckFailed"):
        dynamodb.transact_write_items(
            TransactItems=[put(table, "second"), put(table, "first", ConditionExpression="attribute_not_exists(PK)")]
        )
    dynamodb.transact_write_items(TransactItems=[put(table, "third")])

    keys = [record["dynamodb"]["Keys"]["SK"]["S"] for record in [*before, *changes.poll(), *changes.poll()]]
    assert keys == ["first", "third"]
