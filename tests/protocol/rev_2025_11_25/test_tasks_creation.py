"""Tasks: creation, ttl and states."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from mcp_tasks.limits.waits import KEPT
from mcp_tasks.tasks.model import Failed, Returned
from tests.kit import BOB, NOON
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client
from tests.protocol.sample_tools import hike

HOUR = 3_600_000
SHORTEST = int((hike.timeout + KEPT) / timedelta(milliseconds=1))
IMMEDIATE = "io.modelcontextprotocol/model-immediate-response"
PONDER = {"name": "ponder", "arguments": {"question": "why?"}}
HIKE = {"name": "hike", "arguments": {"steps": []}}
"""Of a tool without a ttl of its own."""


@requirement("A-TASK-9", "A-TASK-11", "A-TASK-13", "A-TASK-14", "A-TASK-16")
def test_a_task_is_answered_at_once_and_without_its_result(harness: Harness, ada: Client) -> None:
    created = ada.result("tools/call", **PONDER, task={"ttl": 3 * HOUR})

    task = created.pop("task")
    assert created == {"_meta": {IMMEDIATE: "I am thinking about it."}}
    assert list(harness.executor.started) == [task.pop("taskId")]
    assert task == {
        "status": "working",
        "statusMessage": "The work is under way.",
        "createdAt": "2026-01-01T12:00:00.000Z",
        "lastUpdatedAt": "2026-01-01T12:00:00.000Z",
        "ttl": 3 * HOUR,
        "pollInterval": 500,
    }


@requirement("A-TASK-16")
def test_the_poll_interval_is_the_tools(ada: Client) -> None:
    assert ada.result("tools/call", name="add", arguments={"numbers": []}, task={})["task"]["pollInterval"] == 2000


@requirement("A-TASK-16")
def test_it_grows_with_the_time_that_nothing_has_come(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    harness.clock.advance(timedelta(minutes=4))

    shown = [ada.result("tasks/get", taskId=task_id), ada.result("tasks/list")["tasks"][0]]
    assert [each["pollInterval"] for each in shown] == [12_000] * 2

    harness.run(task_id)
    assert ada.result("tasks/get", taskId=task_id)["pollInterval"] == 500


@requirement("A-TASK-16")
def test_a_task_that_reports_progress_is_polled_as_often_as_it_does(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    for each in range(1, 5):
        harness.clock.advance(timedelta(seconds=1))
        harness.progress(task_id, each)

    # Of 100: what is left takes 96 s.
    assert ada.result("tasks/get", taskId=task_id)["pollInterval"] == 1_000


@requirement("A-TASK-17")
def test_a_model_is_told_not_to_call_again_unless_the_tool_says_otherwise(ada: Client) -> None:
    meta = ada.result("tools/call", name="add", arguments={"numbers": []}, task={})["_meta"]

    assert "Do not call the tool again" in meta[IMMEDIATE]


@requirement("A-TASK-10", "A-TASK-43")
def test_ids_are_unique_and_hold_128_bits_of_chance(harness: Harness, ada: Client) -> None:
    ids = [ada.start() for _ in range(20)]

    # 26 characters of base 32 are 130 bits; what all ids of one moment share is the time.
    shared = next(at for at in range(99) if len({each[: at + 1] for each in ids}) > 1)
    assert len(set(ids)) == 20
    assert all(len(each) - shared >= 25 for each in ids)


@requirement("A-TASK-18", "A-TASK-20")
def test_a_task_can_be_read_as_soon_as_its_creation_is_answered(ada: Client) -> None:
    created = ada.result("tools/call", **PONDER, task={})["task"]

    assert ada.result("tasks/get", taskId=created["taskId"]) == created


@requirement("A-TASK-18")
def test_a_task_can_be_read_when_the_executor_is_down(harness: Harness, ada: Client) -> None:
    harness.executor.down = True

    assert ada.result("tasks/get", taskId=ada.start())["status"] == "working"


@requirement("A-TASK-15", "A-TASK-14", "A-TASK-44")
@pytest.mark.parametrize(
    ("requested", "granted"),
    [
        (None, 24 * HOUR),
        (0, SHORTEST),
        (1, SHORTEST),
        (HOUR, HOUR),
        (HOUR + 0.25, HOUR),
        (float(HOUR), HOUR),
        (10**12, 48 * HOUR),
        (1e308, 48 * HOUR),
        (10**300, 48 * HOUR),
    ],
)
def test_a_requested_ttl_is_limited_by_the_work_and_the_server(ada: Client, requested: Any, granted: int) -> None:
    created = ada.result("tools/call", **HIKE, task={"ttl": requested})["task"]

    assert (created["ttl"], type(created["ttl"])) == (granted, int)
    assert ada.result("tasks/get", taskId=created["taskId"])["ttl"] == granted


@requirement("A-TASK-15", "A-TASK-14")
@pytest.mark.parametrize(
    ("requested", "granted"), [(None, 2 * HOUR), (60_000, 2 * HOUR), (3 * HOUR, 3 * HOUR), (10**12, 48 * HOUR)]
)
def test_a_requested_ttl_is_never_less_than_the_tools(ada: Client, requested: int | None, granted: int) -> None:
    created = ada.result("tools/call", **PONDER, task={"ttl": requested})["task"]

    assert created["ttl"] == granted
    assert ada.result("tasks/get", taskId=created["taskId"])["ttl"] == granted


@requirement("A-TASK-15", "A-TASK-39")
@pytest.mark.parametrize("finished", [False, True])
def test_a_task_is_gone_when_its_ttl_has_passed(harness: Harness, ada: Client, finished: bool) -> None:
    task_id = ada.result("tools/call", **HIKE, task={"ttl": HOUR})["task"]["taskId"]
    if finished:
        harness.run(task_id)
    harness.clock.advance(timedelta(milliseconds=HOUR - 1))
    assert ada.result("tasks/get", taskId=task_id)
    harness.clock.advance(timedelta(milliseconds=1))

    codes = {ada.error(f"tasks/{verb}", taskId=task_id)["code"] for verb in ("get", "result", "cancel")}

    assert (codes, ada.result("tasks/list")) == ({-32602}, {"tasks": []})


@requirement("A-TASK-12", "A-TASK-30")
@pytest.mark.parametrize(
    ("outcome", "status", "message"),
    [
        (Returned(result={"content": []}), "completed", None),
        (Returned(result={"content": [{"type": "text", "text": "why"}]}, is_error=True), "failed", "why"),
        (Failed(code=1969, message="why"), "failed", "why"),
    ],
)
def test_a_task_ends_as_its_outcome_says_and_stays_so(
    harness: Harness, ada: Client, outcome: Any, status: str, message: str | None
) -> None:
    task_id = ada.start()
    harness.clock.advance(timedelta(minutes=1))
    harness.finish(task_id, outcome)

    shown = ada.result("tasks/get", taskId=task_id)
    harness.run(task_id)

    assert (shown["status"], shown.get("statusMessage")) == (status, message)
    assert datetime.fromisoformat(shown["lastUpdatedAt"]) == NOON + timedelta(minutes=1)
    assert ada.error("tasks/cancel", taskId=task_id)["code"] == -32602
    assert ada.result("tasks/get", taskId=task_id) == shown


@requirement("A-TASK-12")
def test_a_task_that_makes_progress_is_working_and_shows_its_progress(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    harness.clock.advance(timedelta(seconds=2))
    harness.progress(task_id, 10, "page 3")

    shown = ada.result("tasks/get", taskId=task_id)

    assert (shown["status"], shown["statusMessage"]) == ("working", "page 3")
    assert shown["lastUpdatedAt"] == "2026-01-01T12:00:02.000Z"


@requirement("A-TASK-19")
@pytest.mark.parametrize("params", [{"name": "nope"}, {"name": 7}, {}, {"name": "ponder", "arguments": []}])
def test_what_is_wrong_with_the_call_is_answered_without_a_task(harness: Harness, ada: Client, params: Any) -> None:
    before = harness.kept()

    assert ada.error("tools/call", **params, task={})["code"] == -32602
    assert harness.kept() == before


@requirement("A-TASK-44")
def test_a_tenant_that_runs_too_many_tasks_gets_an_error_that_says_so(harness: Harness, ada: Client) -> None:
    bob = Client(harness, BOB)
    bob.initialize()
    tasks = [ada.start() for _ in range(19)] + [bob.start()]
    before = harness.kept()

    refused = [client.error("tools/call", **PONDER, task={}) for client in (ada, bob)]
    assert harness.kept() == before
    ada.result("tasks/cancel", taskId=tasks[0])

    assert {error["code"] for error in refused} == {-31050}
    assert refused[0]["data"] == {"reason": "too_many_tasks", "limit": 20, "remaining": 0, "retryAfter": 10}
    assert bob.start()


@requirement("A-TASK-44", "A-BASE-7")
def test_a_call_that_is_repeated_with_its_key_makes_one_task(harness: Harness, ada: Client) -> None:
    key = {"io.github.mcp-task-server/idempotency-key": "order 66"}

    assert ada.start(_meta=key) == ada.start(_meta=key)
    error = ada.error("tools/call", name="add", arguments={"numbers": []}, task={}, _meta=key)
    assert (error["code"], "idempotency key" in error["message"]) == (-32602, True)


@requirement("A-TOOL-6", "A-TASK-11", "A-TASK-30")
def test_wrong_arguments_fail_the_task_before_a_machine_of_its_own_meets_them(harness: Harness, ada: Client) -> None:
    task_id = ada.start("sleep", seconds="long")

    answer, _ = ada.outcome(task_id)

    assert answer["result"]["isError"] is True
    assert "seconds" in ada.result("tasks/get", taskId=task_id)["statusMessage"]
    assert task_id not in harness.executor.started
