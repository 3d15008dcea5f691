"""A connection that carries an input request breaks before its client has read it, and the task ends right.

"Disconnection MAY occur at any time" -- 2025-11-25, Transports.  The server does not see it: the request comes again,
under the same id, on the stream that the client resumes, or on another one after a minute.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

import pytest

from mcp_tasks.testing.replies import Reply
from mcp_tasks.wire.rev_2025_11_25 import subscriptions
from mcp_tasks.wire.rev_2025_11_25.adapters import in_memory
from mcp_tasks.wire.rev_2025_11_25.ports import Attempt
from tests.protocol.harness import Harness
from tests.protocol.input_responses import MOON, YES, accept
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client
from tests.protocol.rev_2025_11_25.input_requests.clients import (
    RELATED,
    STREAMS,
    able,
    listen,
    suspended,
    tasks_get,
    wait,
)
from tests.protocol.rev_2025_11_25.requestor.receiver import InterruptibleSessions

MINUTE: Final = timedelta(minutes=1)
MOMENT: Final = timedelta(milliseconds=1)


class EarlierSessions(InterruptibleSessions):
    """Sessions that keep an attempt as the release before did, without a term, as long as that is `deployed`."""

    deployed = True

    def save_attempt(self, owner_key: str, name: str, delivery: Attempt, until: datetime) -> bool:
        kept = replace(delivery, not_before=None) if self.deployed else delivery
        return super().save_attempt(owner_key, name, kept, until)


def keep_in(harness: Harness, sessions: InterruptibleSessions) -> None:
    storage: Any = harness.ports.storage
    storage.stores[in_memory] = sessions


def asked(reply: Reply) -> list[str]:
    return [str(each["params"]["message"]) for each in reply.input_requests]


def resumed(client: Client, task_id: str, place: str) -> Any:
    return client.resume(place).input_requests[0]


def polled(client: Client, task_id: str, place: str) -> Any:
    """Poll, and call `tasks/result` once the task requires input, as requestors should."""
    assert tasks_get(client, task_id).response["result"]["status"] == "input_required"
    client.harness.clock.advance(MINUTE)
    return wait(client, task_id).input_requests[0]


def waited(client: Client, task_id: str, place: str) -> Any:
    """Call `tasks/result` at once: the stream carries the request when it is resumed after a minute."""
    reply = wait(client, task_id)
    assert reply.input_requests == []
    client.harness.clock.advance(MINUTE)
    return client.resume(reply.last_event_id).input_requests[0]


def listened(client: Client, task_id: str, place: str) -> Any:
    """Open a listening stream, and resume it for a minute as often as it says."""
    replies, began = [listen(client)], client.harness.clock.now()
    while client.harness.clock.now() - began < MINUTE:
        client.harness.clock.advance(replies[-1].retry)
        replies.append(client.resume(replies[-1].last_event_id))
    (request,) = (each for reply in replies for each in reply.input_requests)
    return request


def began_again(client: Client, task_id: str, place: str) -> Any:
    """Begin another session, and fetch the result there."""
    client.initialize(client.capabilities)
    return wait(client, task_id).input_requests[0]


def began_again_and_polled(client: Client, task_id: str, place: str) -> Any:
    """Begin another session, and only poll there and listen: so does the TypeScript package for tasks."""
    client.initialize(client.capabilities)
    assert tasks_get(client, task_id).response["result"]["status"] == "input_required"
    return listen(client).input_requests[0]


WAYS_BACK: Final[Mapping[str, Callable[[Client, str, str], Any]]] = {
    "resumed": resumed,
    "polled": polled,
    "waited": waited,
    "listened": listened,
    "began again": began_again,
    "began again and polled": began_again_and_polled,
}


@requirement("A-SSE-10", "A-INP-6", "A-INP-7", "A-TASK-28")
@pytest.mark.parametrize("back", WAYS_BACK)
@pytest.mark.parametrize("stream", STREAMS)
def test_an_input_request_that_was_cut_off_is_delivered_again_and_the_task_ends(
    ada: Client, stream: str, back: str
) -> None:
    task_id = ada.start("publish", topic="tides")
    opened = STREAMS[stream](ada, task_id)
    ada.harness.run(task_id)
    (lost,) = ada.resume(opened.last_event_id).input_requests

    request = WAYS_BACK[back](ada, task_id, opened.last_event_id)

    assert (request["id"] == lost["id"]) == (not back.startswith("began again"))
    assert {**request, "id": None} == {**lost, "id": None}
    ada.respond(request, MOON)
    ada.respond(wait(ada, task_id).input_requests[0], YES)
    assert ada.result("tasks/result", taskId=task_id)["content"][0]["text"] == "Moon, of a draft of tides: Accepted"


@requirement("A-SSE-10", "A-INP-6", "A-INP-7")
@pytest.mark.parametrize("back", [polled, waited, listened, began_again, began_again_and_polled])
@pytest.mark.parametrize("stream", STREAMS)
def test_a_stream_whose_first_connection_was_cut_leaves_its_input_request_to_the_next(
    ada: Client, stream: str, back: Callable[[Client, str, str], Any]
) -> None:
    task_id = suspended(ada)
    (lost,) = STREAMS[stream](ada, task_id).input_requests

    request = back(ada, task_id, "")

    assert {**request, "id": None} == {**lost, "id": None}
    ada.respond(request, MOON)
    assert asked(wait(ada, task_id)) == ["Publish 'Moon'?"]


@requirement("A-SSE-13", "A-INP-6")
@pytest.mark.parametrize("stream", STREAMS)
def test_no_other_stream_carries_an_input_request_for_a_minute(ada: Client, stream: str) -> None:
    task_id = suspended(ada)
    STREAMS[stream](ada, task_id)

    ada.harness.clock.advance(MINUTE - MOMENT)

    assert [asked(wait(ada, task_id)), asked(listen(ada))] == [[], []]
    ada.harness.clock.advance(MOMENT)
    assert [asked(wait(ada, task_id)), asked(listen(ada))] == [["A title for a draft of tides?"], []]


@requirement("A-SSE-13", "A-INP-6")
@pytest.mark.parametrize("stream", STREAMS)
def test_no_other_stream_carries_an_input_request_that_its_client_has_read(ada: Client, stream: str) -> None:
    task_id = suspended(ada)
    reply = STREAMS[stream](ada, task_id)

    for _ in range(20):
        reply = ada.resume(reply.last_event_id)
        assert (asked(reply), asked(wait(ada, task_id)), asked(listen(ada))) == ([], [], [])
        # A client that has waited for long resumes its stream once an hour.
        ada.harness.clock.advance(timedelta(hours=1))


@requirement("A-INP-6", "A-INP-7")
def test_a_client_that_was_restarted_in_its_session_is_asked_what_it_had_read(ada: Client) -> None:
    task_id = suspended(ada)
    opened = wait(ada, task_id)
    ada.resume(opened.last_event_id)

    ada.harness.clock.advance(timedelta(hours=2))

    assert wait(ada, task_id).input_requests == opened.input_requests


@requirement("A-SSE-10", "A-INP-6")
def test_a_stream_that_lost_its_input_request_to_another_does_not_send_it_again(ada: Client) -> None:
    task_id = suspended(ada)
    first = wait(ada, task_id)
    ada.harness.clock.advance(MINUTE)
    second = wait(ada, task_id)

    assert ada.resume(first.events[0].id).input_requests == []
    assert ada.resume(second.events[0].id).input_requests == first.input_requests


@requirement("A-SSE-10", "A-INP-6")
@pytest.mark.parametrize("after", [timedelta(), MINUTE, timedelta(hours=2)])
@pytest.mark.parametrize("stream", STREAMS)
def test_a_stream_that_is_resumed_twice_at_once_does_not_repeat_a_request_that_was_read(
    harness: Harness, stream: str, after: timedelta
) -> None:
    keep_in(harness, sessions := InterruptibleSessions(harness.clock))
    ada = able(harness)
    task_id = suspended(ada)
    opened = STREAMS[stream](ada, task_id)
    harness.clock.advance(after)
    first: list[Reply] = []
    sessions.before = lambda: first.append(ada.resume(opened.last_event_id))

    second = ada.resume(opened.last_event_id)

    assert [len(opened.input_requests), asked(first[0]), asked(second)] == [1, [], []]
    assert asked(ada.resume(second.last_event_id)) == []


@requirement("A-SSE-10", "A-SSE-13", "A-INP-6")
@pytest.mark.parametrize("stream", STREAMS)
def test_a_stream_that_loses_a_request_to_another_at_once_leaves_it_there(harness: Harness, stream: str) -> None:
    keep_in(harness, sessions := InterruptibleSessions(harness.clock))
    ada = able(harness)
    task_id = suspended(ada)
    opened = STREAMS[stream](ada, task_id)
    harness.clock.advance(MINUTE)
    other: list[Reply] = []
    sessions.before = lambda: other.append(wait(ada, task_id))

    resumed = ada.resume(opened.last_event_id)

    assert other[0].input_requests == opened.input_requests
    assert [asked(resumed), asked(ada.resume(resumed.last_event_id))] == [[], []]


@requirement("A-ELI-4", "A-INP-9")
def test_an_invalid_response_is_not_lost_while_the_stream_notes_that_its_request_was_read(harness: Harness) -> None:
    keep_in(harness, sessions := InterruptibleSessions(harness.clock))
    ada = able(harness)
    task_id = suspended(ada)
    opened = wait(ada, task_id)
    sessions.before = lambda: ada.resume(opened.last_event_id)

    ada.respond(opened.input_requests[0], accept(title="M"))

    (again,) = ada.resume(opened.last_event_id).input_requests
    assert again["id"] != opened.input_requests[0]["id"]
    assert "title should be at least 2 characters long" in again["params"]["message"]


@requirement("A-INP-6", "A-INP-7")
@pytest.mark.parametrize("is_read", [False, True])
def test_an_input_request_that_the_release_before_sent_is_delivered_again_unless_it_was_read(
    harness: Harness, is_read: bool
) -> None:
    keep_in(harness, sessions := EarlierSessions(harness.clock))
    ada = able(harness)
    task_id = suspended(ada)
    opened = wait(ada, task_id)
    sessions.deployed = False
    later = [asked(wait(ada, task_id))]
    if is_read:
        ada.resume(opened.last_event_id)

    ada.harness.clock.advance(MINUTE)

    assert [*later, asked(wait(ada, task_id))] == [[], [] if is_read else ["A title for a draft of tides?"]]


@requirement("A-INP-7", "A-SSE-10")
def test_a_plain_call_is_sent_the_input_request_again_that_was_cut_off(ada: Client) -> None:
    ada.harness.idle = True
    opened = ada.send_request("tools/call", {"name": "publish", "arguments": {"topic": "tides"}})
    (task_id,) = ada.harness.executor.started
    ada.harness.run(task_id)
    ada.harness.idle = False
    (lost,) = ada.resume(opened.last_event_id).input_requests

    (request,) = ada.resume(opened.last_event_id).input_requests

    assert request == lost
    ada.respond(request, MOON)
    consent = ada.resume(opened.last_event_id)
    ada.respond(consent.input_requests[0], YES)
    assert ada.resume(consent.last_event_id).response["result"]["content"][0]["text"] == (
        "Moon, of a draft of tides: Accepted"
    )


@requirement("A-INP-7")
def test_a_session_forgets_the_tasks_of_others_that_it_polled_once_they_have_ended(
    harness: Harness, ada: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscriptions, "MAX_SUBSCRIPTIONS", 1)
    one, another = suspended(ada), suspended(ada)
    poller = able(harness)
    tasks_get(poller, one)
    tasks_get(poller, another)
    first = listen(poller)
    ada.result("tasks/cancel", taskId=one)
    nothing = poller.resume(first.last_event_id)

    tasks_get(poller, another)

    asked_about = poller.resume(nothing.last_event_id).input_requests
    assert [len(first.input_requests), len(nothing.input_requests)] == [1, 0]
    assert [each["params"]["_meta"][RELATED]["taskId"] for each in asked_about] == [another]
