"""The layout on AWS: large values in the bucket, live tasks in the sweep's index, changes in the stream."""

from dataclasses import replace

import pytest
from botocore.exceptions import ReadTimeoutError

from mcp_tasks.adapters.dynamodb.items import task_of
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.adapters.s3 import Payloads
from mcp_tasks.tasks.model import Returned
from tests.cloud import BUCKET, Cloud, scan, stream
from tests.contract.dynamo_store_actions import add, cancel
from tests.contract.faults import times, with_faults
from tests.contract.store_actions import finish
from tests.kit import ADA, a_task

LARGE = Returned(result={"content": [{"type": "text", "text": "x" * 500_000}]})


# --- large values


def test_a_large_value_is_in_the_bucket_under_its_owner_its_task_and_its_content(
    dynamo_store: DynamoTaskStore, aws: Cloud
) -> None:
    task = finish(dynamo_store, add(dynamo_store), LARGE)

    (stored,) = aws.s3.list_objects_v2(Bucket=BUCKET)["Contents"]
    owner_key, task_id, digest = stored["Key"].split("/")
    assert (owner_key, task_id, len(digest)) == (ADA.owner_key, task.id, 64)
    assert all(len(str(item)) < 1_000 for item in scan(aws.dynamodb))


def test_what_fits_into_an_item_costs_no_object(dynamo_store: DynamoTaskStore, aws: Cloud) -> None:
    finish(dynamo_store, add(dynamo_store), Returned(result={"text": "x" * 350_000}))

    assert aws.s3.list_objects_v2(Bucket=BUCKET)["KeyCount"] == 0


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
