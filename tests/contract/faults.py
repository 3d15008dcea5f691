"""Faults between the store and DynamoDB."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from botocore.exceptions import ClientError

from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore


class FaultyClient:
    """A client that goes through `fault` before each call; what that returns is the answer, unless it is None."""

    def __init__(self, client: Any, fault: Callable[[str, dict[str, Any]], Any]) -> None:
        self._client = client
        self._fault = fault

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        def call(**request: Any) -> Any:
            answer = self._fault(operation, request)
            return answer if answer is not None else getattr(self._client, operation)(**request)

        return call


def with_faults(store: DynamoTaskStore, fault: Callable[[str, dict[str, Any]], Any]) -> DynamoTaskStore:
    table = replace(store.table, client=FaultyClient(store.table.client, fault))
    return replace(store, table=table)


def canceled(*codes: str) -> ClientError:
    """Return the error of a transaction whose actions met with this."""
    reasons = [{"Code": code} for code in codes]
    error: Any = {"Error": {"Code": "TransactionCanceledException", "Message": ""}, "CancellationReasons": reasons}
    return ClientError(error, "TransactWriteItems")


def times(number: int, error: Exception) -> Callable[[str, Mapping[str, Any]], None]:
    """Return a fault that raises `error` in the first `number` transactions."""
    left = [error] * number

    def strike(operation: str, request: Mapping[str, Any]) -> None:
        if operation == "transact_write_items" and left:
            raise left.pop()

    return strike
