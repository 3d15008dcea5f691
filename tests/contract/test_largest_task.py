"""A task that holds as much as its tool and its client can make it hold can be finished all the same."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from moto.dynamodb.models.dynamo_type import LimitedSizeDict

from mcp_tasks.adapters.dynamodb.items import primary_key
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.engine.suspension import InputRequestsTooLarge, Suspension
from mcp_tasks.limits.requests import MAX_NAME_CHARACTERS
from mcp_tasks.limits.tools import (
    MAX_INPUT_REQUESTS,
    MAX_INPUT_REQUESTS_CHARACTERS,
    MAX_LINE_CHARACTERS,
    MAX_REQUESTED_CHARACTERS,
)
from mcp_tasks.limits.waits import MAX_EARLIER_TOKENS
from mcp_tasks.tasks.events import Progressed
from mcp_tasks.tasks.model import InputRequest, InputResponse, Progress
from tests.cloud import Cloud
from tests.contract.store_actions import DONE
from tests.isolation.holder import job
from tests.kit import ADA

OWNER = ADA.owner_key
ITEM_BYTES = 400_000
WIDE = "\U0001f600" * MAX_LINE_CHARACTERS
"""A line of characters that take twelve bytes each as JSON in ASCII."""

REFUSED = {"code": -1, "message": "no"}
TOKEN_CHARACTERS = 2_048
"""Of a task token, at most: botocore's `TaskToken`."""


@pytest.fixture(autouse=True)
def _sizes_as_in_dynamodb(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have moto count an attribute that is replaced once; it adds what it will be to what it was."""
    counted = LimitedSizeDict.__setitem__

    def replace_in(item: LimitedSizeDict, name: str, value: Any) -> None:
        item.pop(name, None)
        counted(item, name, value)

    monkeypatch.setattr(LimitedSizeDict, "__setitem__", replace_in)


def requests_of(characters: int, first: int) -> list[InputRequest]:
    """Return as many input requests as may be open, whose keys have so many characters together as JSON."""
    each = characters // MAX_INPUT_REQUESTS - len('"", ')
    ask = InputRequest(key="", method="elicitation/create", params={"message": WIDE}, timeout=timedelta(days=1) / 7)
    return [replace(ask, key=f"{first + n:x>{each}}", params={}) for n in range(MAX_INPUT_REQUESTS - 1)] + [
        replace(ask, key=f"{first:y>{each}}")
    ]


def bytes_of(aws: Cloud, task_id: str) -> int:
    item = aws.dynamodb.get_item(TableName="tasks", Key=primary_key(OWNER, "task", task_id))["Item"]
    return sum(
        len(name) + (1 if isinstance(value, bool) else len(value.encode()))
        for name, each in item.items()
        for value in each.values()
    )


def test_the_largest_task_is_stored_and_finished(
    aws: Cloud, service: TaskService, dynamo_store: DynamoTaskStore
) -> None:
    suspension = Suspension(tasks=service)
    task = service.start(ADA, job, {}, progress_token="\U0001f600" * MAX_NAME_CHARACTERS)
    service.apply(OWNER, task.id, Progressed(progress=Progress(progress=10**300, total=10**300, message=WIDE)))
    sizes = []
    for first in (0, MAX_INPUT_REQUESTS):
        asked = requests_of(MAX_REQUESTED_CHARACTERS // 2, first)
        room = MAX_INPUT_REQUESTS_CHARACTERS - sum(len(json.dumps([each.key, each.params])) for each in asked)
        asked[0] = replace(asked[0], params={"p": "x" * (room - len('"p": ""'))})
        suspension.request_input(OWNER, task.id, asked)
        for n in range(MAX_EARLIER_TOKENS + 1):
            suspension.suspend(OWNER, task.id, f"{n}".ljust(TOKEN_CHARACTERS, "t"))
        sizes.append(bytes_of(aws, task.id))
        if first == 0:
            suspension.answer(ADA, task.id, {each.key: InputResponse(error=REFUSED) for each in asked})

    assert 200_000 < sizes[-1] < ITEM_BYTES
    suspension.answer(ADA, task.id, {each.key: InputResponse(error=REFUSED) for each in asked})
    with pytest.raises(InputRequestsTooLarge):
        suspension.request_input(OWNER, task.id, requests_of(MAX_REQUESTED_CHARACTERS // 2, 2 * MAX_INPUT_REQUESTS))
    service.finish(OWNER, task.id, DONE)

    assert service.outcome(ADA, task.id) == DONE
