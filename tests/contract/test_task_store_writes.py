"""The contract of `TaskStore` for writes: one wins, and nothing is recorded or published twice."""

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from mcp_tasks.adapters.dynamodb.items import primary_key
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.limits.aws import MAX_INLINE_CHARACTERS
from mcp_tasks.ports.store import TaskStore
from mcp_tasks.tasks.errors import OutcomeRecorded, StaleTask
from mcp_tasks.tasks.events import CancelRequested, Progressed
from mcp_tasks.tasks.hashing import hashed
from mcp_tasks.tasks.model import Failed, Progress, Returned
from tests.cloud import TABLE, Cloud
from tests.contract.store_actions import DONE, MILLION, add, at_once, finish, move, room
from tests.kit import ADA, EVE, a_task

OTHER = Failed(code=-1, message="no")

# --- versions


def test_only_the_first_of_two_writes_upon_the_same_version_succeeds(store: TaskStore) -> None:
    task = add(store, a_task())
    won = move(store, task, Progressed(progress=Progress(progress=1)))

    with pytest.raises(StaleTask):
        move(store, task, Progressed(progress=Progress(progress=1)))
    with pytest.raises(StaleTask):
        finish(store, task)
    assert store.read(ADA.owner_key, task.id) == won


def test_the_first_outcome_that_comes_stays_though_the_task_is_finished_later(store: TaskStore) -> None:
    task = add(store, a_task())
    won = move(store, task, Progressed(progress=Progress(progress=1)))
    with pytest.raises(StaleTask):
        finish(store, task)

    with pytest.raises(OutcomeRecorded) as other:
        finish(store, won, OTHER)
    assert other.value.outcome == DONE
    assert store.read(ADA.owner_key, task.id) == won
    finish(store, won)

    assert store.outcome(ADA.owner_key, task.id) == DONE


def test_a_failure_of_an_earlier_version_is_stale_whatever_is_recorded(store: TaskStore) -> None:
    task = add(store, a_task())
    finish(store, task)

    with pytest.raises(StaleTask):
        finish(store, task, OTHER)
    with pytest.raises(OutcomeRecorded):
        finish(store, task, Returned(result={"content": []}))


def test_a_failure_that_comes_too_late_leaves_nothing(store: TaskStore) -> None:
    task = add(store, a_task())
    won = move(store, task, Progressed(progress=Progress(progress=1)))
    with pytest.raises(StaleTask):
        finish(store, task, OTHER)

    finish(store, won)

    assert store.outcome(ADA.owner_key, task.id) == DONE


def test_a_task_that_was_never_created_cannot_be_written(store: TaskStore) -> None:
    with pytest.raises(StaleTask):
        finish(store, a_task())
    assert store.page(ADA.owner_key, before=None, limit=10) == []


def test_of_a_finish_and_a_cancel_at_once_exactly_one_wins(store: TaskStore) -> None:
    tasks = [add(store, a_task(), limit=4) for _ in range(4)]

    for task in tasks:
        rejections = at_once(
            partial(finish, store, task), partial(move, store, task, CancelRequested(status_message="enough"))
        )

        assert [type(rejection) for rejection in rejections] == [StaleTask]
    assert room(store, limit=4) == 4


# --- steps and notifications


def test_the_steps_of_a_task_are_found_by_their_hashed_names(store: TaskStore) -> None:
    task, other = add(store, a_task()), add(store, a_task())
    recorded = {"a": {"n": 1}, "b": None, "\ud800 odd": [2]}
    for name, value in recorded.items():
        store.record(ADA.owner_key, task, name, value)
    store.record(ADA.owner_key, other, "a", "of another task")

    assert dict(store.steps(ADA.owner_key, task.id)) == {hashed(name): value for name, value in recorded.items()}
    assert dict(store.steps(EVE.owner_key, task.id)) == {}


