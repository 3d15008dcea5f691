"""What a tool returned is recorded before its task is finished, and stays where a process dies between the two."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any, cast

import pytest
from botocore.exceptions import ClientError

from mcp_tasks.adapters.dynamodb.items import expiry_attributes, primary_key
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.engine.task_tools import outcome_of, task_handle
from mcp_tasks.limits.waits import GRACE
from mcp_tasks.tasks.documents import document_of
from mcp_tasks.tasks.errors import IllegalTransition, NewerSchema, PayloadRefused
from mcp_tasks.tasks.model import Failed, Outcome, OutcomeKind, Returned, State, Task
from tests.cloud import BUCKET, TABLE, Cloud, scan
from tests.contract.aws_environment import AwsEnvironment, repeat
from tests.contract.faults import FaultyClient
from tests.contract.process import Crash, Fuse
from tests.kit import ADA, FixedClock


def test_what_a_process_recorded_before_it_died_is_the_outcome_whatever_another_run_returns(
    aws: Cloud, clock: FixedClock
) -> None:
    environment = AwsEnvironment.of(aws, clock)
    task = environment.process().tasks.start(ADA, repeat, {"text": "hello"}, ttl=timedelta(hours=1))
    first, second = Returned(result={"content": []}), Failed(code=-1, message="no")
    with pytest.raises(Crash):
        environment.process(Fuse(number=2)).tasks.finish(ADA.owner_key, task.id, first)
    assert environment.process().tasks.get(ADA, task.id).state is State.WORKING

    ended = environment.process().tasks.finish(ADA.owner_key, task.id, second)

    assert (ended.outcome_kind, ended.status_message) == (OutcomeKind.RETURNED, None)
    assert environment.process().tasks.outcome(ADA, task.id) == first
    environment.deliver_stream(environment.process())
    assert environment.counted() == 0


DIED = Returned(result={"content": [{"type": "text", "text": "x" * 20_000}]})
OTHER = Failed(code=-1, message="no")


def left_behind(environment: AwsEnvironment, outcome: Outcome = DIED) -> Task:
    """Return a task of which a process recorded the outcome, and died before it finished it."""
    task = environment.process().tasks.start(ADA, repeat, {"text": "hello"}, ttl=timedelta(hours=1))
    # A large outcome is an object first.
    before_the_last = 3 if outcome is DIED else 2
    with pytest.raises(Crash):
        environment.process(Fuse(number=before_the_last)).tasks.finish(ADA.owner_key, task.id, outcome)
    assert any(item["SK"]["S"] == f"result#{task.id}" for item in scan(environment.aws.dynamodb))
    return task


def damage(environment: AwsEnvironment, task: Task, how: str) -> None:
    (item,) = [each for each in scan(environment.aws.dynamodb) if each["SK"]["S"] == f"result#{task.id}"]
    if how == "its object is gone":
        environment.aws.s3.delete_object(Bucket=BUCKET, Key=item["object"]["S"])
    else:
        environment.aws.dynamodb.put_item(TableName=TABLE, Item=item | {"json": {"S": "SECRET"}})


@pytest.mark.parametrize("how", ["its object is gone", "it is no JSON"])
@pytest.mark.parametrize("ends", ["by another run", "by the sweep"])
def test_an_outcome_that_was_left_behind_and_cannot_be_read_keeps_no_task_from_ending(
    aws: Cloud, clock: FixedClock, how: str, ends: str
) -> None:
    environment = AwsEnvironment.of(aws, clock)
    task = left_behind(environment)
    damage(environment, task, how)

    process = environment.process()
    if ends == "by another run":
        process.tasks.finish(ADA.owner_key, task.id, OTHER)
    else:
        clock.advance(task.timeout + 2 * GRACE)
        process.reconciler.sweep(limit=10)

    assert process.tasks.get(ADA, task.id).outcome_kind is OutcomeKind.FAILED
    assert isinstance(process.tasks.outcome(ADA, task.id), Failed)
    environment.deliver_stream(environment.process())
    assert environment.counted() == 0


def test_a_failure_whose_process_died_is_not_recorded_and_the_task_ends_by_what_comes_then(
    aws: Cloud, clock: FixedClock
) -> None:
    environment = AwsEnvironment.of(aws, clock)
    task = environment.process().tasks.start(ADA, repeat, {"text": "hello"}, ttl=timedelta(hours=1))
    with pytest.raises(Crash):
        environment.process(Fuse(number=1)).tasks.finish(ADA.owner_key, task.id, OTHER)

    environment.process().tasks.finish(ADA.owner_key, task.id, DIED)

    assert environment.process().tasks.outcome(ADA, task.id) == DIED


@pytest.mark.parametrize("outcome", [OTHER, DIED], ids=["the same", "another"])
def test_a_failure_that_an_older_release_left_behind_ends_its_task(
    aws: Cloud, clock: FixedClock, outcome: Outcome
) -> None:
    environment = AwsEnvironment.of(aws, clock)
    process = environment.process()
    task = process.tasks.start(ADA, repeat, {"text": "hello"}, ttl=timedelta(hours=1))
    result = primary_key(ADA.owner_key, "result", task.id) | expiry_attributes(task.expires_at)
    store = cast(DynamoTaskStore, process.tasks.ports.tasks)
    store.table.add(result | {"json": {"S": json.dumps(document_of(OTHER))}})

    process.tasks.finish(ADA.owner_key, task.id, outcome)

    assert process.tasks.outcome(ADA, task.id) == OTHER


def test_nobody_is_shown_an_outcome_that_was_left_behind_of_a_task_that_was_cancelled_then(
    aws: Cloud, clock: FixedClock
) -> None:
    environment = AwsEnvironment.of(aws, clock)
    task = left_behind(environment)
    process = environment.process()
    assert outcome_of(process.tasks, ADA, process.tasks.get(ADA, task.id)) == task_handle(task)

    cancelled = process.tasks.cancel(ADA, task.id)
    with pytest.raises(IllegalTransition):
        process.tasks.finish(ADA.owner_key, task.id, OTHER)

    assert process.tasks.get(ADA, task.id).outcome_kind is None
    shown = outcome_of(process.tasks, ADA, cancelled)
    assert isinstance(shown, Returned)
    assert shown.result["content"] == [{"type": "text", "text": "The task was cancelled: there is no result."}]
    environment.deliver_stream(environment.process())
    assert environment.counted() == 0


def test_an_outcome_that_a_newer_release_left_behind_is_not_replaced(aws: Cloud, clock: FixedClock) -> None:
    environment = AwsEnvironment.of(aws, clock)
    task = left_behind(environment)
    (item,) = [each for each in scan(aws.dynamodb) if each["SK"]["S"] == f"result#{task.id}"]
    aws.dynamodb.put_item(TableName=TABLE, Item=item | {"schema": {"N": "99"}})

    with pytest.raises(NewerSchema):
        environment.process().tasks.finish(ADA.owner_key, task.id, OTHER)
    assert environment.process().tasks.get(ADA, task.id).state is State.WORKING


def test_an_outcome_that_may_not_be_read_at_present_is_not_replaced(aws: Cloud, clock: FixedClock) -> None:
    def refuse(operation: str, request: Any) -> None:
        if operation == "get_object":
            raise ClientError({"Error": {"Code": "AccessDenied", "Message": ""}}, operation)

    environment = AwsEnvironment.of(aws, clock)
    task = left_behind(environment)
    refused = replace(environment, aws=replace(aws, s3=FaultyClient(aws.s3, refuse)))

    with pytest.raises(PayloadRefused):
        refused.process().tasks.finish(ADA.owner_key, task.id, OTHER)
    environment.process().tasks.finish(ADA.owner_key, task.id, OTHER)
    assert environment.process().tasks.outcome(ADA, task.id) == DIED
