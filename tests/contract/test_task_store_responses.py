"""The contract of `TaskStore` for responses: stored with the task's transition or not at all."""

from datetime import timedelta
from functools import partial

import pytest

from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.ports.store import Backlog, TaskStore
from mcp_tasks.tasks.errors import StaleTask
from mcp_tasks.tasks.events import CancelRequested, InputReceived, Resumed, Suspended
from mcp_tasks.tasks.model import InputRequest, InputResponse, State
from tests.cloud import BUCKET, Cloud, scan
from tests.contract.store_actions import (
    BLUE,
    COLOUR,
    ERROR_RESPONSE,
    MILLION,
    RED,
    SIZE,
    add,
    at_once,
    finish,
    move,
    suspend,
)
from tests.kit import ADA, BOB, EVE, NOON, FixedClock, a_task

MINUTE = timedelta(minutes=1)
ODD = "an odd / key # of é \ud800 " + 2_000 * "x"


def test_responses_are_kept_with_the_move_that_they_bring_about(store: TaskStore) -> None:
    task = suspend(store, add(store, a_task()), COLOUR, SIZE)
    answered = move(store, task, InputReceived(responses={"colour": RED}))

    assert store.read(ADA.owner_key, task.id) == answered
    assert store.response(ADA.owner_key, task.id, "colour") == RED
    assert store.response(ADA.owner_key, task.id, "size") is None

    resumed = move(store, answered, Resumed(responses={"size": ERROR_RESPONSE}))

    assert store.read(ADA.owner_key, task.id) == resumed
    assert store.response(ADA.owner_key, task.id, "colour") == RED
    assert store.response(ADA.owner_key, task.id, "size") == ERROR_RESPONSE


@pytest.mark.parametrize(
    "response",
    [
        InputResponse(),
        ERROR_RESPONSE,
        InputResponse(result={}),
        InputResponse(result={"text": "\x00 é 😀 \ud800", "deep": [{"a": None}, 1.5, True]}),
        InputResponse(result={"text": MILLION}),
    ],
    ids=["none in time", "error", "empty", "odd ones", "a megabyte"],
)
@pytest.mark.parametrize("key", ["k", "", ODD], ids=["key", "no name", "odd key"])
def test_a_response_is_read_as_it_was_written(store: TaskStore, key: str, response: InputResponse) -> None:
    task = suspend(store, add(store, a_task()), InputRequest(key=key, method="roots/list", params={}))
    move(store, task, Resumed(responses={key: response}))

    assert store.response(ADA.owner_key, task.id, key) == response


def test_a_write_that_comes_too_late_leaves_no_response(store: TaskStore) -> None:
    task = suspend(store, add(store, a_task()), COLOUR, SIZE)
    won = move(store, task, InputReceived(responses={"size": BLUE}))

    with pytest.raises(StaleTask):
        move(store, task, InputReceived(responses={"colour": RED}))
    with pytest.raises(StaleTask):
        move(store, task, Resumed(responses={"colour": RED, "size": RED}))

    assert store.read(ADA.owner_key, task.id) == won
    assert store.response(ADA.owner_key, task.id, "colour") is None
    assert store.response(ADA.owner_key, task.id, "size") == BLUE


def test_of_two_answers_at_once_exactly_one_is_kept(store: TaskStore) -> None:
    for _ in range(4):
        task = suspend(store, add(store, a_task()))

        rejections = at_once(
            *(partial(move, store, task, Resumed(responses={"colour": response})) for response in (RED, BLUE)),
            partial(move, store, task, CancelRequested(status_message="enough")),
        )

        assert [type(rejection) for rejection in rejections] == [StaleTask, StaleTask]
        kept = store.response(ADA.owner_key, task.id, "colour")
        cancelled = store.read(ADA.owner_key, task.id).state is State.CANCELLED
        assert cancelled if kept is None else kept in (RED, BLUE)


def test_as_many_responses_as_may_be_asked_for_are_kept_at_once(store: TaskStore) -> None:
    input_requests = [InputRequest(key=str(n), method="roots/list", params={}) for n in range(50)]
    task = suspend(store, add(store, a_task(session="s")), *input_requests)

    move(store, task, Resumed(responses={each.key: ERROR_RESPONSE for each in input_requests}))

    assert all(store.response(ADA.owner_key, task.id, each.key) == ERROR_RESPONSE for each in input_requests)


def test_large_responses_that_come_at_once_are_too_large_for_one_write_and_kept(
    dynamo_store: DynamoTaskStore, aws: Cloud
) -> None:
    input_requests = [InputRequest(key=str(n), method="roots/list", params={}) for n in range(20)]
    task = suspend(dynamo_store, add(dynamo_store, a_task()), *input_requests)
    response = InputResponse(result={"text": "x" * 340_000})

    move(dynamo_store, task, Resumed(responses={each.key: response for each in input_requests}))

    assert sum(len(str(item)) for item in scan(aws.dynamodb)) < 400_000
    assert aws.s3.list_objects_v2(Bucket=BUCKET)["KeyCount"] == 1
    assert dynamo_store.response(ADA.owner_key, task.id, "7") == response


@pytest.mark.parametrize("stranger", [EVE.owner_key, BOB.owner_key], ids=["of another tenant", "of the same tenant"])
def test_a_response_is_not_there_for_anybody_else(store: TaskStore, stranger: str) -> None:
    task = suspend(store, add(store, a_task()))
    move(store, task, Resumed(responses={"colour": RED}))
    add(store, task, owner_key=stranger)

    assert store.response(stranger, task.id, "colour") is None


@pytest.mark.parametrize("name", ["", "nobody", "x" * 5_000, "é", "\ud800"], ids=lambda name: repr(name[:6]))
def test_no_text_at_all_is_an_error_instead_of_an_unknown_task_or_key(store: TaskStore, name: str) -> None:
    task = suspend(store, add(store, a_task()))

    assert store.response(ADA.owner_key, name, "colour") is None
    assert store.response(ADA.owner_key, task.id, name) is None


def test_responses_go_when_their_task_expires(store: TaskStore, clock: FixedClock) -> None:
    task = suspend(store, add(store, a_task(ttl=MINUTE)))
    resumed = move(store, task, Resumed(responses={"colour": RED}))
    clock.advance(MINUTE)

    assert store.response(ADA.owner_key, task.id, "colour") is None
    with pytest.raises(StaleTask):
        move(store, resumed, Suspended(task_token="token"))


def test_responses_stay_when_their_task_ends(store: TaskStore) -> None:
    task = suspend(store, add(store, a_task()))
    finish(store, move(store, task, Resumed(responses={"colour": RED})))

    assert store.response(ADA.owner_key, task.id, "colour") == RED


def test_a_task_that_was_answered_is_checked_soon(store: TaskStore, backlog: Backlog, clock: FixedClock) -> None:
    task = suspend(store, add(store, a_task()), COLOUR, SIZE)
    backlog.postpone(ADA.owner_key, task.id, NOON + 40 * MINUTE)
    answered = move(store, task, InputReceived(responses={"colour": RED}))
    clock.advance(2 * MINUTE)

    assert list(backlog.due(limit=5)) == []

    move(store, answered, Resumed(responses={"size": BLUE}))
    clock.advance(-MINUTE - timedelta(microseconds=1))

    assert list(backlog.due(limit=5)) == []

    clock.advance(timedelta(microseconds=1))

    assert list(backlog.due(limit=5)) == [(ADA.owner_key, task.id)]
