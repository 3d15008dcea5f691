"""Calls that are no tasks: input is requested on their own stream, which carries the result in the end."""

from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks import Context, tool
from mcp_tasks.features.listing import Features
from mcp_tasks.testing.replies import Reply
from tests.kit import NOON
from tests.protocol.harness import Harness
from tests.protocol.input_responses import DECLINE, MOON, YES, accept
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client
from tests.protocol.rev_2025_11_25.input_requests.clients import ABLE, ANSWERS, able, listen
from tests.protocol.task_input_tools import Consent

PUBLISH = {"name": "publish", "arguments": {"topic": "tides"}}
ZOE = accept(name="Zoë")
HOUR = timedelta(hours=1)


@pytest.fixture(params=[ANSWERS, ABLE], ids=["knows no tasks", "knows tasks"])
def ada(request: pytest.FixtureRequest, harness: Harness) -> Client:
    return able(harness, capabilities=request.param)


@requirement("A-INP-7", "A-TASK-5", "A-SSE-1", "A-SSE-2", "A-SSE-5")
def test_a_call_asks_on_its_own_stream_and_answers_there(harness: Harness, ada: Client) -> None:
    first = ada.send_request("tools/call", PUBLISH, id=13)
    assert harness.clock.now() == NOON
    ada.respond(first.input_requests[0], MOON)
    second = ada.resume(first.last_event_id)
    ada.respond(second.input_requests[0], YES)
    last = ada.resume(second.last_event_id)

    assert [(event.data == "", event.id is not None) for event in first.events] == [(True, True), (False, True)]
    assert [reply.input_requests[0]["params"]["message"] for reply in (first, second)] == [
        "A title for a draft of tides?",
        "Publish 'Moon'?",
    ]
    assert last.response == {
        "jsonrpc": "2.0",
        "id": 13,
        "result": {
            "content": [{"type": "text", "text": "Moon, of a draft of tides: Accepted"}],
            "isError": False,
        },
    }
    assert ada.resume(last.last_event_id).status == 405


@requirement("A-INP-4", "A-TASK-4", "A-SSE-2", "A-SSE-5")
def test_a_call_of_a_tool_that_is_never_a_task_requests_input_on_its_own_stream(harness: Harness, ada: Client) -> None:
    done: list[str] = []

    @tool(tasks="never")
    def travel(context: Context) -> str:
        """Do something before each input request."""
        context.step("pack", lambda: done.append("pack"))
        first = context.elicit("Ready?", Consent)
        context.step("go", lambda: done.append("go"))
        second = context.elicit("There?", Consent)
        return f"{type(first).__name__}, {type(second).__name__}"

    harness.change(features=Features.of([travel]))
    first = ada.send_request("tools/call", {"name": "travel"})
    before = list(done)
    ada.respond(first.input_requests[0], YES)
    second = ada.resume(first.last_event_id)
    ada.respond(second.input_requests[0], DECLINE)

    result = ada.resume(second.last_event_id).response["result"]

    assert result == {"content": [{"type": "text", "text": "Accepted, Declined"}], "isError": False}
    assert (before, done) == (["pack"], ["pack", "go"])


@requirement("A-INP-2", "A-TASK-41", "A-TASK-8")
@pytest.mark.parametrize("call", [PUBLISH, {"name": "introduce"}])
def test_what_it_asks_names_no_task_that_the_client_knows_nothing_of(ada: Client, call: dict[str, Any]) -> None:
    (input_request,) = ada.send_request("tools/call", call).input_requests

    assert input_request["params"].keys() == {"mode", "message", "requestedSchema"}


@requirement("A-INP-7", "A-SSE-6")
def test_a_call_that_works_for_long_asks_when_it_comes_to_that(harness: Harness, ada: Client) -> None:
    harness.idle = True
    reply = ada.send_request("tools/call", PUBLISH)
    (task_id,) = harness.executor.started
    began = harness.clock.now()
    harness.while_waiting(lambda: None, lambda: harness.run(task_id))

    resumed = ada.resume(reply.last_event_id)

    assert (reply.messages, len(resumed.input_requests), len(resumed.messages)) == ([], 1, 1)
    assert harness.clock.now() - began == timedelta(seconds=2)


