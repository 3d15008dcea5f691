"""The table in memory answers as moto does: each call of `aws.dynamodb` here is made in both, and compared."""

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.cloud import TABLE, Cloud
from tests.dynamodb.twin import Twin

KEY = {"PK": {"S": "acme"}, "SK": {"S": "a#1"}}
ITEM: dict[str, dict[str, Any]] = {
    **KEY,
    "n": {"N": "7"},
    "big": {"N": "10"},
    "aText": {"S": "seven"},
    "yes": {"BOOL": True},
    "aMap": {"M": {"n": {"N": "1"}}},
    "aList": {"L": [{"S": "x"}]},
}
VALUES = {
    ":six": {"N": "6"},
    ":seven": {"N": "7.0"},
    ":eight": {"N": "8"},
    ":ten": {"N": "10"},
    ":text": {"S": "seven"},
    ":sev": {"S": "sev"},
    ":yes": {"BOOL": True},
    ":one": {"N": "1"},
    ":more": {"L": [{"S": "y"}]},
}
CONDITIONS = [
    *("n = :seven", "n <> :seven", "n < :eight", "n <= :seven", "n > :ten", "n >= :seven", "big > n", "big = :ten"),
    *("n BETWEEN :six AND :eight", "n BETWEEN :eight AND :ten", "aNone = :six", "aNone <> :six", "aNone < :six"),
    *("n = :text", "n <> :text", "yes = :yes", "aText = :text", "begins_with(aText, :sev)"),
    *("begins_with(aNone, :sev)", "begins_with(n, :sev)", "attribute_exists(aMap.n)", "aMap.n = :one"),
    *("attribute_not_exists(aMap.m)", "attribute_exists(aNone)", "attribute_not_exists(n)", "NOT n = :seven"),
    *(
        "NOT n = :six AND n = :seven",
        "n = :six OR n = :seven AND aText = :text",
        "(n = :six OR n = :seven) AND n = :six",
    ),
    *("NOT (n = :six OR n = :seven)", "#n = :seven", "aMap.#n = :one", "n = :six AND n = :six OR n = :seven"),
]
UPDATES = [
    *("SET n = :ten", "SET n = n + :ten", "SET n = n - :ten, aText = :sev", "SET m = if_not_exists(m, :six)"),
    *(
        "SET n = if_not_exists(n, :six)",
        "SET n = if_not_exists(m, :six) + :one",
        "SET aMap.n = :six",
        "REMOVE aText, n",
    ),
    *(
        "REMOVE aNone",
        "ADD n :six",
        "ADD aNone :six",
        "ADD n :six SET aText = :sev REMOVE yes",
        "SET #n = big, big = #n",
    ),
    "SET aList = list_append(aList, :more), m = list_append(if_not_exists(m, :more), :more)",
]


def using(expression: str, **request: Any) -> dict[str, Any]:
    """Return a request with the names and the values that its expression uses, and no others."""
    values = {
        name: value
        for name, value in VALUES.items()
        if f"{name} " in f"{expression} ".replace(",", " ").replace(")", " ")
    }
    names = {"ExpressionAttributeNames": {"#n": "n"}} if "#n" in expression else {}
    return {"TableName": TABLE, **request, **names, **({"ExpressionAttributeValues": values} if values else {})}


def same(twin: Any, operation: str, **request: Any) -> None:
    """Make a call that may be refused: `Twin` compares what comes of it."""
    before, refused = twin.compared, ""
    try:
        getattr(twin, operation)(**request)
    except ClientError as error:
        refused = error.response["Error"]["Code"]
    assert twin.compared == before + 1
    assert refused != "ValidationException"


@pytest.mark.parametrize("stored", [True, False])
def test_a_condition_holds_in_both_or_in_neither(aws: Cloud, stored: bool) -> None:
    for condition in CONDITIONS:
        if stored:
            aws.dynamodb.put_item(TableName=TABLE, Item=ITEM)
        else:
            aws.dynamodb.delete_item(TableName=TABLE, Key=KEY)

        put = using(condition, Item=KEY, ConditionExpression=condition, ReturnValuesOnConditionCheckFailure="ALL_OLD")
        same(aws.dynamodb, "put_item", **put)
        same(aws.dynamodb, "get_item", TableName=TABLE, Key=KEY)


