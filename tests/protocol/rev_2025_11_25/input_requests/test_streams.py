"""On which streams a task's input requests are sent: tasks/result, and the listening stream."""

from datetime import timedelta

import pytest

from tests.protocol.harness import Harness
from tests.protocol.input_responses import HOME, MOON, YES
from tests.protocol.prompts_and_resources import weather
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client
from tests.protocol.rev_2025_11_25.input_requests.clients import (
    RELATED,
    STREAMS,
    able,
    listen,
    open_request,
    status,
    suspended,
    tasks_get,
    wait,
)


@requirement("A-INP-2", "A-INP-5", "A-INP-7", "A-ELI-2", "A-TASK-41")
@pytest.mark.parametrize("stream", STREAMS)
def test_an_input_request_is_a_request_that_names_its_task(ada: Client, stream: str) -> None:
    task_id = suspended(ada)

    (input_request,) = STREAMS[stream](ada, task_id).input_requests

    assert isinstance(input_request.pop("id"), str)
    assert input_request == {
        "jsonrpc": "2.0",
        "method": "elicitation/create",
        "params": {
            "mode": "form",
            "message": "A title for a draft of tides?",
            "requestedSchema": {
                "type": "object",
                "properties": {
                    "title": {"type": "string", "title": "Title", "minLength": 2},
                    "public": {"type": "boolean", "title": "Public", "default": False},
                },
                "required": ["title"],
            },
            "_meta": {RELATED: {"taskId": task_id}},
        },
    }


@requirement("A-INP-4", "A-INP-7", "A-INP-5")
@pytest.mark.parametrize("stream", STREAMS)
def test_each_kind_of_stream_is_enough_for_a_task(ada: Client, stream: str) -> None:
    task_id = suspended(ada)
    for answer in (MOON, YES):
        (input_request,) = STREAMS[stream](ada, task_id).input_requests
        assert ada.respond(input_request, answer).status == 202

    assert ada.result("tasks/result", taskId=task_id)["content"][0]["text"] == "Moon, of a draft of tides: Accepted"


@requirement("A-INP-1", "A-SSE-1", "A-SSE-2", "A-SSE-3", "A-TASK-24")
def test_who_waits_for_the_result_is_asked_on_that_stream(ada: Client) -> None:
    reply = wait(ada, suspended(ada))

    first, second = reply.events
    assert (first.data, second.message) == ("", reply.input_requests[0])
    assert all(event.id is not None and event.retry is not None for event in reply.events)


@requirement("A-INP-1", "A-SSE-5", "A-SSE-6", "A-TASK-25")
def test_all_of_a_conversation_fits_on_one_stream(ada: Client) -> None:
    task_id = suspended(ada)
    first = ada.send_request("tasks/result", {"taskId": task_id}, id=13)
    ada.respond(first.input_requests[0], MOON)
    second = ada.resume(first.last_event_id)
    ada.respond(second.input_requests[0], YES)
    last = ada.resume(second.last_event_id)

    assert [
        input_request["params"]["message"] for reply in (first, second) for input_request in reply.input_requests
    ] == [
        "A title for a draft of tides?",
        "Publish 'Moon'?",
    ]
    assert (last.input_requests, last.response["id"]) == ([], 13)
    assert last.response["result"]["_meta"] == {RELATED: {"taskId": task_id}}
    assert ada.resume(last.last_event_id).status == 405


@requirement("A-INP-1", "A-SSE-6", "A-TASK-38")
def test_who_waits_already_is_asked_as_soon_as_something_is_asked(harness: Harness, ada: Client) -> None:
    task_id = ada.start("publish", topic="tides")
    place = wait(ada, task_id).last_event_id
    began = harness.clock.now()
    harness.while_waiting(lambda: None, lambda: harness.run(task_id))

    reply = ada.resume(place)

    assert [message["method"] for message in reply.messages] == ["notifications/tasks/status", "elicitation/create"]
    assert reply.notifications("notifications/tasks/status")[0]["status"] == "input_required"
    assert harness.clock.now() - began == timedelta(seconds=2)


@requirement("A-INP-7", "A-TASK-20", "A-TASK-21", "A-TASK-22")
def test_tasks_get_returns_the_task_alone_and_leaves_its_input_request_to_a_stream(ada: Client) -> None:
    task_id = suspended(ada)

    poll = tasks_get(ada, task_id)

    assert (poll.streamed, poll.messages) == (False, [poll.response])
    assert (poll.response["result"]["status"], "_meta" in poll.response["result"]) == ("input_required", False)
    assert open_request(ada, task_id)["params"]["message"] == "A title for a draft of tides?"


@requirement("A-GET-2", "A-GET-3", "A-GET-4", "A-SSE-1", "A-SSE-14")
def test_a_listening_stream_carries_the_input_request_with_an_event_id(ada: Client) -> None:
    suspended(ada)

    reply = listen(ada)
    again = ada.resume(reply.last_event_id)

    assert (reply.status, len(reply.input_requests), len(reply.messages)) == (200, 1, 1)
    assert [event.data == "" for event in reply.events] == [True, False]
    assert [(event.data, event.id == reply.last_event_id) for event in again.events] == [("", False)]