@requirement("A-INP-6", "A-SSE-10")
@pytest.mark.parametrize("call", [PUBLISH, {"name": "introduce"}])
def test_an_input_request_that_was_lost_is_repeated_on_that_stream(ada: Client, call: dict[str, Any]) -> None:
    reply = ada.send_request("tools/call", call)

    lost = ada.resume(reply.events[0].id)

    assert (lost.input_requests, ada.resume(reply.last_event_id).input_requests) == (reply.input_requests, [])


@requirement("A-INP-6", "A-SSE-13")
def test_no_listener_is_sent_it_again(ada: Client) -> None:
    reply = ada.send_request("tools/call", {"name": "introduce"})

    assert (len(reply.input_requests), listen(ada).input_requests) == (1, [])


@requirement("A-TASK-5", "A-INP-11")
def test_a_call_returns_no_task_handle_while_its_user_is_asked(harness: Harness, ada: Client) -> None:
    harness.idle = True
    reply = ada.send_request("tools/call", PUBLISH)
    (task_id,) = harness.executor.started
    harness.run(task_id)
    reply = ada.resume(reply.last_event_id)
    (input_request,) = reply.input_requests
    for _ in range(5):
        harness.clock.advance(HOUR)
        reply = ada.resume(reply.last_event_id)
        assert reply.messages == []
    ada.respond(input_request, MOON)
    harness.run(task_id)

    (consent,) = ada.resume(reply.last_event_id).input_requests

    assert consent["params"]["message"] == "Publish 'Moon'?"


@requirement("A-TASK-5")
def test_the_time_until_then_counts_from_the_last_answer(harness: Harness) -> None:
    ada = able(harness, capabilities=ANSWERS)
    harness.idle = True
    reply = ada.send_request("tools/call", PUBLISH)
    (task_id,) = harness.executor.started
    harness.run(task_id)
    reply = ada.resume(reply.last_event_id)
    harness.clock.advance(HOUR)
    ada.respond(reply.input_requests[0], MOON)
    answered = harness.clock.now()

    answer, _ = ada.follow(ada.resume(reply.last_event_id))

    assert answer["result"]["structuredContent"]["task_id"] == task_id
    assert harness.clock.now() - answered == timedelta(seconds=20)


@requirement("A-TASK-5", "A-INP-7")
def test_a_task_behind_a_handle_asks_the_client_that_fetches_its_result(harness: Harness) -> None:
    ada = able(harness, capabilities=ANSWERS)
    harness.idle = True
    answer, _ = ada.follow(ada.send_request("tools/call", PUBLISH))
    task_id = answer["result"]["structuredContent"]["task_id"]
    harness.run(task_id)
    harness.idle = False
    coming = ada.send_request("tools/call", {"name": "task_result", "arguments": {"task_id": task_id}})
    ada.respond(coming.input_requests[0], DECLINE)

    result = ada.resume(coming.last_event_id).response["result"]

    assert "_meta" not in coming.input_requests[0]["params"]
    assert "in the drawer" in result["content"][0]["text"]


@requirement("A-INP-2", "A-INP-6")
def test_a_plain_call_asks_on_no_other_stream_than_its_own(ada: Client) -> None:
    reply = ada.send_request("tools/call", PUBLISH)
    ada.respond(reply.input_requests[0], MOON)

    assert listen(ada).input_requests == []
    assert len(ada.resume(reply.last_event_id).input_requests) == 1


@requirement("A-CANC-2", "A-INP-9")
@pytest.mark.parametrize("call", [PUBLISH, {"name": "introduce"}])
def test_giving_up_a_call_that_asks_ends_it(harness: Harness, ada: Client, call: dict[str, Any]) -> None:
    reply = ada.send_request("tools/call", call, id="slow")
    (task_id,) = harness.executor.started

    assert ada.send_notification("notifications/cancelled", {"requestId": "slow"}).status == 202
    assert ada.resume(reply.last_event_id).status == 405
    assert list(harness.executor.stopped) == [task_id]
    assert ada.respond(reply.input_requests[0], MOON).status == 202
    assert ada.result("tasks/get", taskId=task_id)["status"] == "cancelled"


