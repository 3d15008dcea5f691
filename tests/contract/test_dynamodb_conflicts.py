"""How the store on DynamoDB handles conflicts and lost responses."""

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from mcp_tasks.adapters.dynamodb.counters import from_home
from mcp_tasks.adapters.dynamodb.table import BACKOFF, Busy
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.tasks.errors import StaleTask
from tests.cloud import Cloud, scan
from tests.contract.dynamo_store_actions import active, add, cancel
from tests.contract.faults import canceled, times, with_faults
from tests.contract.store_actions import SAME
from tests.kit import ADA, NOON, FixedClock, a_task


@pytest.mark.parametrize("code", ["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"])
def test_a_transaction_that_met_another_is_tried_again(
    dynamo_store: DynamoTaskStore, aws: Cloud, clock: FixedClock, code: str
) -> None:
    task = add(with_faults(dynamo_store, times(3, canceled("None", code))))

    assert dynamo_store.read(ADA.owner_key, task.id) == task
    assert active(aws) == 1
    assert timedelta() < clock.now() - NOON < timedelta(seconds=1)

    cancel(with_faults(dynamo_store, times(3, canceled(code, "None"))), task)

    assert active(aws) == 0


def test_a_conflict_that_does_not_pass_is_reported_in_time(dynamo_store: DynamoTaskStore, clock: FixedClock) -> None:
    conflict = canceled("TransactionConflict", "None")

    with pytest.raises(Busy):
        add(with_faults(dynamo_store, times(1_000, conflict)))
    assert clock.now() - NOON < timedelta(seconds=3)


def test_a_counter_that_is_always_busy_is_passed_over_for_another(dynamo_store: DynamoTaskStore, aws: Cloud) -> None:
    task, on_the_counter = a_task(), canceled("None", "TransactionConflict")

    add(with_faults(dynamo_store, times(len(BACKOFF) + 1, on_the_counter)), task)

    (counter,) = (item["SK"]["S"] for item in scan(aws.dynamodb) if item["SK"]["S"].startswith("quota#"))
    assert counter == f"quota#{from_home(task.id)[1]}"
    assert active(aws) == 1


def test_a_tenant_whose_counters_are_all_busy_gets_no_error_about_too_many_tasks(
    dynamo_store: DynamoTaskStore,
) -> None:
    with pytest.raises(Busy):
        add(with_faults(dynamo_store, times(1_000, canceled("None", "TransactionConflict"))))


@pytest.mark.parametrize("code", ["ValidationError", "AccessDenied", "ItemCollectionSizeLimitExceeded"])
def test_any_other_reason_is_raised_untouched(dynamo_store: DynamoTaskStore, aws: Cloud, code: str) -> None:
    error = canceled(code, "TransactionConflict")

    with pytest.raises(ClientError) as raised:
        add(with_faults(dynamo_store, times(1, error)))
    assert raised.value is error
    assert [item["SK"]["S"][:5] for item in scan(aws.dynamodb)] == ["args#"]


def test_a_condition_that_failed_beside_a_conflict_is_no_reason_to_wait(dynamo_store: DynamoTaskStore) -> None:
    task = add(dynamo_store)

    with pytest.raises(StaleTask):
        cancel(with_faults(dynamo_store, times(1, canceled("ConditionalCheckFailed", "TransactionConflict"))), task)


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

    def record_token(params: Mapping[str, Any], **_: Any) -> None:
        tokens.append(json.loads(params["body"])["ClientRequestToken"])

    events = aws.dynamodb.meta.events
    events.register("before-call.dynamodb.TransactWriteItems", record_token)
    try:
        cancel(dynamo_store, add(dynamo_store))
    finally:
        events.unregister("before-call.dynamodb.TransactWriteItems", record_token)

    assert len(tokens) == len(set(tokens)) == 2


def test_an_outage_is_not_taken_for_a_rejection(dynamo_store: DynamoTaskStore) -> None:
    task = add(dynamo_store)

    with pytest.raises(ReadTimeoutError):
        cancel(with_faults(dynamo_store, times(1, ReadTimeoutError(endpoint_url="https://dynamodb"))), task)
