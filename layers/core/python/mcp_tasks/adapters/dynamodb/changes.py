"""Reads records of the table's DynamoDB stream as changes of tasks."""

from collections.abc import Mapping
from typing import Any

from mcp_tasks.adapters.dynamodb.items import owner_and_id, task_of
from mcp_tasks.adapters.dynamodb.schema import check_schema
from mcp_tasks.records import record
from mcp_tasks.tasks.model import Task


@record
class Change:
    """One change of one stored task: `before` is None when it was created, `after` when it was deleted."""

    owner_key: str
    task_id: str
    before: Task | None
    after: Task | None


def change_of(record: Mapping[str, Any]) -> Change:
    """Read the `dynamodb` field of a stream record about a task; raises `UnreadableItem`."""
    owner_key, task_id = owner_and_id(record["Keys"])
    before, after = record.get("OldImage"), record.get("NewImage")
    for image in filter(None, (before, after)):
        check_schema(image)
    return Change(
        owner_key=owner_key,
        task_id=task_id,
        before=task_of(before) if before else None,
        after=task_of(after) if after else None,
    )


def deleted_while_live(record: Mapping[str, Any]) -> bool:
    """Return whether the record is the deletion of a task that had not ended; reads items of any schema version."""
    return not record.get("NewImage") and "liveShard" in record.get("OldImage", {})
