"""What an eventually consistent read of DynamoDB misses, since it was written a moment ago, is read all the same."""

from typing import Any

import pytest

from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.tasks.hashing import hashed
from tests.contract.faults import with_faults
from tests.contract.store_actions import add
from tests.kit import ADA, a_task


@pytest.fixture
def lagging(dynamo_store: DynamoTaskStore) -> DynamoTaskStore:
    """Return the store on a table of which reads that are not consistent find nothing yet."""

    def lag(operation: str, request: dict[str, Any]) -> dict[str, Any] | None:
        late = not request.get("ConsistentRead", False)
        return {"get_item": {}, "query": {"Items": []}}.get(operation) if late else None

    return with_faults(dynamo_store, lag)


def test_the_arguments_of_a_new_task_are_read(lagging: DynamoTaskStore) -> None:
    task = add(lagging, a_task())

    assert lagging.arguments(ADA.owner_key, task.id) == {"name": "Ada"}


def test_a_step_that_a_run_is_not_given_as_it_begins_is_recalled_and_named(lagging: DynamoTaskStore) -> None:
    task = add(lagging, a_task())
    lagging.record(ADA.owner_key, task, "draw", 7)

    assert list(lagging.steps(ADA.owner_key, task.id)) == []
    assert lagging.recall(ADA.owner_key, task.id, "draw") == (7,)
    assert lagging.step_names(ADA.owner_key, task.id) == {hashed("draw"): "draw"}
