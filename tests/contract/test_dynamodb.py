"""What the store on DynamoDB promises beyond every store: about conflicts, lost answers, large values, the stream."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from mcp_tasks.adapters.dynamodb import DynamoTaskStore
from mcp_tasks.adapters.items import primary_key, task_of
from mcp_tasks.adapters.payloads import Payloads
from mcp_tasks.adapters.table import WAITS, Busy
from mcp_tasks.ports import IdempotencyKey
from mcp_tasks.tasks.errors import StaleTask, TooManyTasks
from mcp_tasks.tasks.events import Cancelled, Progressed, Settled
from mcp_tasks.tasks.machine import advance
from mcp_tasks.tasks.model import Progress, Returned, Task
from tests.cloud import BUCKET, TABLE, Cloud, scan, stream
from tests.kit import ADA, EVE, NOON, FixedClock, a_task

LARGE = Returned(result={"content": [{"type": "text", "text": "x" * 500_000}]})
SAME = IdempotencyKey(name="order 7", fingerprint="f")


class Troubled:
    """A client that goes through `trouble` before each call; what that returns is the answer, unless it is None."""

    def __init__(self, client: Any, trouble: Callable[[str, Mapping[str, Any]], Any]) -> None:
        self._client = client
        self._trouble = trouble

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        def call(**request: Any) -> Any:
            answer = self._trouble(operation, request)
            return answer if answer is not None else getattr(self._client, operation)(**request)

        return call


def troubled(store: DynamoTaskStore, trouble: Callable[[str, Mapping[str, Any]], Any]) -> DynamoTaskStore:
    table = replace(store.table, client=Troubled(store.table.client, trouble))
    return replace(store, table=table)


def canceled(*codes: str) -> ClientError:
    """Return the error of a transaction whose actions met with this."""
    reasons = [{"Code": code} for code in codes]
    error: Any = {"Error": {"Code": "TransactionCanceledException", "Message": ""}, "CancellationReasons": reasons}
    return ClientError(error, "TransactWriteItems")


def times(number: int, error: Exception) -> Callable[[str, Mapping[str, Any]], None]:
    """Return a trouble that strikes the first transactions, so many of them."""
    left = [error] * number

    def strike(operation: str, request: Mapping[str, Any]) -> None:
        if operation == "transact_write_items" and left:
            raise left.pop()

    return strike


def active(aws: Cloud, tenant: str = ADA.tenant) -> int:
    """Return how many tasks the tenant's counters count."""
    items = [item for item in scan(aws.dynamodb) if item["PK"]["S"] == tenant and "active" in item]
    assert all(int(item["active"]["N"]) >= 0 for item in items)
    return sum(int(item["active"]["N"]) for item in items)


def add(store: DynamoTaskStore, task: Task | None = None, **changes: Any) -> Task:
    wishes: dict[str, Any] = {"key": None, "limit": 100} | changes
    return store.create(ADA.scope, task or a_task(), {}, **wishes)


def cancel(store: DynamoTaskStore, task: Task) -> Task:
    after = replace(advance(task, Cancelled(note="enough"), now=NOON), version=task.version + 1)
    store.write(ADA.scope, task, after)
    return after


def finish(store: DynamoTaskStore, task: Task, outcome: Returned) -> Task:
    after = replace(advance(task, Settled(outcome=outcome), now=NOON), version=task.version + 1)
    store.write(ADA.scope, task, after, outcome)
    return after


# --- conflicts and lost answers


@pytest.mark.parametrize("code", ["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"])
def test_a_transaction_that_met_another_is_tried_again(
    dynamo_store: DynamoTaskStore, aws: Cloud, clock: FixedClock, code: str
) -> None:
    task = add(troubled(dynamo_store, times(3, canceled("None", "None", code))))

    assert dynamo_store.read(ADA.scope, task.id) == task
    assert active(aws) == 1
    assert timedelta() < clock.now() - NOON < timedelta(seconds=1)

    cancel(troubled(dynamo_store, times(3, canceled(code, "None"))), task)

    assert active(aws) == 0


