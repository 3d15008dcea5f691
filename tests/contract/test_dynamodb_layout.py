"""The layout on AWS: large values in the bucket, live tasks in the sweep's index, changes in the stream."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError

from mcp_tasks.adapters.dynamodb.items import task_of
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.adapters.s3 import Payloads
from mcp_tasks.limits.aws import MAX_INLINE_CHARACTERS
from mcp_tasks.ports.store import NO_RECORDS, InitialRecords
from mcp_tasks.tasks.documents import document_of, document_of_response, outcome_of, response_of
from mcp_tasks.tasks.errors import ArgumentsTooLarge, KeyReused, TooManyTasks
from mcp_tasks.tasks.events import Resumed
from mcp_tasks.tasks.model import JSON, Holding, InputResponse, Returned, Task
from tests.cloud import BUCKET, Cloud, scan, stream
from tests.contract.dynamo_store_actions import add, cancel
from tests.contract.faults import times, with_faults
from tests.contract.store_actions import COLOUR, SAME, finish, move, suspend
from tests.kit import ADA, a_task, plan_of

LARGE = Returned(result={"content": [{"type": "text", "text": "x" * 500_000}]})
CALL = {"text": "x" * (MAX_INLINE_CHARACTERS + 1)}


def objects(aws: Cloud) -> list[str]:
    return [each["Key"] for each in aws.s3.list_objects_v2(Bucket=BUCKET).get("Contents", ())]


def as_arguments(store: DynamoTaskStore, value: JSON) -> JSON:
    task = create(store, value)
    return store.arguments(ADA.owner_key, task.id)


def as_outcome(store: DynamoTaskStore, value: JSON) -> JSON:
    task = finish(store, add(store), outcome_of(value))
    return document_of(store.outcome(ADA.owner_key, task.id))


def as_step(store: DynamoTaskStore, value: JSON) -> JSON:
    task = add(store)
    store.record(ADA.owner_key, task, "step", value)
    recalled = store.recall(ADA.owner_key, task.id, "step")
    return recalled and recalled[0]


def as_reply(store: DynamoTaskStore, value: JSON) -> JSON:
    task = suspend(store, add(store))
    move(store, task, Resumed(responses={COLOUR.key: response_of(value)}))
    response = store.response(ADA.owner_key, task.id, COLOUR.key)
    return response and document_of_response(response)


def create(store: DynamoTaskStore, arguments: Mapping[str, JSON], **more: Any) -> Task:
    task = a_task(holding=Holding(active=True))
    return store.create(ADA.owner_key, task, arguments, **{"key": None, "plan": plan_of(100)} | more)


KINDS: Mapping[str, Callable[[DynamoTaskStore, JSON], JSON]] = {
    "args": as_arguments,
    "result": as_outcome,
    "step": as_step,
    "reply": as_reply,
}
DOCUMENTS: Mapping[str, Callable[[str], JSON]] = {
    "args": lambda text: {"text": text},
    "result": lambda text: document_of(Returned(result={"text": text})),
    "step": lambda text: text,
    "reply": lambda text: document_of_response(InputResponse(result={"action": "accept", "content": {"value": text}})),
}


def of_size(kind: str, characters: int) -> JSON:
    """Return a document of a kind that takes so many characters as JSON."""
    frame = len(json.dumps(DOCUMENTS[kind](""), separators=(",", ":")))
    return DOCUMENTS[kind]("x" * (characters - frame))


# --- large values


def test_a_large_value_is_in_the_bucket_under_its_owner_its_task_and_its_content(
    dynamo_store: DynamoTaskStore, aws: Cloud
) -> None:
    task = finish(dynamo_store, add(dynamo_store), LARGE)

    (stored,) = aws.s3.list_objects_v2(Bucket=BUCKET)["Contents"]
    owner_key, task_id, digest = stored["Key"].split("/")
    assert (owner_key, task_id, len(digest)) == (ADA.owner_key, task.id, 64)
    assert all(len(str(item)) < 1_000 for item in scan(aws.dynamodb))


@pytest.mark.parametrize("kind", KINDS)
def test_a_value_of_every_kind_is_in_its_item_up_to_the_limit_and_beyond_it_in_an_object(
    dynamo_store: DynamoTaskStore, aws: Cloud, kind: str
) -> None:
    most = MAX_INLINE_CHARACTERS
    small, large = (of_size(kind, size) for size in (most, most + 1))

    assert KINDS[kind](dynamo_store, small) == small
    assert objects(aws) == []
    assert KINDS[kind](dynamo_store, large) == large
    (name,) = objects(aws)
    # As every release has read it.
    (pointer,) = (item["object"] for item in scan(aws.dynamodb) if "object" in item)
    assert pointer == {"S": name}


def test_no_s3_client_is_made_before_it_is_needed(dynamo_store: DynamoTaskStore) -> None:
    def fail() -> None:
        raise AssertionError("made too early")

    store = replace(dynamo_store, payloads=Payloads(client=fail, bucket=BUCKET))
    task = finish(store, add(store), Returned(result={}))

    assert store.outcome(ADA.owner_key, task.id) == Returned(result={})


def test_a_large_outcome_is_stored_before_the_task_says_that_it_has_one(
    dynamo_store: DynamoTaskStore, aws: Cloud
) -> None:
    task = add(dynamo_store)

    with pytest.raises(ReadTimeoutError):
        finish(with_faults(dynamo_store, times(1, ReadTimeoutError(endpoint_url="https://dynamodb"))), task, LARGE)
    assert dynamo_store.read(ADA.owner_key, task.id) == task
    assert aws.s3.list_objects_v2(Bucket=BUCKET)["KeyCount"] == 1

    after = finish(dynamo_store, task, LARGE)

    assert dynamo_store.outcome(ADA.owner_key, after.id) == LARGE
    assert aws.s3.list_objects_v2(Bucket=BUCKET)["KeyCount"] == 1


# --- who is refused


def test_a_refused_task_puts_nothing(dynamo_store: DynamoTaskStore, aws: Cloud) -> None:
    create(dynamo_store, {}, plan=plan_of(1))
    records = InitialRecords(steps={"look up": "x" * (MAX_INLINE_CHARACTERS + 1)})
    before = scan(aws.dynamodb)

    for arguments, recorded in ((CALL, NO_RECORDS), ({}, records)):
        with pytest.raises(TooManyTasks):
            create(dynamo_store, arguments, plan=plan_of(1), records=recorded)
    assert (objects(aws), scan(aws.dynamodb)) == ([], before)


def test_a_task_of_a_subject_that_has_its_share_puts_nothing(dynamo_store: DynamoTaskStore, aws: Cloud) -> None:
    plan = replace(plan_of(4), subject_share=0.5)
    for _ in range(2):
        create(dynamo_store, {}, plan=plan)

    with pytest.raises(TooManyTasks, match="this subject may run 2"):
        create(dynamo_store, CALL, plan=plan)
    assert objects(aws) == []


def test_arguments_beyond_the_bytes_that_a_tenant_may_keep_are_not_put(
    dynamo_store: DynamoTaskStore, aws: Cloud
) -> None:
    with pytest.raises(ArgumentsTooLarge):
        create(dynamo_store, CALL, plan=replace(plan_of(4), stored_bytes=len(CALL["text"])))
    assert objects(aws) == []


def test_a_call_that_is_repeated_with_a_key_puts_its_arguments_once(dynamo_store: DynamoTaskStore, aws: Cloud) -> None:
    first, again = (create(dynamo_store, CALL, key=SAME) for _ in range(2))

    assert again == first
    assert len(objects(aws)) == 1
    with pytest.raises(KeyReused):
        create(dynamo_store, CALL, key=replace(SAME, fingerprint="another"))
    assert len(objects(aws)) == 1


# --- the sweep's index and the table's stream


def test_only_live_tasks_are_on_the_sweeps_index(dynamo_store: DynamoTaskStore, aws: Cloud) -> None:
    live, final = add(dynamo_store), add(dynamo_store)
    cancel(dynamo_store, final)
    dynamo_store.record(ADA.owner_key, live, "step", 1)
    dynamo_store.claim(ADA.owner_key, live, "s")

    indexed = [item["SK"]["S"] for item in scan(aws.dynamodb) if "liveShard" in item or "checkAt" in item]
    assert indexed == [f"task#{live.id}"]


def test_the_images_in_the_tables_stream_are_tasks(dynamo_store: DynamoTaskStore, aws: Cloud) -> None:
    task = add(dynamo_store, a_task(progress_token=7, scopes=frozenset({"a"})))
    cancelled = cancel(dynamo_store, task)

    changes = [
        tuple(task_of(record["dynamodb"][image]) for image in ("OldImage", "NewImage") if image in record["dynamodb"])
        for record in stream(aws)
        if record["dynamodb"]["Keys"]["SK"]["S"].startswith("task#")
    ]
    assert changes[0] == (task,)
    assert changes[-1] == (task, cancelled)