def test_the_steps_of_a_task_are_named_however_large_they_are(store: TaskStore) -> None:
    task, other = add(store, a_task()), add(store, a_task())
    store.record(ADA.owner_key, task, "small", 1)
    store.record(ADA.owner_key, task, "large", "x" * MAX_INLINE_CHARACTERS)

    assert store.step_names(ADA.owner_key, task.id) == {hashed("small"): "small", hashed("large"): "large"}
    assert store.step_names(ADA.owner_key, other.id) == store.step_names(EVE.owner_key, task.id) == {}


def test_a_step_without_a_name_that_people_can_read_is_found_all_the_same(
    dynamo_store: DynamoTaskStore, aws: Cloud
) -> None:
    task = add(dynamo_store, a_task())
    for name in ("\ud800 odd", "x" * 501, "kept by 0.3"):
        dynamo_store.record(ADA.owner_key, task, name, 1)
    key = primary_key(ADA.owner_key, "step", task.id, hashed("kept by 0.3"))
    aws.dynamodb.update_item(
        TableName=TABLE, Key=key, UpdateExpression="REMOVE #step", ExpressionAttributeNames={"#step": "step"}
    )

    assert dynamo_store.step_names(ADA.owner_key, task.id) == {
        hashed("\ud800 odd"): "? odd",
        hashed("x" * 501): "x" * 500,
        hashed("kept by 0.3"): None,
    }


def test_a_step_is_recorded_once_and_recalled(store: TaskStore) -> None:
    task = add(store, a_task())

    assert store.recall(ADA.owner_key, task.id, "a") is None
    assert store.record(ADA.owner_key, task, "a", {"n": 1}) == {"n": 1}
    assert store.record(ADA.owner_key, task, "a", {"n": 2}) == {"n": 1}
    assert store.recall(ADA.owner_key, task.id, "a") == ({"n": 1},)
    assert store.recall(ADA.owner_key, task.id, "b") is None


@pytest.mark.parametrize("value", [None, False, 0, "", [], MILLION], ids=["null", "no", "0", "''", "[]", "megabyte"])
def test_a_step_may_have_produced_anything(store: TaskStore, value: Any) -> None:
    task = add(store, a_task())
    store.record(ADA.owner_key, task, "an odd / name # of é \ud800 " + 2_000 * "x", value)

    assert store.recall(ADA.owner_key, task.id, "an odd / name # of é \ud800 " + 2_000 * "x") == (value,)


def test_steps_belong_to_one_task_of_one_caller(store: TaskStore) -> None:
    task, other = add(store, a_task()), add(store, a_task())
    add(store, task, owner_key=EVE.owner_key)
    store.record(ADA.owner_key, task, "a", 1)

    assert store.recall(ADA.owner_key, other.id, "a") is None
    assert store.recall(EVE.owner_key, task.id, "a") is None


def test_each_version_is_notified_once_and_never_after_a_later_one(store: TaskStore) -> None:
    task = add(store, a_task())
    second, third = replace(task, version=2), replace(task, version=3)

    assert store.claim(ADA.owner_key, task, "s")
    assert not store.claim(ADA.owner_key, task, "s")
    assert store.claim(ADA.owner_key, third, "s")
    assert not store.claim(ADA.owner_key, second, "s")
    assert not store.claim(ADA.owner_key, third, "s")


def test_each_listener_is_notified_of_each_version(store: TaskStore) -> None:
    task = add(store, a_task())
    second = replace(task, version=2)

    claimed = [store.claim(ADA.owner_key, each, listener) for listener in ("s", "t#s") for each in (task, second, task)]

    assert claimed == [True, True, False] * 2


def test_one_of_many_gets_to_claim_the_notification_of_a_version(store: TaskStore) -> None:
    task = add(store, a_task())
    claims: list[bool] = []
    at_once(*[lambda: claims.append(store.claim(ADA.owner_key, task, "s"))] * 6)

    assert sorted(claims) == [False] * 5 + [True]