def test_a_conflict_that_does_not_pass_is_told_in_time(dynamo_store: DynamoTaskStore, clock: FixedClock) -> None:
    conflict = canceled("TransactionConflict", "None", "None")

    with pytest.raises(Busy):
        add(troubled(dynamo_store, times(1_000, conflict)))
    assert clock.now() - NOON < timedelta(seconds=3)


def test_a_counter_that_is_always_busy_is_passed_over_for_another(dynamo_store: DynamoTaskStore, aws: Cloud) -> None:
    on_the_counter = canceled("None", "None", "TransactionConflict")

    add(troubled(dynamo_store, times(len(WAITS) + 1, on_the_counter)))

    assert sum(int(item["active"]["N"]) for item in scan(aws.dynamodb) if "active" in item) == 1


def test_a_tenant_whose_counters_are_all_busy_is_not_told_that_it_has_too_many_tasks(
    dynamo_store: DynamoTaskStore,
) -> None:
    with pytest.raises(Busy):
        add(troubled(dynamo_store, times(1_000, canceled("None", "None", "TransactionConflict"))))


@pytest.mark.parametrize("code", ["ValidationError", "AccessDenied", "ItemCollectionSizeLimitExceeded"])
def test_any_other_reason_is_raised_untouched(dynamo_store: DynamoTaskStore, aws: Cloud, code: str) -> None:
    error = canceled("None", code, "TransactionConflict")

    with pytest.raises(ClientError) as raised:
        add(troubled(dynamo_store, times(1, error)))
    assert raised.value is error
    assert scan(aws.dynamodb) == []


def test_a_condition_that_failed_beside_a_conflict_is_no_reason_to_wait(dynamo_store: DynamoTaskStore) -> None:
    task = add(dynamo_store)

    with pytest.raises(StaleTask):
        cancel(troubled(dynamo_store, times(1, canceled("ConditionalCheckFailed", "TransactionConflict"))), task)


def test_whoever_creates_a_task_again_finds_it_instead_of_a_second_one(
    dynamo_store: DynamoTaskStore, aws: Cloud
) -> None:
    task = a_task()

    assert add(dynamo_store, task, key=SAME) == task
    assert add(dynamo_store, task, key=SAME) == task
    assert add(dynamo_store, task) == task
    assert active(aws) == 1


def test_every_transaction_has_a_token_that_lets_the_client_library_repeat_it(
    dynamo_store: DynamoTaskStore, aws: Cloud
) -> None:
    tokens: list[str] = []

    def note(params: Mapping[str, Any], **_: Any) -> None:
        tokens.append(json.loads(params["body"])["ClientRequestToken"])

    events = aws.dynamodb.meta.events
    events.register("before-call.dynamodb.TransactWriteItems", note)
    try:
        cancel(dynamo_store, add(dynamo_store))
    finally:
        events.unregister("before-call.dynamodb.TransactWriteItems", note)

    assert len(tokens) == len(set(tokens)) == 2


def test_an_outage_is_not_taken_for_a_refusal(dynamo_store: DynamoTaskStore) -> None:
    task = add(dynamo_store)

    with pytest.raises(ReadTimeoutError):
        cancel(troubled(dynamo_store, times(1, ReadTimeoutError(endpoint_url="https://dynamodb"))), task)


# --- counters


def test_the_counters_are_the_number_of_live_tasks(dynamo_store: DynamoTaskStore, aws: Cloud) -> None:
    tasks = [add(dynamo_store, limit=6) for _ in range(6)]
    for left, task in zip(range(5, -1, -1), tasks, strict=True):
        cancel(dynamo_store, task)
        assert active(aws) == left


def test_progress_counts_nothing(dynamo_store: DynamoTaskStore, aws: Cloud) -> None:
    task = add(dynamo_store)
    after = replace(advance(task, Progressed(progress=Progress(progress=1)), now=NOON), version=2)
    dynamo_store.write(ADA.scope, task, after)

    assert active(aws) == 1


