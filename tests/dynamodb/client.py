"""The client: DynamoDB's own parameters, answers and errors, for one table of any name."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from botocore.exceptions import ClientError

from tests.dynamodb.conditions import condition
from tests.dynamodb.grammar import Attribute, Context, Item
from tests.dynamodb.plain import plain_item
from tests.dynamodb.table import Items, Key, index_place, key_of
from tests.dynamodb.updates import WrongType, update

FAILED: Final = "The conditional request failed"
WRONG_TYPE: Final = "An operand in the update expression has an incorrect data type"
MOST_ACTIONS: Final = 100
KNOWN: Final = frozenset(
    {
        *("TableName", "Key", "Item", "ConsistentRead", "Limit", "IndexName", "ScanIndexForward", "ExclusiveStartKey"),
        *("ConditionExpression", "UpdateExpression", "KeyConditionExpression", "FilterExpression"),
        *("ProjectionExpression", "ExpressionAttributeNames", "ExpressionAttributeValues"),
        "ReturnValuesOnConditionCheckFailure",
    }
)
"""Parameters that are understood; `ConsistentRead` changes nothing here, where every read is."""


class MemoryDynamo:
    """A DynamoDB client, and the items behind it."""

    def __init__(self) -> None:
        self.items = Items()

    def get_item(self, **request: Any) -> dict[str, Any]:
        _check(request)
        item = self.items.get(key_of(request["Key"]))
        return {} if item is None else {"Item": dict(item)}

    def put_item(self, **request: Any) -> dict[str, Any]:
        return self._write("Put", request)

    def update_item(self, **request: Any) -> dict[str, Any]:
        return self._write("Update", request)

    def delete_item(self, **request: Any) -> dict[str, Any]:
        return self._write("Delete", request)

    def transact_write_items(
        self, *, TransactItems: Sequence[Mapping[str, Any]], ClientRequestToken: str = ""
    ) -> dict[str, Any]:
        """Write all or none; the reasons for none are one for each action.  No token comes twice: no answer is lost."""
        actions = [next(iter(action.items())) for action in TransactItems]
        keys = [_key_in(request) for _, request in actions]
        if len(set(keys)) < len(keys) or not 0 < len(keys) <= MOST_ACTIONS:
            raise _error("ValidationException", "TransactWriteItems", "not so many items, or one of them twice")
        failed = [not self._holds(request) for _, request in actions]
        if any(failed):
            reasons = [
                self._reason(request) if each else {"Code": "None"}
                for (_, request), each in zip(actions, failed, strict=True)
            ]
            raise _error("TransactionCanceledException", "TransactWriteItems", FAILED, CancellationReasons=reasons)
        try:
            after = [(_key_in(request), self._after(verb, request)) for verb, request in actions]
        except WrongType:
            # DynamoDB gives this as the reason of one action, and moto gives none: so nobody is to go by it.
            raise _error("ValidationException", "TransactWriteItems", WRONG_TYPE) from None
        self.items.replace(after)
        return {}

    def query(self, **request: Any) -> dict[str, Any]:
        """Return a page: `Limit` counts items before they are filtered, and the last one is where the next begins."""
        _check(request)
        found = [item for item in self._range(request) if _is_true(request, "KeyConditionExpression", item)]
        place: Callable[[Item], Any] = index_place if "IndexName" in request else key_of
        onwards = request.get("ScanIndexForward", True)
        if "ExclusiveStartKey" in request:
            # The item of this key may be gone.
            start = place(request["ExclusiveStartKey"])
            found = [item for item in found if (place(item) > start if onwards else place(item) < start)]
        if not onwards:
            found.reverse()
        page = found[: request.get("Limit", len(found))]
        kept = [_projected(request, item) for item in page if _is_true(request, "FilterExpression", item)]
        answer: dict[str, Any] = {"Items": kept, "Count": len(kept), "ScannedCount": len(page)}
        # A page that is full says so, though it may be the last one.
        if page and len(page) == request.get("Limit"):
            names = ("PK", "SK") if "IndexName" not in request else ("PK", "SK", "liveShard", "checkAt")
            answer["LastEvaluatedKey"] = {name: page[-1][name] for name in names}
        return answer

    def scan(self, **request: Any) -> dict[str, Any]:
        """Return all items that a filter lets pass, in one page."""
        _check(request)
        return {
            "Items": [
                _projected(request, item) for item in self.items.all() if _is_true(request, "FilterExpression", item)
            ]
        }

    def get_paginator(self, operation: str) -> "Pages":
        """Return what requests page after page of a query or a scan."""
        return Pages(getattr(self, operation))

    def _range(self, request: Mapping[str, Any]) -> list[Item]:
        if "IndexName" in request:
            return list(self.items.index())
        partition, sign, value = request["KeyConditionExpression"].split()[:3]
        assert (partition, sign) == ("PK", "="), request["KeyConditionExpression"]
        return self.items.partition(request["ExpressionAttributeValues"][value]["S"])

    def _write(self, verb: str, request: Mapping[str, Any]) -> dict[str, Any]:
        if not self._holds(request):
            reason = self._reason(request)
            operation = f"{verb}Item"
            item = {"Item": reason["Item"]} if "Item" in reason else {}
            raise _error("ConditionalCheckFailedException", operation, FAILED, **item)
        self.items.replace([(_key_in(request), self._after(verb, request))])
        return {}

    def _holds(self, request: Mapping[str, Any]) -> bool:
        _check(request)
        return _is_true(request, "ConditionExpression", self.items.get(_key_in(request)) or {})

    def _reason(self, request: Mapping[str, Any]) -> dict[str, Any]:
        stored = self.items.get(_key_in(request))
        shown = request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD" and stored is not None
        item = {"Item": dict(stored)} if shown and stored is not None else {}
        return {"Code": "ConditionalCheckFailed", "Message": FAILED, **item}

    def _after(self, verb: str, request: Mapping[str, Any]) -> Item | None:
        match verb:
            case "Put":
                return plain_item(request["Item"])
            case "Update":
                before = self.items.get(_key_in(request)) or request["Key"]
                return plain_item(update(request["UpdateExpression"])(_context(request, before)))
            case "Delete":
                return None
            case _:
                raise NotImplementedError(f"the action {verb} of a transaction is not simulated")


class Pages:
    """Page after page of a query or a scan."""

    def __init__(self, read: Callable[..., Mapping[str, Any]]) -> None:
        self._read = read

    def paginate(self, **request: Any) -> Iterator[Mapping[str, Any]]:
        """Yield each page."""
        while True:
            page = self._read(**request)
            yield page
            if "LastEvaluatedKey" not in page:
                return
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def _context(request: Mapping[str, Any], item: Item) -> Context:
    values: Mapping[str, Attribute] = request.get("ExpressionAttributeValues", {})
    return Context(item, request.get("ExpressionAttributeNames", {}), values)


def _is_true(request: Mapping[str, Any], parameter: str, item: Item) -> bool:
    return parameter not in request or condition(request[parameter])(_context(request, item))


def _projected(request: Mapping[str, Any], item: Item) -> dict[str, Attribute]:
    if "ProjectionExpression" not in request:
        return dict(item)
    names = [name.strip() for name in request["ProjectionExpression"].split(",")]
    return {name: item[name] for name in names if name in item}


def _key_in(request: Mapping[str, Any]) -> Key:
    return key_of(request.get("Item") or request["Key"])


def _check(request: Mapping[str, Any]) -> None:
    unknown = set(request) - KNOWN
    assert not unknown, f"not understood: {unknown}"


def _error(code: str, operation: str, message: str, **more: Any) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": message}, **more}, operation)
