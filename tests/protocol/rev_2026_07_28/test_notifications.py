"""Progress and log messages are sent on the stream of the request that asked for them, and on no other."""

from typing import Any

import pytest

from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import LOG_LEVEL, Client

LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
CHATTER = {"name": "chatter", "arguments": {"levels": LEVELS}}


@requirement("B-PROG-1", "B-HTTP-7")
@pytest.mark.parametrize("token", [0, 7, "0", "p-11", "", "é" * 256], ids=repr)
def test_a_call_with_a_token_is_sent_rising_progress_before_its_response(ada: Client, token: Any) -> None:
    call = {"name": "climb", "arguments": {"steps": [1, 2.5, 2, 2.5, 3]}}

    reply = ada.send_request("tools/call", call, id=5, meta={"progressToken": token})

    assert reply.notifications("notifications/progress") == [
        {"progressToken": token, "progress": 1, "total": 100, "message": "step 1"},
        {"progressToken": token, "progress": 2.5, "total": 100, "message": "step 2.5"},
        {"progressToken": token, "progress": 3, "total": 100, "message": "step 3"},
    ]
    assert reply.messages[-1]["id"] == 5


@requirement("B-PROG-1")
def test_of_very_much_progress_only_the_last_is_sent(ada: Client) -> None:
    call = {"name": "climb", "arguments": {"steps": list(range(1_000))}}

    sent = ada.send_request("tools/call", call, meta={"progressToken": 1}).notifications("notifications/progress")

    assert [each["progress"] for each in sent] == list(range(900, 1_000))


@requirement("B-PROG-1")
@pytest.mark.parametrize("token", [True, 1.5, [], {}, "x" * 257], ids=lambda token: repr(token)[:9])
@pytest.mark.parametrize("name", ["climb", "hike"])
def test_what_is_no_token_is_rejected(harness: Harness, ada: Client, name: str, token: Any) -> None:
    before = harness.kept()

    reply = ada.send_request("tools/call", {"name": name, "arguments": {"steps": [1]}}, meta={"progressToken": token})

    assert (reply.status, reply.error["code"], harness.kept()) == (200, -32602, before)
    assert "_meta.progressToken" in reply.error["message"]


@requirement("B-PROG-1", "B-TASK-28")
@pytest.mark.parametrize("level", [None, "debug"])
def test_nothing_is_sent_about_a_task(harness: Harness, ada: Client, level: str | None) -> None:
    meta = {"progressToken": "t"} | ({LOG_LEVEL: level} if level else {})
    created = ada.send_request("tools/call", {"name": "hike", "arguments": {"steps": [1, 2]}}, meta=meta)
    task_id = created.message["result"]["taskId"]
    harness.run(task_id)

    polled = ada.send_request("tasks/get", {"taskId": task_id}, meta=meta)

    assert not any(reply.streamed for reply in (created, polled))


@requirement("B-LOG-1", "B-META-4")
@pytest.mark.parametrize("level", LEVELS)
def test_log_messages_of_the_level_and_above_are_sent(ada: Client, level: str) -> None:
    sent = ada.send_request("tools/call", CHATTER, meta={LOG_LEVEL: level}).notifications("notifications/message")

    assert sent == [
        {"level": each, "logger": "chatter", "data": {"said": each}} for each in LEVELS[LEVELS.index(level) :]
    ]


@requirement("B-LOG-1")
def test_a_request_without_a_log_level_is_sent_no_log_messages(ada: Client) -> None:
    reply = ada.send_request("tools/call", CHATTER, meta={"progressToken": 1})

    assert not reply.streamed


@requirement("B-LOG-1")
def test_who_asked_for_none_of_them_gets_no_stream(ada: Client) -> None:
    call = {"name": "chatter", "arguments": {"levels": ["debug", "info"]}}

    assert not ada.send_request("tools/call", call, meta={LOG_LEVEL: "warning"}).streamed


@requirement("B-LOG-1")
def test_of_very_many_log_messages_only_the_last_are_sent(ada: Client) -> None:
    call = {"name": "chatter", "arguments": {"levels": ["debug"] * 50 + ["info"] * 100}}

    sent = ada.send_request("tools/call", call, meta={LOG_LEVEL: "debug"}).notifications("notifications/message")

    assert [each["level"] for each in sent] == ["info"] * 100


@requirement("B-CANC-2", "B-SUB-2")
def test_notifications_cancelled_is_never_sent(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    harness.while_waiting(lambda: ada.result("tasks/cancel", taskId=task_id))

    reply = ada.send_request("subscriptions/listen", {"notifications": {"taskIds": [task_id]}})

    assert [message.get("method") for message in reply.messages] == [
        "notifications/subscriptions/acknowledged",
        "notifications/tasks",
        None,
    ]
