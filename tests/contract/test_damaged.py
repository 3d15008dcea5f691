"""A damaged item is rejected with what is invalid in it, and does not affect other items."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError

from mcp_tasks.adapters.dynamodb.items import Item
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.engine.reconciler import Reconciler
from mcp_tasks.limits.waits import BETWEEN_CHECKS
from mcp_tasks.tasks.errors import NewerSchema, PayloadRefused, UnreadableItem
from tests.cloud import Cloud
from tests.contract.faults import FaultyClient
from tests.kit import ADA, EVE, FixedClock, IdleExecutor, a_task
from tests.releases import items as golden
from tests.releases.items import (
    ALL,
    FAILED,
    FRESH,
    MOVING,
    RESUMED,
    SUSPENDED,
    item_at,
    put,
)

DAMAGES: list[tuple[str, Any, str]] = [
    ("tool", None, "tool is missing"),
    ("createdAt", None, "createdAt is missing"),
    ("state", None, "state is missing"),
    ("version", None, "version is missing"),
    ("goneAt", None, "goneAt is missing"),
    ("state", {"S": "SECRET"}, "state does not fit"),
    ("ending", {"S": "SECRET"}, "ending does not fit"),
    ("ending", {"S": "returned"}, "ending does not fit"),
    ("state", {"S": "finished"}, "ending is missing"),
    ("tool", {"N": "7"}, "tool does not fit"),
    ("createdAt", {"S": "SECRET"}, "createdAt does not fit"),
    ("updatedAt", {"S": "2026-01-01T12:00:00"}, "updatedAt does not fit"),
    ("ttl", {"S": "SECRET"}, "ttl does not fit"),
    ("timeout", {"N": "1e30"}, "timeout does not fit"),
    ("version", {"N": "1.5"}, "version does not fit"),
    ("schema", {"S": "SECRET"}, "schema does not fit"),
    ("goneAt", {"S": "SECRET"}, "goneAt does not fit"),
    ("details", {"S": "{SECRET"}, "details does not fit"),
    ("details", {"S": "[" * 9_999}, "details does not fit"),
    ("details", {"S": "[]"}, "details does not fit"),
    ("details", {"S": '{"note": {"SECRET": 1}}'}, "details.note does not fit"),
    ("details", {"S": '{"progress": {"progress": "SECRET"}}'}, "details.progress does not fit"),
    ("details", {"S": '{"progress": {"progress": 1, "total": true}}'}, "details.progress does not fit"),
    ("details", {"S": '{"questions": {"SECRET": 1}}'}, "details.questions does not fit"),
    ("details", {"S": '{"questions": [{"key": "SECRET"}]}'}, "details.questions does not fit"),
    (
        "details",
        {"S": '{"questions": [{"key": "a", "method": "b", "params": {}, "timeout": "SECRET"}]}'},
        "details.questions does not fit",
    ),
    ("details", {"S": '{"asked": "SECRET"}'}, "details.asked does not fit"),
    ("details", {"S": '{"askedAt": 7}'}, "details.askedAt does not fit"),
    ("request", {"S": '{"progressToken": ["SECRET"]}'}, "request.progressToken does not fit"),
    ("request", {"S": '{"scopes": [7]}'}, "request.scopes does not fit"),
]


def kept_item(place: str) -> Item:
    """Return the item with this sort key, as the release wrote it."""
    (found,) = (each for each in golden.kept("0.2")[place.partition("#")[0]] if each["SK"]["S"] == place)
    return found


def damaged(item: Item, name: str, value: Any) -> Item:
    """Return the item with another value of an attribute, or without it."""
    rest = {each: kept for each, kept in item.items() if each != name}
    return rest if value is None else {**rest, name: value}


@pytest.fixture
def lost(table: Table, aws: Cloud) -> str:
    """The id of a damaged task that is listed between others."""
    golden.put_all(aws, "0.2")
    put(aws, damaged(item_at(aws, f"task#{MOVING}"), "details", {"S": "SECRET"}))
    return MOVING


def fallbacks(caplog: pytest.LogCaptureFixture) -> list[tuple[object, object]]:
    """Return the logged fallbacks, each with its task."""
    records = [vars(record) for record in caplog.records]
    return [(each["fallback"], each["task"]) for each in records if "fallback" in each and "task" in each]


@pytest.mark.parametrize(("name", "value", "reason"), DAMAGES)
def test_a_damaged_task_is_rejected_with_its_key_and_the_invalid_attribute(
    dynamo_store: DynamoTaskStore, aws: Cloud, name: str, value: Any, reason: str
) -> None:
    put(aws, damaged(kept_item(f"task#{FRESH}"), name, value))

    with pytest.raises(UnreadableItem) as rejected:
        dynamo_store.read(ADA.owner_key, FRESH)

    assert str(rejected.value) == f"item task#{FRESH} cannot be read: {reason}"
    # A traceback shows what an error came from, unless that is suppressed.
    assert rejected.value.__cause__ is None
    assert rejected.value.__suppress_context__ or rejected.value.__context__ is None


def test_what_a_newer_release_wrote_is_one_kind_of_what_cannot_be_read() -> None:
    assert issubclass(NewerSchema, UnreadableItem)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("details", {}),
        ("request", {}),
        ("updatedAt", {}),
        ("pollInterval", {"poll_interval": timedelta(seconds=0.5)}),
        ("timeout", {"timeout": timedelta(hours=1)}),
        ("ttl", {}),
    ],
)
def test_what_a_task_can_do_without_is_defaulted(
    dynamo_store: DynamoTaskStore, aws: Cloud, name: str, expected: dict[str, Any]
) -> None:
    plain = kept_item(f"task#{FRESH}") | {"details": {"S": "{}"}, "request": {"S": "{}"}}
    put(aws, damaged(plain, name, None))

    assert dynamo_store.read(ADA.owner_key, FRESH) == a_task(id=FRESH, **expected)


def test_a_page_leaves_a_damaged_task_out_and_says_so(
    lost: str, service: TaskService, caplog: pytest.LogCaptureFixture
) -> None:
    first, before = service.page(ADA, before=golden.DELETED, limit=6)
    second, end = service.page(ADA, before=before, limit=6)

    assert [task.id for task in (*first, *second)] == [task_id for task_id in ALL if task_id != lost]
    assert end is None
    assert {vars(record).get("fallback") for record in caplog.records} == {"unreadable_item"}
    assert f"item task#{lost} cannot be read: details does not fit" in caplog.text
    assert "SECRET" not in caplog.text


def test_a_sweep_goes_on_past_a_damaged_task_and_checks_it_within_the_hour(
    lost: str, service: TaskService, clock: FixedClock, aws: Cloud, caplog: pytest.LogCaptureFixture
) -> None:
    clock.advance(timedelta(minutes=2))
    before = item_at(aws, f"task#{lost}")
    Reconciler(tasks=service, ports=service.ports).sweep(limit=99)

    assert isinstance(service.ports.executor, IdleExecutor)
    assert sorted(service.ports.executor.started) == [FRESH, SUSPENDED, RESUMED, golden.DELETED]
    assert ("unreadable_item", lost) in fallbacks(caplog)
    assert "SECRET" not in caplog.text
    after = item_at(aws, f"task#{lost}")
    due = clock.now() + BETWEEN_CHECKS
    assert float(after["checkAt"]["N"]) == pytest.approx(due.timestamp(), abs=60)
    assert after == before | {"checkAt": after["checkAt"]}


@pytest.mark.parametrize("value", [{"S": "SECRET"}, None])
def test_a_sweep_goes_on_past_a_task_whose_arguments_are_damaged(
    service: TaskService, clock: FixedClock, aws: Cloud, caplog: pytest.LogCaptureFixture, value: Item | None
) -> None:
    golden.put_all(aws, "0.2")
    put(aws, damaged(item_at(aws, f"args#{SUSPENDED}"), "json", value))
    clock.advance(timedelta(minutes=2))
    Reconciler(tasks=service, ports=service.ports).sweep(limit=99)

    assert isinstance(service.ports.executor, IdleExecutor)
    assert sorted(service.ports.executor.started) == [FRESH, MOVING, RESUMED, golden.DELETED]
    assert ("unreadable_item", SUSPENDED) in fallbacks(caplog)
    assert "SECRET" not in caplog.text


def test_a_wait_for_several_tasks_returns_those_that_can_be_read(lost: str, service: TaskService) -> None:
    found = service.updates(ADA, {lost: 0, SUSPENDED: 0}, timeout=timedelta(seconds=1))

    assert [task.id for task in found] == [SUSPENDED]


def test_a_damaged_task_that_is_over_is_simply_gone(
    lost: str, dynamo_store: DynamoTaskStore, clock: FixedClock
) -> None:
    clock.advance(timedelta(hours=2))

    assert dynamo_store.page(ADA.owner_key, before=None, limit=9) == []


@pytest.mark.parametrize(
    ("place", "read", "text", "reason"),
    [
        (f"args#{FRESH}", lambda store: store.arguments(ADA.owner_key, FRESH), "SECRET", "json does not fit"),
        (f"args#{FRESH}", lambda store: store.arguments(ADA.owner_key, FRESH), '["SECRET"]', "json does not fit"),
        (f"result#{FAILED}", lambda store: store.outcome(ADA.owner_key, FAILED), "SECRET", "json does not fit"),
        (f"result#{FAILED}", lambda store: store.outcome(ADA.owner_key, FAILED), '"SECRET"', "json does not fit"),
        (
            f"result#{FAILED}",
            lambda store: store.outcome(ADA.owner_key, FAILED),
            '{"faulted": {"code": "SECRET", "message": ""}}',
            "json does not fit",
        ),
        (
            f"result#{FAILED}",
            lambda store: store.outcome(ADA.owner_key, FAILED),
            '{"returned": {"result": "SECRET"}}',
            "json does not fit",
        ),
        (
            f"result#{FAILED}",
            lambda store: store.outcome(ADA.owner_key, FAILED),
            '{"returned": {"is_error": false}}',
            "json does not fit",
        ),
    ],
)
def test_a_damaged_item_of_a_task_is_rejected_likewise(
    dynamo_store: DynamoTaskStore,
    aws: Cloud,
    place: str,
    read: Callable[[DynamoTaskStore], object],
    text: str,
    reason: str,
) -> None:
    put(aws, kept_item(place) | {"json": {"S": text}})

    with pytest.raises(UnreadableItem) as rejected:
        read(dynamo_store)

    assert str(rejected.value) == f"item {place} cannot be read: {reason}"


@pytest.mark.parametrize("body", [b"\xff SECRET", b'{"text": "SECRET"}', b"{}", b"", b"[" * 99_999, None])
def test_an_object_that_is_gone_or_holds_anything_else_is_rejected_likewise(
    dynamo_store: DynamoTaskStore, aws: Cloud, body: bytes | None
) -> None:
    golden.put_all(aws, "0.2")
    stored = {"Bucket": dynamo_store.payloads.bucket, "Key": item_at(aws, f"args#{MOVING}")["object"]["S"]}
    if body is None:
        aws.s3.delete_object(**stored)
    else:
        aws.s3.put_object(**stored, Body=body)

    with pytest.raises(UnreadableItem, match=rf"^item args#{MOVING} cannot be read: object does not fit$"):
        dynamo_store.arguments(ADA.owner_key, MOVING)


def test_an_object_that_s3_refuses_to_whoever_may_not_list_the_bucket_is_gone(
    dynamo_store: DynamoTaskStore, aws: Cloud
) -> None:
    def refuse(operation: str, request: Any) -> None:
        raise ClientError({"Error": {"Code": code, "Message": ""}}, operation)

    golden.put_all(aws, "0.2")
    refusing = replace(dynamo_store.payloads, client=lambda: FaultyClient(aws.s3, refuse))
    store = replace(dynamo_store, payloads=refusing)

    code = "AccessDenied"
    with pytest.raises(PayloadRefused):
        store.arguments(ADA.owner_key, MOVING)
    code = "SlowDown"
    with pytest.raises(ClientError):
        store.arguments(ADA.owner_key, MOVING)


def test_an_item_that_names_another_owners_object_is_rejected_likewise(
    dynamo_store: DynamoTaskStore, aws: Cloud
) -> None:
    golden.put_all(aws, "0.2")
    theirs = dynamo_store.payloads.put(dynamo_store.payloads.pack(EVE.owner_key, "task", {"text": "SECRET" * 2_000}))
    put(aws, item_at(aws, f"args#{MOVING}") | theirs)

    with pytest.raises(UnreadableItem, match=rf"^item args#{MOVING} cannot be read: object does not fit$"):
        dynamo_store.arguments(ADA.owner_key, MOVING)


@pytest.mark.parametrize("text", ["SECRET", '{"result": "SECRET"}', "[]"])
def test_a_damaged_response_is_rejected_likewise(dynamo_store: DynamoTaskStore, aws: Cloud, text: str) -> None:
    (place,) = (
        item["SK"]["S"] for item in golden.kept("0.2")["reply"] if item["SK"]["S"].startswith(f"reply#{RESUMED}")
    )
    put(aws, kept_item(place) | {"json": {"S": text}})

    with pytest.raises(UnreadableItem, match=f"^item {place} cannot be read: json does not fit$"):
        dynamo_store.response(ADA.owner_key, RESUMED, "colour")
