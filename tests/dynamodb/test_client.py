"""The client fails at what it does not know, and tells of each write; its answers are held against those of moto."""

from pathlib import Path

import pytest

from tests.dynamodb.client import MemoryDynamo
from tests.dynamodb.table import Record

TABLE = "tasks"
PLACE = ("acme", "a#1")
KEY = {"PK": {"S": PLACE[0]}, "SK": {"S": PLACE[1]}}
ITEM = {**KEY, "n": {"N": "7"}}


def test_what_is_not_known_is_refused_rather_than_ignored() -> None:
    table = MemoryDynamo()

    with pytest.raises(AssertionError, match="ReturnConsumedCapacity"):
        table.get_item(TableName=TABLE, Key=KEY, ReturnConsumedCapacity="TOTAL")
    with pytest.raises(AssertionError, match="contains"):
        table.put_item(TableName=TABLE, Item=ITEM, ConditionExpression="contains(n, n)")
    with pytest.raises(AssertionError, match="is no text"):
        table.put_item(TableName=TABLE, Item={**KEY, "n": {"S": Path("a")}})


def test_a_write_is_heard_with_all_that_it_changed_and_one_that_changes_nothing_is_not() -> None:
    table, heard = MemoryDynamo(), list[Record]()
    table.items.written = heard.extend

    table.put_item(TableName=TABLE, Item=ITEM)
    table.put_item(TableName=TABLE, Item=ITEM)
    table.transact_write_items(TransactItems=[{"Delete": {"TableName": TABLE, "Key": KEY}}])

    assert heard == [Record(PLACE, None, ITEM), Record(PLACE, ITEM, None)]
