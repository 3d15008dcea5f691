"""Progress: for which requests, how much, on which streams."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client

RELATED = "io.modelcontextprotocol/related-task"
TOKENS: list[Any] = [0, 7, "0", "p-11", "", "é" * 256]


@requirement("A-PROG-1", "A-SSE-6", "A-HTTP-8")
@pytest.mark.parametrize("token", TOKENS, ids=repr)
def test_a_call_with_a_token_is_sent_progress_before_its_response(ada: Client, token: Any) -> None:
    call = {"name": "climb", "arguments": {"steps": [1, 2.5]}, "_meta": {"progressToken": token}}

    reply = ada.send_request("tools/call", call, id=5)

    assert reply.streamed
    assert reply.notifications("notifications/progress") == [
        {"progressToken": token, "progress": 1, "total": 100, "message": "step 1"},
        {"progressToken": token, "progress": 2.5, "total": 100, "message": "step 2.5"},
    ]
    assert type(reply.messages[0]["params"]["progressToken"]) is type(token)
    assert (reply.messages[-1]["id"], reply.messages[-1]["result"]["isError"]) == (5, False)


@requirement("A-PROG-1")
def test_a_call_without_a_token_is_answered_in_json(ada: Client) -> None:
    reply = ada.send_request("tools/call", {"name": "climb", "arguments": {"steps": [1, 2]}})

    assert reply.headers["content-type"] == "application/json"


@requirement("A-PROG-1")
def test_a_token_may_be_an_integer_with_a_fraction_of_nothing(ada: Client) -> None:
    call = {"name": "climb", "arguments": {"steps": [1]}, "_meta": {"progressToken": 7.0}}

    (notification,) = ada.send_request("tools/call", call).notifications("notifications/progress")

    assert notification["progressToken"] == 7


@requirement("A-PROG-1")
@pytest.mark.parametrize("token", [True, 1.5, [], {}, "x" * 257], ids=lambda token: repr(token)[:9])
def test_what_is_no_token_is_rejected(harness: Harness, ada: Client, token: Any) -> None:
    before = harness.kept()

    error = ada.error("tools/call", name="hike", arguments={"steps": [1]}, task={}, _meta={"progressToken": token})

    assert (error["code"], "_meta.progressToken" in error["message"], harness.kept()) == (-32602, True, before)


@requirement("A-PROG-2")
def test_progress_that_does_not_rise_is_not_sent(ada: Client) -> None:
    call = {"name": "climb", "arguments": {"steps": [5, 5, 3, 6, -1, 6.5]}, "_meta": {"progressToken": 1}}

    sent = [each["progress"] for each in ada.send_request("tools/call", call).notifications("notifications/progress")]

    assert sent == [5, 6, 6.5]


@requirement("A-PROG-3")
def test_of_very_much_progress_only_the_last_is_sent(ada: Client) -> None:
    call = {"name": "climb", "arguments": {"steps": list(range(10_000))}, "_meta": {"progressToken": 1}}

    sent = [each["progress"] for each in ada.send_request("tools/call", call).notifications("notifications/progress")]

    assert sent == list(range(9_900, 10_000))


@requirement("A-PROG-3", "A-PROG-4")
def test_changes_in_quick_succession_are_sent_together(harness: Harness, ada: Client) -> None:
    task_id = ada.start(_meta={"progressToken": "t"})
    harness.waiter.pace = timedelta(milliseconds=100)
    steps = [partial(harness.progress, task_id, step) for step in range(1, 50)]
    harness.while_waiting(*steps, lambda: harness.run(task_id))

    _, replies = ada.outcome(task_id)

    sent = [each["progress"] for reply in replies for each in reply.notifications("notifications/progress")]
    assert sent == sorted(set(sent))
    assert 2 <= len(sent) <= 6


@requirement("A-PROG-3")
def test_a_stream_that_lives_long_sends_progress_ever_less_often(harness: Harness, ada: Client) -> None:
    call = {"name": "ponder", "arguments": {"question": "?"}, "task": {"ttl": 2 * 86_400_000}}
    task_id = ada.send_request("tools/call", call).response["result"]["task"]["taskId"]
    place = ada.send_request("tasks/result", {"taskId": task_id}).last_event_id
    harness.waiter.pace = timedelta(seconds=5)
    steps = iter(range(1, 100_000))
    harness.waiter.meanwhile = lambda: harness.progress(task_id, next(steps))
    start = harness.clock.now()

    connections = 0
    while harness.clock.now() - start < timedelta(days=1):
        reply = ada.resume(place)
        place, connections = reply.last_event_id, connections + 1
        ada.sleep(reply.retry)

    # The Python client dies of some 700 reconnects.
    assert connections < 400


@requirement("A-TASK-40", "A-TASK-41", "A-PROG-4")
@pytest.mark.parametrize("token", TOKENS, ids=repr)
def test_the_progress_of_a_task_keeps_the_token_of_the_call_and_names_the_task(
    harness: Harness, ada: Client, token: Any
) -> None:
    task_id = ada.start(_meta={"progressToken": token})
    place = ada.send_request("tasks/result", {"taskId": task_id, "_meta": {"progressToken": "another"}}).last_event_id
    harness.while_waiting(lambda: harness.progress(task_id, 3, "page 3"))

    (notification,) = ada.resume(place).notifications("notifications/progress")

    assert notification == {
        "progressToken": token,
        "progress": 3,
        "total": 100,
        "message": "page 3",
        "_meta": {RELATED: {"taskId": task_id}},
    }
    assert type(notification["progressToken"]) is type(token)


@requirement("A-TASK-40", "A-PROG-2")
@pytest.mark.parametrize("end", ["finish", "cancel"])
def test_progress_stops_when_the_task_is_final(harness: Harness, ada: Client, end: str) -> None:
    task_id = ada.start(_meta={"progressToken": "t"})
    place = ada.send_request("tasks/result", {"taskId": task_id}).last_event_id
    harness.progress(task_id, 3)
    harness.run(task_id) if end == "finish" else ada.result("tasks/cancel", taskId=task_id)

    reply = ada.resume(place)

    assert reply.notifications("notifications/progress") == []
    assert len(reply.notifications("notifications/tasks/status")) == 1
    assert "id" in reply.messages[-1]


@requirement("A-PROG-1", "A-TASK-40")
def test_a_task_whose_call_had_no_token_sends_its_status_only(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    place = ada.send_request("tasks/result", {"taskId": task_id, "_meta": {"progressToken": "mine"}}).last_event_id
    harness.while_waiting(lambda: harness.progress(task_id, 3))

    reply = ada.resume(place)

    assert [message["method"] for message in reply.messages] == ["notifications/tasks/status"]


@requirement("A-PROG-1")
def test_a_token_is_not_sent_to_another_session_where_it_may_mean_something_else(harness: Harness, ada: Client) -> None:
    task_id = ada.start(_meta={"progressToken": 1})
    other = Client(harness)
    other.initialize()
    place = other.send_request("tasks/result", {"taskId": task_id}).last_event_id
    harness.while_waiting(lambda: harness.progress(task_id, 3))

    reply = other.resume(place)

    assert [message["method"] for message in reply.messages] == ["notifications/tasks/status"]
