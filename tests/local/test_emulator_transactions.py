"""What the emulator is put right about: a transaction that comes again, because its answer was lost."""

from typing import Any

import pytest
from botocore.exceptions import ClientError

from local.emulator import running_emulator

KEY = {"PK": {"S": "ada"}, "SK": {"S": "task"}}


def put(value: str) -> list[dict[str, Any]]:
    """Return a transaction, with a number that DynamoDB stores in another way than it was sent."""
    return [{"Put": {"TableName": "tasks", "Item": {**KEY, "value": {"N": value}}}}]


def test_a_transaction_that_comes_again_is_the_first_one() -> None:
    with running_emulator() as emulator:
        table = emulator.client("dynamodb")
        keys = [{"AttributeName": name, "KeyType": kind} for name, kind in (("PK", "HASH"), ("SK", "RANGE"))]
        table.create_table(
            TableName="tasks",
            KeySchema=keys,
            AttributeDefinitions=[{"AttributeName": each["AttributeName"], "AttributeType": "S"} for each in keys],
            BillingMode="PAY_PER_REQUEST",
        )
        table.transact_write_items(TransactItems=put("1.50"), ClientRequestToken="one")
        table.transact_write_items(TransactItems=put("2.50"), ClientRequestToken="two")

        table.transact_write_items(TransactItems=put("1.50"), ClientRequestToken="one")

        assert table.get_item(TableName="tasks", Key=KEY)["Item"]["value"] == {"N": "2.5"}
        with pytest.raises(ClientError, match="IdempotentParameterMismatch"):
            table.transact_write_items(TransactItems=put("3.50"), ClientRequestToken="one")
