"""Reads records of the table's DynamoDB stream as changes of the inbox."""

from collections.abc import Mapping
from typing import Any

from mcp_tasks.adapters.dynamodb.inbox_items import inbox_item_of
from mcp_tasks.adapters.dynamodb.schema import check_schema
from mcp_tasks.tasks.inbox import InboxItem


def is_of_inbox(record: Mapping[str, Any]) -> bool:
    """Return whether the `dynamodb` field of a stream record is about an open item of an inbox."""
    return str(record["Keys"]["SK"]["S"]).startswith("inbox#")


def inbox_change_of(record: Mapping[str, Any]) -> tuple[InboxItem | None, InboxItem | None]:
    """Return an item as it was before and after its change: None where it is new, or gone; raises `UnreadableItem`."""
    images = record.get("OldImage"), record.get("NewImage")
    for image in filter(None, images):
        check_schema(image)
    before, after = (inbox_item_of(image) if image else None for image in images)
    return before, after