@requirement("A-ELI-4", "A-INP-9")
def test_an_input_request_with_an_invalid_response_is_sent_again(ada: Client) -> None:
    reply = ada.send_request("tools/call", {"name": "introduce"})

    rejected = ada.respond(reply.input_requests[0], accept(name="Z"))
    (anew,) = ada.resume(reply.last_event_id).input_requests
    ada.respond(anew, ZOE)

    assert (rejected.status, "name should be" in anew["params"]["message"]) == (202, True)
    assert ada.resume(reply.last_event_id).response["result"]["content"][0]["text"] == "Hello, Zoë!"


@requirement("A-INP-8", "A-TOOL-6")
def test_an_error_fails_the_call(ada: Client) -> None:
    reply = ada.send_request("tools/call", {"name": "introduce"})
    ada.respond(reply.input_requests[0], error={"code": -1, "message": "not now"})

    result = ada.resume(reply.last_event_id).response["result"]

    assert (result["isError"], "not now" in result["content"][0]["text"]) == (True, True)


@requirement("A-PROG-1", "A-SSE-6", "A-LOG-2")
def test_notifications_before_an_input_request_are_sent_before_it(ada: Client) -> None:
    ada.result("logging/setLevel", level="info")

    reply = ada.send_request("tools/call", {"name": "wander", "_meta": {"progressToken": "t"}})

    assert [message["method"] for message in reply.messages] == [
        "notifications/progress",
        "notifications/message",
        "roots/list",
    ]


@requirement("A-PROG-2")
@pytest.mark.parametrize("tasks", ["never", "allowed"])
def test_progress_rises_although_the_tool_is_replayed(harness: Harness, ada: Client, tasks: Any) -> None:
    replies: list[Reply] = []

    @tool(tasks=tasks)
    def climb(context: Context) -> str:
        """Report progress before and after an input request, with a poll in between."""
        for step in (1, 2):
            context.report_progress(step, 2)
            if replies:
                replies.append(ada.resume(replies[-1].last_event_id))
            context.elicit(f"Further than {step}?", Consent)
            harness.clock.advance(timedelta(seconds=2))
        return "up"

    harness.change(features=Features.of([climb]))
    replies.append(ada.send_request("tools/call", {"name": "climb", "_meta": {"progressToken": "t"}}))
    ada.respond(replies[0].input_requests[0], YES)

    sent = [each["progress"] for reply in replies for each in reply.notifications("notifications/progress")]
    assert sent == [1, 2]


@requirement("A-TASK-44", "A-TASK-19")
@pytest.mark.parametrize("call", [PUBLISH, {"name": "introduce"}])
def test_a_call_that_asks_counts_as_a_task(harness: Harness, ada: Client, call: dict[str, Any]) -> None:
    other = able(harness)
    for _ in range(20):
        other.start("publish", topic="tides")

    error = ada.error("tools/call", **call)

    assert (error["code"], error["data"]["reason"]) == (-31050, "too_many_tasks")


@requirement("A-LIFE-14", "A-INP-4")
def test_any_instance_goes_on_with_the_call(harness: Harness, ada: Client) -> None:
    reply = ada.send_request("tools/call", {"name": "book", "arguments": {"to": "Rome"}})
    for answer in (ZOE, accept(day="friday")):
        harness.restart()
        ada.respond(reply.input_requests[0], answer)
        harness.restart()
        reply = ada.resume(reply.last_event_id)

    assert reply.response["result"]["content"][0]["text"] == "Zoë to Rome on friday, ticket of 9 letters"


@requirement("A-LIFE-9", "A-TOOL-6")
@pytest.mark.parametrize("name", ["introduce", "publish"])
def test_a_client_that_cannot_be_asked_gets_an_error_that_says_so(harness: Harness, name: str) -> None:
    ada = able(harness, capabilities={"roots": {}})

    call = {"name": name, "arguments": {"topic": "tides"} if name == "publish" else {}}

    result = ada.result("tools/call", **call)

    assert (result["isError"], "needs the client capability elicitation.form," in result["content"][0]["text"]) == (
        True,
        True,
    )