@requirement("A-GET-5", "A-SSE-3")
def test_a_stream_that_only_awaits_input_requests_ends_now_and_then(harness: Harness, ada: Client) -> None:
    began = harness.clock.now()

    reply = listen(ada)

    assert (reply.messages, harness.clock.now()) == ([], began)
    assert [event.retry for event in reply.events] == [5000]


@requirement("A-GET-5", "A-INP-5")
def test_who_watches_something_too_is_asked_at_once(harness: Harness, ada: Client) -> None:
    ada.result("resources/subscribe", uri=weather.uri)
    task_id = ada.start("publish", topic="tides")
    began = harness.clock.now()
    harness.while_waiting(lambda: None, lambda: harness.run(task_id))

    woken = listen(ada)
    held = harness.clock.now() - began
    carrying = ada.resume(woken.last_event_id)

    assert (woken.messages, len(carrying.input_requests)) == ([], 1)
    assert held < timedelta(seconds=5)
    assert all((event.retry or 0) < 1000 for event in (*woken.events, *carrying.events))


@requirement("A-GET-3", "A-INP-5")
def test_a_listening_session_is_sent_the_input_requests_of_its_tasks_and_of_no_others(ada: Client) -> None:
    ada.start("publish", topic="nothing yet")
    one, several = suspended(ada), suspended(ada, "convene")

    input_requests = listen(ada).input_requests

    named = [input_request["params"]["_meta"][RELATED]["taskId"] for input_request in input_requests]
    assert sorted(named) == sorted([one, several, several, several])


@requirement("A-SSE-9", "A-SSE-11")
def test_a_stream_of_one_task_carries_no_input_request_of_another(ada: Client) -> None:
    one, other = suspended(ada), suspended(ada, "list_folders")

    (input_request,) = wait(ada, one).input_requests

    assert input_request["params"]["_meta"] == {RELATED: {"taskId": one}}
    assert open_request(ada, other)["method"] == "roots/list"


@requirement("A-INP-1", "A-TASK-12", "A-TASK-13")
def test_a_task_is_input_required_from_its_input_request_to_the_answer(harness: Harness, ada: Client) -> None:
    harness.idle = True
    task_id = ada.start("publish", topic="tides")
    trace = [status(ada, task_id)]
    for answer in (MOON, YES):
        harness.run(task_id)
        trace.append(status(ada, task_id))
        ada.respond(open_request(ada, task_id), answer)
        trace.append(status(ada, task_id))
    harness.run(task_id)

    assert [*trace, status(ada, task_id)] == [
        *("working", "input_required", "working", "input_required", "working", "completed")
    ]


@requirement("A-INP-1", "A-TASK-12")
def test_a_task_needs_input_until_all_of_its_input_requests_are_answered(harness: Harness, ada: Client) -> None:
    harness.idle = True
    task_id = suspended(ada, "convene")
    title, word, folders = wait(ada, task_id).input_requests
    ada.respond(title, MOON)
    trace = [status(ada, task_id)]
    ada.respond(word, error={"code": -1, "message": "no"})
    trace.append(status(ada, task_id))
    ada.respond(folders, HOME)
    trace.append(status(ada, task_id))

    assert trace == ["input_required", "input_required", "working"]


@requirement("A-PROG-2", "A-SSE-6")
def test_progress_is_not_sent_again_after_an_input_request(harness: Harness, ada: Client) -> None:
    harness.idle = True
    task_id = ada.start("publish", {"progressToken": "t"}, topic="tides")
    replies = [wait(ada, task_id)]
    for happens in (
        lambda: harness.progress(task_id, 5),
        lambda: harness.run(task_id),
        lambda: ada.respond(replies[-1].input_requests[0], MOON),
        lambda: harness.progress(task_id, 6),
    ):
        happens()
        replies.append(ada.resume(replies[-1].last_event_id))

    sent = [[each["progress"] for each in reply.notifications("notifications/progress")] for reply in replies]
    shown = [[each["status"] for each in reply.notifications("notifications/tasks/status")] for reply in replies]

    assert sent == [[], [5], [], [], [6]]
    assert shown == [[], ["working"], ["input_required"], ["working"], ["working"]]


@requirement("A-LIFE-7", "A-GET-2")
def test_nothing_is_asked_before_there_is_a_task(harness: Harness) -> None:
    eager = Client(harness)
    params = {"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}, "clientInfo": {}}
    eager.headers = {"mcp-session-id": eager.send_request("initialize", params).headers["mcp-session-id"]}

    reply = listen(eager)

    assert (reply.status, reply.messages) == (200, [])


@requirement("A-LIFE-14", "A-INP-4")
def test_any_instance_asks_repeats_and_takes_the_answer(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada)
    first = wait(ada, task_id)
    harness.restart()
    assert ada.resume(first.last_event_id).input_requests == []
    assert ada.resume(first.events[0].id).input_requests == first.input_requests
    harness.restart()

    assert ada.respond(first.input_requests[0], MOON).status == 202
    assert open_request(ada, task_id)["params"]["message"] == "Publish 'Moon'?"


@requirement("A-INP-5", "A-SSE-11")
def test_another_session_is_not_sent_the_input_requests_of_this_ones_tasks(harness: Harness, ada: Client) -> None:
    other = able(harness)
    suspended(ada)

    assert (listen(other).input_requests, len(listen(ada).input_requests)) == ([], 1)
