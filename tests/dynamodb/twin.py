"""A client that makes each call here and in moto, and fails where the answers differ."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final

from botocore.exceptions import ClientError

from tests.dynamodb.client import MemoryDynamo

COMPARED: Final = ("get_item", "put_item", "update_item", "delete_item", "query", "transact_write_items")
SEEN: Final = ("Item", "Items", "Count", "ScannedCount", "LastEvaluatedKey")
"""What of calls, and of answers, has to be the same."""


class Twin:
    """Answers as moto does; anything else is moto's alone."""

    def __init__(self, moto: Any) -> None:
        self.memory = MemoryDynamo()
        self.compared = 0
        """How many answers were the same."""
        self._moto = moto

    def __getattr__(self, operation: str) -> Any:
        call = getattr(self._moto, operation)
        return self._both(operation, call) if operation in COMPARED else call

    def _both(self, operation: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def both(**request: Any) -> Any:
            here = _answer(getattr(self.memory, operation), request)
            there = _answer(self._query if operation == "query" else call, request)
            assert here[0] == there[0], f"{operation} {request}\nhere: {here[0]}\nmoto: {there[0]}"
            self.compared += 1
            if isinstance(there[1], ClientError):
                raise there[1]
            return there[1]

        return both

    def _query(self, **request: Any) -> Any:
        """Query moto, and say where a page that is full ends, as DynamoDB does; moto does if another item follows."""
        answer = self._moto.query(**request)
        if answer["ScannedCount"] == request.get("Limit") and "LastEvaluatedKey" not in answer:
            end = self.memory.query(**request)["LastEvaluatedKey"]
            after = self._moto.query(**{**request, "ExclusiveStartKey": end})
            assert after["ScannedCount"] == 0, f"moto has more after {end}: {request}"
            answer["LastEvaluatedKey"] = end
        return answer


def _answer(call: Callable[..., Any], request: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return what is compared of an answer, and the answer."""
    try:
        answer = call(**request)
    except ClientError as error:
        response: dict[str, Any] = dict(error.response)
        reasons = [(reason["Code"], _same(reason.get("Item"))) for reason in response.get("CancellationReasons", ())]
        return (response["Error"]["Code"], reasons, _same(response.get("Item"))), error
    return {name: _same(answer[name]) for name in SEEN if name in answer}, answer


def _same(value: Any) -> Any:
    """Return a value in which numbers are numbers, however they are written."""
    if isinstance(value, list):
        return [_same(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {name: Decimal(each) if name == "N" else _same(each) for name, each in value.items()}
