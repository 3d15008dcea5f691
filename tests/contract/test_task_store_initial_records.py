"""The contract of `TaskStore` for initial records: stored together with the task or not at all."""

from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.ports.store import InitialRecords, TaskStore
from mcp_tasks.tasks.errors import TooManyTasks
from mcp_tasks.tasks.events import InputRequested, Resumed, Suspended
from mcp_tasks.tasks.model import InputResponse, Task
from tests.cloud import BUCKET, Cloud, scan
from tests.contract.store_actions import BLUE, COLOUR, ERROR_RESPONSE, MILLION, RED, SAME, add, move
from tests.kit import ADA, BOB, EVE, FixedClock, a_task, plan_of

MINUTE = timedelta(minutes=1)
RECORDS = InitialRecords(steps={"draw": {"n": 1}, "nothing": None}, responses={"colour": RED, "roots": ERROR_RESPONSE})


def start(store: TaskStore, records: InitialRecords, task: Task | None = None, **options: Any) -> Task:
    usual: dict[str, Any] = {"key": None, "plan": plan_of(9)}
    return store.create(ADA.owner_key, task or a_task(), {}, **usual | options, records=records)


def test_a_task_begins_with_what_its_call_did_and_was_answered(store: TaskStore) -> None:
    task = start(store, RECORDS)

    assert store.recall(ADA.owner_key, task.id, "draw") == ({"n": 1},)
    assert store.recall(ADA.owner_key, task.id, "nothing") == (None,)
    assert store.recall(ADA.owner_key, task.id, "other") is None
    assert store.response(ADA.owner_key, task.id, "colour") == RED
    assert store.response(ADA.owner_key, task.id, "roots") == ERROR_RESPONSE
    assert store.response(ADA.owner_key, task.id, "size") is None


def test_what_was_recorded_before_stays(store: TaskStore) -> None:
    task = start(store, RECORDS)

    assert store.record(ADA.owner_key, task, "draw", {"n": 2}) == {"n": 1}
    assert store.recall(ADA.owner_key, task.id, "draw") == ({"n": 1},)


def test_later_responses_come_beside_those_before(store: TaskStore) -> None:
    task = move(store, start(store, RECORDS), InputRequested(input_requests=(COLOUR,)))
    move(store, move(store, task, Suspended(task_token="t")), Resumed(responses={"size": BLUE}))

    assert store.response(ADA.owner_key, task.id, "roots") == ERROR_RESPONSE
    assert store.response(ADA.owner_key, task.id, "size") == BLUE


def test_steps_and_responses_may_be_large_and_oddly_named(store: TaskStore) -> None:
    odd = "an odd / name # of é \ud800 " + 2_000 * "x"
    large = InputResponse(result={"text": MILLION})
    task = start(store, InitialRecords(steps={odd: MILLION, "": 0}, responses={odd: large, "": RED}))

    assert store.recall(ADA.owner_key, task.id, odd) == (MILLION,)
    assert store.recall(ADA.owner_key, task.id, "") == (0,)
    assert store.response(ADA.owner_key, task.id, odd) == large
    assert store.response(ADA.owner_key, task.id, "") == RED


def test_what_is_large_is_in_the_bucket(dynamo_store: DynamoTaskStore, aws: Cloud) -> None:
    start(
        dynamo_store,
        InitialRecords(steps={"a": "x" * 400_000}, responses={"b": InputResponse(result={"text": "y" * 400_000})}),
    )

    assert aws.s3.list_objects_v2(Bucket=BUCKET)["KeyCount"] == 2
    assert all(len(str(item)) < 1_500 for item in scan(aws.dynamodb))


@pytest.mark.parametrize("stranger", [EVE.owner_key, BOB.owner_key], ids=["of another tenant", "of the same tenant"])
def test_it_belongs_to_one_task_of_one_caller(store: TaskStore, stranger: str) -> None:
    task, other = start(store, RECORDS), start(store, InitialRecords())
    add(store, task, owner_key=stranger)

    for owner_key, task_id in ((ADA.owner_key, other.id), (stranger, task.id)):
        assert store.recall(owner_key, task_id, "draw") is None
        assert store.response(owner_key, task_id, "colour") is None


def test_it_goes_when_the_task_expires(store: TaskStore, clock: FixedClock) -> None:
    task = start(store, RECORDS, a_task(ttl=MINUTE))
    clock.advance(MINUTE)

    assert store.recall(ADA.owner_key, task.id, "draw") is None
    assert store.response(ADA.owner_key, task.id, "colour") is None


def test_a_request_that_is_repeated_leaves_the_first_task_as_it_began(store: TaskStore) -> None:
    first = start(store, RECORDS, key=SAME)

    assert start(store, InitialRecords(steps={"draw": 9}, responses={"colour": BLUE}), key=SAME) == first
    assert store.recall(ADA.owner_key, first.id, "draw") == ({"n": 1},)
    assert store.response(ADA.owner_key, first.id, "colour") == RED


def test_a_task_that_does_not_come_to_be_begins_with_nothing(store: TaskStore) -> None:
    task = a_task()

    with pytest.raises(TooManyTasks):
        start(store, RECORDS, task, plan=plan_of(0))
    assert store.page(ADA.owner_key, before=None, limit=5) == []
