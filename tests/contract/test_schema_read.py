"""What this release and the one before it wrote is read tolerantly, and what it promised is kept."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.adapters.dynamodb.change_feed import DynamoChangeFeed
from mcp_tasks.adapters.dynamodb.counters import counted
from mcp_tasks.adapters.dynamodb.items import Item
from mcp_tasks.adapters.dynamodb.keys import DynamoKeys
from mcp_tasks.adapters.dynamodb.lease import DynamoLease
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.engine.reconciler import Reconciler
from mcp_tasks.tasks.idempotency import IdempotencyKey
from mcp_tasks.tasks.model import Holding, Returned, State
from tests.cloud import TABLE, Cloud, scan
from tests.kit import ADA, BOB, FixedClock, IdleExecutor, a_task, plan_of
from tests.releases import items as golden
from tests.releases.items import (
    ALL,
    CANCELLED,
    FAILED,
    FRESH,
    MOVING,
    RESUMED,
    RETURNED,
    RETURNED_ERROR,
    SUSPENDED,
    item_at,
    put,
)

KEY = IdempotencyKey(name="order 7", fingerprint="f")


def test_who_acted_when_a_task_was_created_is_read(dynamo_store: DynamoTaskStore, aws: Cloud) -> None:
    golden.put_all(aws, "0.4")

    assert [dynamo_store.read(BOB.owner_key, task_id).actor for task_id in (golden.STARTED, golden.QUEUED)] == [
        golden.ACTOR,
        golden.ACTOR,
    ]


def test_the_version_of_the_code_that_a_task_was_created_under_is_read(
    dynamo_store: DynamoTaskStore, aws: Cloud
) -> None:
    golden.put_all(aws, "0.4")

    tasks = [dynamo_store.read(BOB.owner_key, golden.STARTED), dynamo_store.read(ADA.owner_key, FRESH)]
    assert [task.tool_version for task in tasks] == ["2", None]


@pytest.fixture(params=["0.1", "0.2", "0.4"])
def release(request: pytest.FixtureRequest, table: Table, aws: Cloud) -> str:
    """A release, with everything in the table as that release wrote it."""
    golden.put_all(aws, request.param)
    found: str = request.param
    return found


def test_what_a_release_wrote_is_read_as_if_it_were_written_now(
    release: str, dynamo_store: DynamoTaskStore, aws: Cloud
) -> None:
    found = _everything(dynamo_store)
    for item in scan(aws.dynamodb):
        aws.dynamodb.delete_item(TableName=TABLE, Key={name: item[name] for name in ("PK", "SK")})
    golden.write_all(aws)

    assert found == _everything(dynamo_store)
    assert found["states"] == {
        FRESH: "working",
        MOVING: "working",
        SUSPENDED: "input_required",
        RESUMED: "working",
        RETURNED: "finished",
        RETURNED_ERROR: "finished",
        FAILED: "finished",
        CANCELLED: "cancelled",
    }
    assert found["outcomes"][0] == Returned(result=golden.LARGE)


def test_tasks_that_a_release_wrote_can_be_read_waited_for_listed_and_cancelled(
    release: str, service: TaskService
) -> None:
    assert service.wait(ADA, FRESH, timeout=timedelta(seconds=2)).state is State.WORKING
    assert service.wait(ADA, SUSPENDED, timeout=timedelta(seconds=2), until=lambda task: bool(task.open_input_requests))
    assert service.outcome(ADA, RETURNED) == Returned(result=golden.LARGE)
    assert [task.id for task in service.page(ADA, before=golden.DELETED, limit=9)[0]] == list(ALL)
    for task_id in (FRESH, SUSPENDED, RESUMED):
        assert service.cancel(ADA, task_id).state is State.CANCELLED


def test_tasks_that_a_release_wrote_are_swept(release: str, service: TaskService, clock: FixedClock) -> None:
    clock.advance(timedelta(minutes=2))

    Reconciler(tasks=service, ports=service.ports).sweep(limit=99)

    executor = service.ports.executor
    assert isinstance(executor, IdleExecutor)
    of_this = [golden.STARTED, golden.QUEUED, golden.ASKING] if release == golden.RELEASE else []
    assert sorted(executor.started) == sorted([FRESH, MOVING, SUSPENDED, RESUMED, golden.DELETED, *of_this])


def test_what_a_release_promised_is_kept(release: str, dynamo_store: DynamoTaskStore, service: TaskService) -> None:
    moving = dynamo_store.read(ADA.owner_key, MOVING)
    assert dynamo_store.create(ADA.owner_key, a_task(), {}, key=KEY, plan=plan_of(100)).id == FRESH
    assert dynamo_store.record(ADA.owner_key, moving, "fetch", "anew") == {"etag": "ü"}
    assert dynamo_store.claim(ADA.owner_key, moving, "listener")
    assert not dynamo_store.claim(ADA.owner_key, moving, "listener")
    assert not DynamoLease(table=dynamo_store.table, name="tail").take("another")
    assert service.ports.keys.current() == ("2026-01", bytes(range(32)))
    dynamo_store.release(ADA.owner_key, golden.DELETED)
    assert counted(dynamo_store.table, ADA.tenant, "active") == (6 if release == golden.RELEASE else 4)


def _everything(store: DynamoTaskStore) -> dict[str, Any]:
    """Return what the adapters read of all that `tests.releases.items` wrote."""
    table = store.table
    # What a task holds of its tenant's plan is not counted before this release.
    read = {task_id: store.read(ADA.owner_key, task_id) for task_id in ALL}
    tasks = {task_id: replace(task, holding=Holding(), started_at=None) for task_id, task in read.items()}
    return {
        "tasks": tasks,
        "states": {task.id: str(task.state) for task in tasks.values()},
        "arguments": [store.arguments(ADA.owner_key, task_id) for task_id in ALL],
        "outcomes": [store.outcome(ADA.owner_key, task_id) for task_id in (RETURNED, RETURNED_ERROR, FAILED)],
        "responses": [
            store.response(ADA.owner_key, *names)
            for names in ((FRESH, "name"), (SUSPENDED, "colour"), (RESUMED, "colour"))
        ],
        "steps": [store.recall(ADA.owner_key, *names) for names in ((FRESH, "look up"), (MOVING, "fetch"))],
        "awaiting_input": store.awaiting_input(ADA.owner_key, golden.SESSION_ID),
        "changed": DynamoChangeFeed(table=table).version(ADA.owner_key, golden.URI),
        "key": DynamoKeys(table).current(),
    }


def test_what_is_not_known_is_ignored(release: str, dynamo_store: DynamoTaskStore, aws: Cloud) -> None:
    before = _everything(dynamo_store)
    for item in scan(aws.dynamodb):
        put(aws, _with_more(item))

    assert _everything(dynamo_store) == before


def test_what_a_task_of_another_release_lacks_is_defaulted(dynamo_store: DynamoTaskStore, aws: Cloud) -> None:
    golden.put_all(aws, "0.2")
    put(aws, item_at(aws, f"task#{FRESH}") | {"details": {"S": "{}"}, "request": {"S": "{}"}})

    assert dynamo_store.read(ADA.owner_key, FRESH) == a_task(id=FRESH)


def _with_more(item: Item) -> Item:
    """Return the item with an attribute that nobody knows, and fields of that kind in its JSON documents."""
    documents = ("details", "request", "json") if golden.kind_of(item) in ("task", "reply", "result") else ()
    more = {name: {"S": _with_unknown_fields(item[name]["S"])} for name in documents if name in item}
    return {**item, **more, "unknown": {"S": "text"}}


def _with_unknown_fields(text: str) -> str:
    document = json.loads(text)
    inner = [document.get(name) for name in ("progress", "returned", "faulted")]
    for fields in (document, *filter(None, inner), *document.get("input_requests", ())):
        fields["unknown"] = 1
    return json.dumps(document)
