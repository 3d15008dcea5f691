"""Helpers for the store on DynamoDB, and the number of tasks that its counters count."""

from typing import Any

from mcp_tasks.adapters.dynamodb.items import count_in
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.tasks.events import CancelRequested
from mcp_tasks.tasks.model import Task
from tests.cloud import Cloud, scan
from tests.contract.store_actions import move
from tests.kit import ADA, a_task, plan_of


def active(aws: Cloud, tenant: str = ADA.tenant) -> int:
    """Return the sum of the tenant's counters."""
    items = [item for item in scan(aws.dynamodb) if item["PK"]["S"] == tenant and item["SK"]["S"].startswith("quota#")]
    assert all(count_in(item, "active") >= 0 for item in items)
    return sum(count_in(item, "active") for item in items)


def add(store: DynamoTaskStore, task: Task | None = None, **changes: Any) -> Task:
    options: dict[str, Any] = {"key": None, "plan": plan_of(100)} | changes
    return store.create(ADA.owner_key, task or a_task(), {}, **options)


def cancel(store: DynamoTaskStore, task: Task) -> Task:
    return move(store, task, CancelRequested(status_message="enough"))
