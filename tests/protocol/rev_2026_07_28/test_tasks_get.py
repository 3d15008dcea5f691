"""`tasks/get`: the current task, with the fields that its status calls for."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from mcp_tasks.tasks.model import Failed, InputRequest, Returned
from tests.kit import NOON
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import CAPABILITIES, KNOWS_TASKS, Client
from tests.protocol.rev_2026_07_28.responses import accept

FORM = InputRequest(
    key="title",
    method="elicitation/create",
    params={
        "mode": "form",
        "message": "Which title?",
        "requestedSchema": {"type": "object", "properties": {"title": {"type": "string"}}},
    },
)
URL = InputRequest(
    key="sign-in",
    method="elicitation/create",
    params={"mode": "url", "message": "Please sign in.", "url": "https://login.example/"},
)
WORDS = [{"role": "user", "content": {"type": "text", "text": "Say something."}}]
SAMPLE = InputRequest(key="word", method="sampling/createMessage", params={"messages": WORDS, "maxTokens": 9})
TOOLED = InputRequest(key="tooled", method="sampling/createMessage", params={**SAMPLE.params, "tools": []})
CHOSEN = InputRequest(
    key="chosen", method="sampling/createMessage", params={**SAMPLE.params, "toolChoice": {"mode": "none"}}
)
ROOTS = InputRequest(key="folders", method="roots/list", params={})
ALL = [FORM, URL, SAMPLE, TOOLED, CHOSEN, ROOTS]


@requirement("B-TASK-13", "B-TASK-14", "B-TASK-15", "B-TASK-16")
@pytest.mark.parametrize(
    ("outcome", "more"),
    [
        (
            Returned(result={"content": []}),
            {"status": "completed", "result": {"resultType": "complete", "content": [], "isError": False}},
        ),
        (
            Returned(result={"content": [{"type": "text", "text": "why"}]}, is_error=True),
            {
                "status": "completed",
                "statusMessage": "why",
                "result": {
                    "resultType": "complete",
                    "content": [{"type": "text", "text": "why"}],
                    "isError": True,
                },
            },
        ),
        (
            Failed(code=1969, message="why"),
            {"status": "failed", "statusMessage": "why", "error": {"code": 1969, "message": "why"}},
        ),
        (
            Failed(code=-32603, message="x" * 900, data={"a": [1, None]}),
            {
                "status": "failed",
                "statusMessage": "x" * 500,
                "error": {"code": -32603, "message": "x" * 900, "data": {"a": [1, None]}},
            },
        ),
    ],
)
def test_a_task_that_ended_is_shown_with_how(harness: Harness, ada: Client, outcome: Any, more: dict[str, Any]) -> None:
    created = ada.call("ponder", question="why?")
    harness.clock.advance(timedelta(minutes=1))
    harness.finish(created["taskId"], outcome)
    assert created.pop("statusMessage") == "The work is under way."

    assert ada.tasks_get(created["taskId"]) == {
        **created,
        "resultType": "complete",
        "lastUpdatedAt": "2026-01-01T12:01:00.000Z",
        **more,
    }


@requirement("B-TASK-15", "B-TASK-14")
@pytest.mark.parametrize(("name", "arguments"), [("add", {"numbers": [40, 2]}), ("stumble", {})])
def test_the_result_of_a_task_is_that_of_the_call(
    harness: Harness, ada: Client, plain: Client, name: str, arguments: Any
) -> None:
    at_once = plain.call(name, **arguments)
    task_id = ada.start(name, **arguments)
    harness.run(task_id)

    assert ada.tasks_get(task_id)["result"] == at_once


@requirement("B-TASK-15", "B-TASK-14")
def test_the_error_of_a_task_is_that_of_the_call(harness: Harness, ada: Client, plain: Client) -> None:
    at_once = plain.error("tools/call", name="refuse")
    task_id = ada.start("refuse")
    harness.run(task_id)

    shown = ada.tasks_get(task_id)

    assert (shown["status"], shown["error"]) == ("failed", at_once)


@requirement("B-TASK-15")
def test_the_result_keeps_what_it_says_itself_and_names_no_task(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    harness.finish(task_id, Returned(result={"content": [], "_meta": {"com.example/cost": 3}}))

    assert ada.tasks_get(task_id)["result"]["_meta"] == {"com.example/cost": 3}


@requirement("B-TASK-13", "B-TASK-17")
def test_a_live_task_shows_its_progress(harness: Harness, ada: Client) -> None:
    created = ada.call("ponder", question="why?")
    harness.clock.advance(timedelta(seconds=2))
    harness.progress(created["taskId"], 10, "page 3")

    assert ada.tasks_get(created["taskId"]) == {
        **created,
        "resultType": "complete",
        "statusMessage": "page 3",
        "lastUpdatedAt": "2026-01-01T12:00:02.000Z",
        # What is left takes 18 s, and the next report is as far away as the first one was.
        "pollIntervalMs": 2_000,
    }


@requirement("B-TASK-16")
def test_a_final_task_stays_as_it_is(harness: Harness, ada: Client) -> None:
    done, cancelled = ada.start(), ada.start()
    harness.run(done)
    ada.result("tasks/cancel", taskId=cancelled)
    shown = [ada.tasks_get(task_id) for task_id in (done, cancelled)]
    harness.clock.advance(timedelta(minutes=1))

    for task_id in (done, cancelled):
        harness.run(task_id)
        ada.result("tasks/cancel", taskId=task_id)
        ada.result("tasks/update", taskId=task_id, inputResponses={"x": {}})

    assert [ada.tasks_get(task_id) for task_id in (done, cancelled)] == shown
    assert [each["status"] for each in shown] == ["completed", "cancelled"]


@requirement("B-TASK-19")
def test_tasks_get_never_waits(harness: Harness, ada: Client) -> None:
    reply = ada.send_request("tasks/get", {"taskId": ada.start()})

    assert (reply.streamed, harness.waiter.pauses, harness.clock.now()) == (False, 0, NOON)


@requirement("B-TASK-13", "B-TASK-20", "B-MRTR-3")
def test_a_task_that_asks_is_shown_with_all_of_its_input_requests(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    harness.clock.advance(timedelta(seconds=2))
    harness.request_input(task_id, *ALL)

    shown = ada.tasks_get(task_id)

    assert shown["status"] == "input_required"
    assert shown["inputRequests"] == {each.key: {"method": each.method, "params": each.params} for each in ALL}
    assert datetime.fromisoformat(shown["lastUpdatedAt"]) == NOON + timedelta(seconds=2)


@requirement("B-TASK-20", "B-MRTR-4")
@pytest.mark.parametrize(
    ("declared", "keys"),
    [
        ({}, []),
        ({"elicitation": {}}, ["title"]),
        ({"elicitation": {"form": {}}}, ["title"]),
        ({"elicitation": {"url": {}}}, ["sign-in"]),
        ({"elicitation": {"form": {}, "url": {}}}, ["title", "sign-in"]),
        ({"sampling": {}}, ["word"]),
        ({"sampling": {"tools": {}}}, ["word", "tooled", "chosen"]),
        ({"roots": {}}, ["folders"]),
        ({"roots": {"listChanged": True}, "sampling": {}}, ["word", "folders"]),
        ({"roots": None, "sampling": True, "elicitation": []}, []),
    ],
)
def test_tasks_get_shows_the_input_requests_that_the_client_can_answer(
    harness: Harness, ada: Client, declared: dict[str, Any], keys: list[str]
) -> None:
    task_id = ada.start()
    harness.request_input(task_id, *ALL)

    shown = ada.send_request("tasks/get", {"taskId": task_id}, meta={CAPABILITIES: {**KNOWS_TASKS, **declared}})

    assert shown.message["result"]["status"] == "input_required"
    assert list(shown.message["result"]["inputRequests"]) == keys


@requirement("B-TASK-16", "B-TASK-22", "B-TASK-25")
@pytest.mark.parametrize("end", ["finish", "cancel"])
def test_a_task_that_asks_may_end_without_an_answer(harness: Harness, ada: Client, end: str) -> None:
    task_id = ada.start()
    harness.request_input(task_id, FORM)
    if end == "finish":
        harness.finish(task_id, Returned(result={"content": []}))
    else:
        ada.result("tasks/cancel", taskId=task_id)

    ada.result("tasks/update", taskId=task_id, inputResponses={"title": accept(title="Late")})

    shown = ada.tasks_get(task_id)
    assert shown["status"] == ("completed" if end == "finish" else "cancelled")
    assert "inputRequests" not in shown


@requirement("B-TASK-27", "B-TASK-20")
def test_a_listener_is_sent_the_input_requests_that_it_can_answer(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    harness.while_waiting(lambda: harness.request_input(task_id, *ALL))

    reply = ada.send_request(
        "subscriptions/listen",
        {"notifications": {"taskIds": [task_id]}},
        meta={CAPABILITIES: {**KNOWS_TASKS, "roots": {}}},
    )

    (sent,) = reply.notifications("notifications/tasks")
    assert (sent["status"], list(sent["inputRequests"])) == ("input_required", ["folders"])
