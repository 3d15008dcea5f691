"""The contract of `TaskStore` for tasks that await input: found by their session, while they do."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.ports.store import Backlog, TaskStore
from mcp_tasks.tasks.events import CancelRequested, InputReceived, InputRequested, Resumed, Suspended
from mcp_tasks.tasks.model import Failed, InputRequest, Task
from tests.contract.faults import with_faults
from tests.contract.store_actions import BLUE, COLOUR, RED, SIZE, add, finish, move, suspend
from tests.kit import ADA, BOB, EVE, NOON, FixedClock, a_task

MINUTE = timedelta(minutes=1)


def test_exactly_the_tasks_of_a_session_that_await_input_are_found(store: TaskStore) -> None:
    tasks = [add(store, a_task(now=NOON + timedelta(milliseconds=n), session="s")) for n in range(4)]
    for other in (a_task(session="t"), a_task(session="s2"), a_task()):
        suspend(store, add(store, other))
    for task in (tasks[2], tasks[0]):
        suspend(store, task)
    move(store, tasks[1], InputRequested(input_requests=(COLOUR,)))

    assert list(store.awaiting_input(ADA.owner_key, "s")) == [tasks[0].id, tasks[2].id]


@pytest.mark.parametrize("stranger", [EVE.owner_key, BOB.owner_key], ids=["of another tenant", "of the same tenant"])
def test_nobody_else_finds_them(store: TaskStore, stranger: str) -> None:
    suspend(store, add(store, a_task(session="s")))
    theirs = suspend(store, add(store, a_task(session="s"), owner_key=stranger), owner_key=stranger)

    assert list(store.awaiting_input(stranger, "s")) == [theirs.id]


def test_a_task_asks_until_the_last_answer(store: TaskStore) -> None:
    task = suspend(store, add(store, a_task(session="s")), COLOUR, SIZE)
    task = move(store, task, Suspended(task_token="again"))
    task = move(store, task, InputReceived(responses={"colour": RED}))

    assert list(store.awaiting_input(ADA.owner_key, "s")) == [task.id]

    task = move(store, task, Resumed(responses={"size": BLUE}))

    assert list(store.awaiting_input(ADA.owner_key, "s")) == []

    suspend(store, task, InputRequest(key="third", method="roots/list", params={}))

    assert list(store.awaiting_input(ADA.owner_key, "s")) == [task.id]


@pytest.mark.parametrize(
    "end",
    [
        finish,
        lambda store, task: finish(store, task, Failed(code=-32603, message="Nobody answered in time.")),
        lambda store, task: move(store, task, CancelRequested(status_message="enough")),
    ],
    ids=["returned", "failed", "cancelled"],
)
def test_a_task_that_is_over_asks_nothing(store: TaskStore, end: Callable[[TaskStore, Task], Task]) -> None:
    end(store, suspend(store, add(store, a_task(session="s"))))

    assert list(store.awaiting_input(ADA.owner_key, "s")) == []


def test_a_task_that_expired_asks_nothing(store: TaskStore, backlog: Backlog, clock: FixedClock) -> None:
    task = suspend(store, add(store, a_task(session="s", ttl=MINUTE)))
    clock.advance(MINUTE - timedelta(microseconds=1))

    assert list(store.awaiting_input(ADA.owner_key, "s")) == [task.id]

    clock.advance(timedelta(microseconds=1))

    assert list(store.awaiting_input(ADA.owner_key, "s")) == []

    backlog.discard(ADA.owner_key, task.id)

    assert list(store.awaiting_input(ADA.owner_key, "s")) == []


def test_any_number_of_tasks_may_ask(dynamo_store: DynamoTaskStore) -> None:
    tasks = [a_task(now=NOON + timedelta(milliseconds=n), session="s") for n in range(7)]
    for task in tasks:
        suspend(dynamo_store, add(dynamo_store, task))
    pages: list[int] = []

    def shorten(operation: str, request: Any) -> None:
        """Limit DynamoDB to two items in a response, as with larger items."""
        pages.append(request["Limit"])
        request["Limit"] = 2

    assert with_faults(dynamo_store, shorten).awaiting_input(ADA.owner_key, "s") == [task.id for task in tasks]
    assert len(pages) == 4


@pytest.mark.parametrize("name", ["", "nobody", "x" * 5_000, "é", "\ud800", "#"], ids=lambda name: repr(name[:6]))
def test_no_text_at_all_is_an_error_instead_of_an_unknown_session(store: TaskStore, name: str) -> None:
    suspend(store, add(store, a_task(session="s")))

    assert list(store.awaiting_input(ADA.owner_key, name)) == []


def test_every_version_of_a_task_that_asks_is_read_as_it_was_written(store: TaskStore) -> None:
    odd = "half \ud83d, whole 😀, # / é \x00"
    first = InputRequest(key=odd, method="elicitation/create", params={odd: [odd, 1.5, None, {"a": odd}]})
    second = replace(first, key="quick", timeout=timedelta(seconds=90, microseconds=1))
    task = a_task(
        session="s",
        client_capabilities=frozenset({"roots", "elicitation.form"}),
        requested=("earlier", odd),
        requested_at=NOON + timedelta(microseconds=7),
        input_requests=(second,),
    )

    assert add(store, task) == task
    assert store.read(ADA.owner_key, task.id) == task

    for event in (
        InputRequested(input_requests=(first, second)),
        Suspended(task_token="AQC+/=token"),
        Suspended(task_token="another"),
        InputReceived(responses={odd: RED}),
        Resumed(responses={"quick": RED}),
    ):
        task = move(store, task, event)

        assert store.read(ADA.owner_key, task.id) == task
    assert task.resumed_at == NOON
    assert (task.requested, task.tokens) == (("earlier", odd, "quick"), ("AQC+/=token", "another"))


@pytest.mark.parametrize("name", ["é", "\ud800", "x" * 1_020], ids=["é", "half", "long"])
def test_dynamodb_is_not_asked_for_a_session_that_it_could_not_name(dynamo_store: DynamoTaskStore, name: str) -> None:
    def fail(operation: str, request: Any) -> None:
        raise AssertionError(f"{operation} of a key that cannot exist")

    assert with_faults(dynamo_store, fail).awaiting_input(ADA.owner_key, name) == []