def test_a_filter_keeps_the_same_in_both(aws: Cloud) -> None:
    aws.dynamodb.put_item(TableName=TABLE, Item=ITEM)
    aws.dynamodb.put_item(TableName=TABLE, Item=KEY | {"SK": {"S": "b"}, "n": {"N": "6"}})

    for condition in CONDITIONS:
        query = using(condition, KeyConditionExpression="PK = :owner", FilterExpression=condition)
        query["ExpressionAttributeValues"] = query.get("ExpressionAttributeValues", {}) | {":owner": KEY["PK"]}
        same(aws.dynamodb, "query", **query)


def test_an_update_leaves_the_same_item_in_both(aws: Cloud) -> None:
    for update in UPDATES:
        aws.dynamodb.put_item(TableName=TABLE, Item=ITEM)

        same(aws.dynamodb, "update_item", **using(update, Key=KEY, UpdateExpression=update))
        same(aws.dynamodb, "get_item", TableName=TABLE, Key=KEY)


def test_a_page_that_is_full_says_where_it_ends_though_nothing_follows(aws: Cloud) -> None:
    """DynamoDB does not look ahead; moto does, so that `Twin` adds what it leaves out."""
    for name in ("a", "b"):
        aws.dynamodb.put_item(TableName=TABLE, Item=KEY | {"SK": {"S": name}})
    all_of = {"TableName": TABLE, "KeyConditionExpression": "PK = :owner", "Limit": 2}
    all_of |= {"ExpressionAttributeValues": {":owner": KEY["PK"]}}

    page = aws.dynamodb.query(**all_of)
    rest = aws.dynamodb.query(**all_of, ExclusiveStartKey=page["LastEvaluatedKey"])

    assert (page["Count"], rest["Count"]) == (2, 0)
    assert "LastEvaluatedKey" not in rest


@pytest.mark.parametrize(("forward", "rest"), [(True, ["c"]), (False, ["a"])])
def test_the_next_page_begins_where_the_last_one_ended_though_that_item_is_gone(
    aws: Cloud, forward: bool, rest: list[str]
) -> None:
    for name in ("a", "b", "c"):
        aws.dynamodb.put_item(TableName=TABLE, Item=KEY | {"SK": {"S": name}})
    page = {"TableName": TABLE, "KeyConditionExpression": "PK = :owner", "Limit": 2, "ScanIndexForward": forward}
    page |= {"ExpressionAttributeValues": {":owner": KEY["PK"]}}

    end = aws.dynamodb.query(**page)["LastEvaluatedKey"]
    aws.dynamodb.delete_item(TableName=TABLE, Key=end)

    found = aws.dynamodb.query(**page, ExclusiveStartKey=end)["Items"]
    assert [item["SK"]["S"] for item in found] == rest


def test_what_the_index_has_at_the_same_place_comes_in_the_same_order_page_by_page(aws: Cloud) -> None:
    place = {"liveShard": {"S": "0"}, "checkAt": {"N": "5"}}
    for owner, name in [("c", "1"), ("a", "2"), ("b", "3"), ("a", "1")]:
        aws.dynamodb.put_item(TableName=TABLE, Item={"PK": {"S": owner}, "SK": {"S": name}, **place})
    shard = {"IndexName": "live", "KeyConditionExpression": "liveShard = :shard", "Limit": 3}
    shard |= {"TableName": TABLE, "ExpressionAttributeValues": {":shard": {"S": "0"}}}

    page = aws.dynamodb.query(**shard)
    rest = aws.dynamodb.query(**shard, ExclusiveStartKey=page["LastEvaluatedKey"])

    assert [item["PK"]["S"] for item in (*page["Items"], *rest["Items"])] == ["a", "a", "b", "c"]


def test_a_transaction_that_fails_says_the_same_of_each_action(aws: Cloud) -> None:
    aws.dynamodb.put_item(TableName=TABLE, Item=ITEM)
    new = {"TableName": TABLE, "ConditionExpression": "attribute_not_exists(PK)"}
    shown = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    actions = [
        {"Put": {**new, **shown, "Item": ITEM}},
        {"Put": {**new, "Item": KEY | {"SK": {"S": "b"}}}},
        {"Delete": {"TableName": TABLE, "Key": KEY | {"SK": {"S": "c"}}}},
    ]

    same(aws.dynamodb, "transact_write_items", TransactItems=actions)
    same(aws.dynamodb, "get_item", TableName=TABLE, Key=KEY | {"SK": {"S": "b"}})


def test_a_difference_fails(aws: Cloud) -> None:
    twin = Twin(aws.dynamodb)
    twin.memory.put_item(TableName=TABLE, Item=ITEM)

    with pytest.raises(AssertionError, match=r"here: .*\nmoto: "):
        twin.get_item(TableName=TABLE, Key=KEY)
