"""A session whose client has not sent `notifications/initialized`: requests are answered, and everything else waits."""

from datetime import timedelta
from typing import Any

import pytest

from tests.protocol.harness import Harness
from tests.protocol.input_responses import MOON, YES
from tests.protocol.prompts_and_resources import weather
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client
from tests.protocol.rev_2025_11_25.input_requests.clients import ABLE, listen, suspended, wait

PUBLISH = {"name": "publish", "arguments": {"topic": "tides"}, "_meta": {"progressToken": "t"}}


def initialize(client: Client) -> None:
    """Send `initialize` alone."""
    params = {"protocolVersion": "2025-11-25", "capabilities": ABLE, "clientInfo": {"name": "eager", "version": "1"}}
    reply = client.send_request("initialize", params)
    client.headers = {
        "mcp-session-id": reply.headers["mcp-session-id"],
        "mcp-protocol-version": reply.message["result"]["protocolVersion"],
    }


def initialized(client: Client) -> None:
    """Send `notifications/initialized`."""
    assert client.send_notification("notifications/initialized").status == 202


@pytest.fixture
def eager(harness: Harness) -> Client:
    client = Client(harness)
    initialize(client)
    return client


@requirement("A-LIFE-7", "A-LIFE-8")
@pytest.mark.parametrize("stream", [wait, listen])
def test_an_input_request_waits_until_the_client_is_initialized(eager: Client, stream: Any) -> None:
    task_id = suspended(eager)
    opened = stream(eager, task_id)
    silent = eager.resume(opened.last_event_id)
    initialized(eager)

    (request,) = eager.resume(silent.last_event_id).input_requests

    assert [opened.messages, silent.messages] == [[], []]
    eager.respond(request, MOON)
    eager.respond(wait(eager, task_id).input_requests[0], YES)
    assert eager.result("tasks/result", taskId=task_id)["content"][0]["text"] == "Moon, of a draft of tides: Accepted"


@requirement("A-LIFE-7", "A-LIFE-8", "A-INP-7")
def test_a_plain_call_before_initialized_asks_after_it(eager: Client) -> None:
    opened = eager.send_request("tools/call", PUBLISH)
    silent = eager.resume(opened.last_event_id)
    initialized(eager)

    resumed = eager.resume(silent.last_event_id)

    assert [opened.messages, silent.messages] == [[], []]
    assert [each["params"]["message"] for each in resumed.input_requests] == ["A title for a draft of tides?"]


@requirement("A-LIFE-7", "A-LIFE-8", "A-PROG-1", "A-LOG-2")
def test_a_call_before_initialized_is_sent_log_messages_and_no_progress(eager: Client) -> None:
    eager.result("logging/setLevel", level="info")

    reply = eager.send_request("tools/call", {"name": "wander", "_meta": {"progressToken": "t"}})

    assert [each["method"] for each in reply.messages] == ["notifications/message"]


@requirement("A-LIFE-8", "A-TOOL-1")
def test_a_call_before_initialized_is_answered(eager: Client) -> None:
    result = eager.result("tools/call", name="climb", arguments={"steps": [1, 2]}, _meta={"progressToken": "t"})

    assert result["isError"] is False


@requirement("A-LIFE-7", "A-TASK-38", "A-PROG-4")
def test_a_stream_that_waits_for_a_result_is_sent_the_result_alone(harness: Harness, eager: Client) -> None:
    harness.idle = True
    task_id = eager.start("publish", {"progressToken": "t"}, topic="tides")
    reply = wait(eager, task_id)
    harness.progress(task_id, 5)
    reported = eager.resume(reply.last_event_id)
    eager.result("tasks/cancel", taskId=task_id)

    ended = eager.resume(reported.last_event_id)

    assert (reported.messages, [each.get("method") for each in ended.messages]) == ([], [None])


@requirement("A-LIFE-7", "A-RES-4")
def test_a_changed_resource_is_notified_of_once_the_client_is_initialized(harness: Harness, eager: Client) -> None:
    eager.result("resources/subscribe", uri=weather.uri)
    harness.server.subscriptions.publish(eager.caller, weather.uri)
    silent = listen(eager)
    initialized(eager)

    told = eager.resume(silent.last_event_id)

    assert silent.messages == []
    assert [each["method"] for each in told.messages] == ["notifications/resources/updated"]


@requirement("A-LIFE-7", "A-LIFE-14")
def test_another_instance_knows_at_once_that_the_client_is_initialized(harness: Harness, eager: Client) -> None:
    task_id = suspended(eager)
    first = harness.server
    harness.restart()
    assert wait(eager, task_id).messages == []
    other, harness.server = harness.server, first
    initialized(eager)
    harness.server = other

    assert len(wait(eager, task_id).input_requests) == 1


@requirement("A-LIFE-6", "A-LIFE-7")
def test_a_client_that_never_says_that_it_is_initialized_is_asked_after_ten_minutes(
    harness: Harness, eager: Client
) -> None:
    task_id = suspended(eager)
    harness.clock.advance(timedelta(minutes=10, microseconds=-1))
    assert wait(eager, task_id).messages == []

    harness.clock.advance(timedelta(microseconds=1))

    assert len(wait(eager, task_id).input_requests) == 1


@requirement("A-LIFE-6", "A-LIFE-7")
def test_initialized_may_come_again_and_late(harness: Harness, eager: Client) -> None:
    initialized(eager)
    before = harness.kept()

    initialized(eager)

    assert harness.kept() == before
    assert len(wait(eager, suspended(eager)).input_requests) == 1