def test_a_refused_task_leaves_nothing_behind(dynamo_store: DynamoTaskStore, aws: Cloud) -> None:
    add(dynamo_store, limit=1)
    before = scan(aws.dynamodb)

    with pytest.raises(TooManyTasks):
        add(dynamo_store, limit=1, key=SAME)
    assert scan(aws.dynamodb) == before


def test_a_damaged_counter_does_not_keep_a_task_from_ending(dynamo_store: DynamoTaskStore, aws: Cloud) -> None:
    task = add(dynamo_store)
    for counter in range(4):
        aws.dynamodb.delete_item(TableName=TABLE, Key=primary_key(ADA.tenant, "quota", counter))

    cancelled = cancel(dynamo_store, task)

    assert dynamo_store.read(ADA.scope, task.id) == cancelled
    assert active(aws) == 0


def test_a_deleted_task_is_released_once_even_if_nothing_is_counted(dynamo_store: DynamoTaskStore, aws: Cloud) -> None:
    dynamo_store.release(ADA.scope, a_task())
    add(dynamo_store)
    gone = a_task()
    dynamo_store.release(ADA.scope, gone)
    dynamo_store.release(ADA.scope, gone)

    assert active(aws) == 0


def test_a_release_touches_no_other_tenant(dynamo_store: DynamoTaskStore, aws: Cloud) -> None:
    add(dynamo_store)
    dynamo_store.release(EVE.scope, a_task())

    assert active(aws) == 1


# --- large values


def test_a_large_value_is_in_the_bucket_under_its_owner_its_task_and_its_content(
    dynamo_store: DynamoTaskStore, aws: Cloud
) -> None:
    task = finish(dynamo_store, add(dynamo_store), LARGE)

    (stored,) = aws.s3.list_objects_v2(Bucket=BUCKET)["Contents"]
    scope, task_id, digest = stored["Key"].split("/")
    assert (scope, task_id, len(digest)) == (ADA.scope, task.id, 64)
    assert all(len(str(item)) < 1_000 for item in scan(aws.dynamodb))


def test_what_fits_into_an_item_costs_no_object(dynamo_store: DynamoTaskStore, aws: Cloud) -> None:
    finish(dynamo_store, add(dynamo_store), Returned(result={"text": "x" * 350_000}))

    assert aws.s3.list_objects_v2(Bucket=BUCKET)["KeyCount"] == 0


def test_no_s3_client_is_made_before_it_is_needed(dynamo_store: DynamoTaskStore) -> None:
    def fail() -> None:
        raise AssertionError("made too early")

    store = replace(dynamo_store, payloads=Payloads(client=fail, bucket=BUCKET))
    task = finish(store, add(store), Returned(result={}))

    assert store.outcome(ADA.scope, task.id) == Returned(result={})


def test_a_large_outcome_is_stored_before_the_task_says_that_it_has_one(
    dynamo_store: DynamoTaskStore, aws: Cloud
) -> None:
    task = add(dynamo_store)

    with pytest.raises(ReadTimeoutError):
        finish(troubled(dynamo_store, times(1, ReadTimeoutError(endpoint_url="https://dynamodb"))), task, LARGE)
    assert dynamo_store.read(ADA.scope, task.id) == task
    assert aws.s3.list_objects_v2(Bucket=BUCKET)["KeyCount"] == 1

    after = finish(dynamo_store, task, LARGE)

    assert dynamo_store.outcome(ADA.scope, after.id) == LARGE
    assert aws.s3.list_objects_v2(Bucket=BUCKET)["KeyCount"] == 1


# --- the sweep's index and the table's stream


def test_only_live_tasks_are_on_the_sweeps_index(dynamo_store: DynamoTaskStore, aws: Cloud) -> None:
    live, final = add(dynamo_store), add(dynamo_store)
    cancel(dynamo_store, final)
    dynamo_store.record(ADA.scope, live, "step", 1)
    dynamo_store.claim(ADA.scope, live)

    marked = [item["SK"]["S"] for item in scan(aws.dynamodb) if "liveShard" in item or "checkAt" in item]
    assert marked == [f"task#{live.id}"]


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
