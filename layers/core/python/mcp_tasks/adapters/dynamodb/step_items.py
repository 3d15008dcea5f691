"""Queries of the items in which a task's steps are recorded, each under the hash of its name."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from mcp_tasks.adapters.dynamodb.items import Item, primary_key
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.adapters.s3 import Payloads
from mcp_tasks.tasks.documents import value_of
from mcp_tasks.tasks.model import JSON

T = TypeVar("T")


def inline_steps(table: Table, payloads: Payloads, owner_key: str, task_id: str) -> Iterator[tuple[str, JSON]]:
    """Yield what steps recorded, by their hashed names, but for values that are kept in S3.

    A run asks for each step that it does not find here, so that the read need not be consistent, for half.
    """
    return _query(
        table,
        owner_key,
        task_id,
        lambda item: (_hash_in(item), payloads.unpack(item, value_of)),
        ConsistentRead=False,
        FilterExpression="attribute_exists(#json)",
        ExpressionAttributeNames={"#json": "json"},
    )


def step_names(table: Table, owner_key: str, task_id: str) -> Mapping[str, str | None]:
    """Return the names of all recorded steps by their hashes; None where it is missing, which fails no run."""
    names = _query(
        table,
        owner_key,
        task_id,
        lambda item: (_hash_in(item), item.get("step", {}).get("S")),
        ProjectionExpression="PK, SK, step",
        ConsistentRead=True,
    )
    return dict(names)


def _hash_in(item: Item) -> str:
    return str(item["SK"]["S"].rpartition("#")[2])


def _query(table: Table, owner_key: str, task_id: str, read: Callable[[Item], T], **request: Any) -> Iterator[T]:
    place = primary_key(owner_key, "step", task_id, "")
    return table.query(
        read,
        limit=100,
        KeyConditionExpression="PK = :owner_key AND begins_with(SK, :place)",
        ExpressionAttributeValues={":owner_key": place["PK"], ":place": place["SK"]},
        **request,
    )
