"""Tasks: which calls become tasks, how a new task is rendered, and its ttl."""

from datetime import timedelta
from typing import Any

import pytest

from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import CAPABILITIES, KNOWS_TASKS, Client

HOUR = 3_600_000
PONDER = {"name": "ponder", "arguments": {"question": "why?"}}


@requirement("B-TASK-6", "B-TASK-7", "B-TASK-17", "B-RT-1")
def test_a_new_task_is_shown_flat_and_without_what_is_to_come(harness: Harness, ada: Client) -> None:
    created = ada.result("tools/call", **PONDER)

    assert list(harness.executor.started) == [created.pop("taskId")]
    assert created == {
        "resultType": "task",
        "status": "working",
        "statusMessage": "The work is under way.",
        "createdAt": "2026-01-01T12:00:00.000Z",
        "lastUpdatedAt": "2026-01-01T12:00:00.000Z",
        "ttlMs": 2 * HOUR,
        "pollIntervalMs": 500,
    }


@requirement("B-TASK-17")
def test_the_poll_interval_and_the_ttl_are_the_tools(ada: Client) -> None:
    created = ada.call("add", numbers=[])

    assert (created["pollIntervalMs"], created["ttlMs"]) == (2_000, 24 * HOUR)
    assert type(created["pollIntervalMs"]) is type(created["ttlMs"]) is int


@requirement("B-TASK-17")
def test_the_poll_interval_grows_with_the_time_that_nothing_has_come(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    harness.clock.advance(timedelta(minutes=4))
    assert ada.tasks_get(task_id)["pollIntervalMs"] == 12_000

    harness.run(task_id)
    assert ada.tasks_get(task_id)["pollIntervalMs"] == 500


@requirement("B-TASK-3", "B-TASK-1")
@pytest.mark.parametrize(
    ("name", "arguments", "kind"),
    [
        ("greet", {"name": "Zoë"}, "complete"),
        ("add", {"numbers": [1]}, "task"),
        ("ponder", {"question": "?"}, "task"),
        ("introduce", {}, "input_required"),
    ],
)
def test_the_server_decides_what_becomes_a_task(ada: Client, name: str, arguments: Any, kind: str) -> None:
    assert ada.call(name, **arguments)["resultType"] == kind


@requirement("B-TASK-2", "B-BASE-5")
def test_what_was_declared_before_does_not_count(harness: Harness, ada: Client) -> None:
    call = {"name": "add", "arguments": {"numbers": [1, 2]}}
    one_after_the_other: list[Any] = [KNOWS_TASKS, {}, KNOWS_TASKS, {"elicitation": {}}]

    kinds = [
        ada.send_request("tools/call", call, meta={CAPABILITIES: declared}).message["result"]["resultType"]
        for declared in one_after_the_other
    ]

    assert kinds == ["task", "complete", "task", "complete"]


@requirement("B-TASK-10")
def test_ids_are_unique_and_hold_128_bits_of_chance(ada: Client) -> None:
    ids = [ada.start() for _ in range(20)]

    # 26 characters of base 32 are 130 bits; what all ids of one moment share is the time.
    shared = next(at for at in range(99) if len({each[: at + 1] for each in ids}) > 1)
    assert len(set(ids)) == 20
    assert all(len(each) - shared >= 25 for each in ids)


@requirement("B-TASK-8", "B-TASK-13")
@pytest.mark.parametrize("down", [False, True], ids=["executor up", "executor down"])
def test_a_task_can_be_read_as_soon_as_its_creation_is_answered(harness: Harness, ada: Client, down: bool) -> None:
    harness.executor.down = down
    created = ada.result("tools/call", **PONDER)

    assert ada.tasks_get(created["taskId"]) == {**created, "resultType": "complete"}


@requirement("B-TASK-17", "B-TASK-18")
@pytest.mark.parametrize("finished", [False, True])
def test_a_task_is_gone_when_its_ttl_has_passed(harness: Harness, ada: Client, finished: bool) -> None:
    task_id = ada.start()
    if finished:
        harness.run(task_id)
    harness.clock.advance(timedelta(milliseconds=2 * HOUR - 1))
    assert ada.tasks_get(task_id)["ttlMs"] == 2 * HOUR
    harness.clock.advance(timedelta(milliseconds=1))
    before = harness.kept()

    errors = [ada.error(f"tasks/{verb}", taskId=task_id, inputResponses={}) for verb in ("get", "update", "cancel")]

    assert {error["code"] for error in errors} == {-32602}
    assert all(task_id in error["message"] for error in errors)
    assert harness.kept() == before


@requirement("B-TASK-3", "B-TOOL-5")
@pytest.mark.parametrize("params", [{"name": "nope"}, {"name": 7}, {}, {"name": "ponder", "arguments": []}])
def test_what_is_wrong_with_the_call_is_answered_without_a_task(harness: Harness, ada: Client, params: Any) -> None:
    before = harness.kept()

    assert ada.error("tools/call", **params)["code"] == -32602
    assert harness.kept() == before


@requirement("B-TASK-16", "B-TOOL-6", "B-TOOL-5")
def test_wrong_arguments_end_the_task_before_a_machine_of_its_own_meets_them(harness: Harness, ada: Client) -> None:
    task_id = ada.start("sleep", seconds="long")

    shown = ada.tasks_get(task_id)

    assert (shown["status"], shown["result"]["isError"]) == ("completed", True)
    assert "seconds" in shown["result"]["content"][0]["text"]
    assert task_id not in harness.executor.started


@requirement("B-TASK-8", "B-BASE-10")
def test_a_call_that_is_repeated_with_its_key_makes_one_task(ada: Client) -> None:
    key = {"io.github.mcp-task-server/idempotency-key": "order 66"}

    created = [ada.send_request("tools/call", PONDER, meta=key).message["result"] for _ in range(2)]
    other = ada.send_request("tools/call", {"name": "add", "arguments": {"numbers": []}}, meta=key)

    assert created[0] == created[1]
    assert (other.status, other.error["code"], "idempotency key" in other.error["message"]) == (200, -32602, True)
