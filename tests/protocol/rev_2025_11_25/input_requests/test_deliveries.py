"""Each input request is sent on one stream of a session, whatever is open, lost or abandoned."""

from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.testing.replies import Reply
from tests.kit import BOB, EVE
from tests.protocol.harness import Harness
from tests.protocol.input_responses import MOON, YES, accept
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client
from tests.protocol.rev_2025_11_25.input_requests.clients import (
    STREAMS,
    able,
    listen,
    open_request,
    suspended,
    wait,
)


def ids(*replies: Reply) -> list[list[str]]:
    return [[input_request["id"] for input_request in reply.input_requests] for reply in replies]


@requirement("A-SSE-11", "A-SSE-9", "A-INP-6")
@pytest.mark.parametrize("stream", STREAMS)
def test_a_place_is_one_of_its_own_session_alone(harness: Harness, ada: Client, stream: str) -> None:
    task_id = suspended(ada)
    (request,) = (opened := STREAMS[stream](ada, task_id)).input_requests
    other = able(harness)

    stolen = other.resume(opened.events[0].id)

    assert (stolen.status, stolen.messages[-1:] == [request]) == (405, False)
    assert ada.resume(opened.events[0].id).input_requests == [request]


@requirement("A-INP-6", "A-SSE-13", "A-TASK-27")
def test_two_who_wait_for_one_task_are_asked_once_and_both_answered(ada: Client) -> None:
    task_id = suspended(ada)
    first, second = wait(ada, task_id), wait(ada, task_id)
    ada.respond(first.input_requests[0], MOON)
    later, sooner = ada.resume(second.last_event_id), ada.resume(first.last_event_id)
    (consent,) = later.input_requests + sooner.input_requests
    ada.respond(consent, YES)

    answers = [ada.follow(reply)[0] for reply in (sooner, later)]

    assert (len(first.input_requests), second.input_requests) == (1, [])
    assert answers[0]["result"] == answers[1]["result"]
    assert answers[0]["id"] != answers[1]["id"]


@requirement("A-INP-6", "A-SSE-13", "A-GET-3")
@pytest.mark.parametrize("first", STREAMS)
@pytest.mark.parametrize("then", STREAMS)
def test_whichever_stream_comes_first_is_the_one_to_ask(ada: Client, first: str, then: str) -> None:
    task_id = suspended(ada)

    replies = [STREAMS[stream](ada, task_id) for stream in (first, then, *STREAMS)]

    assert [len(reply.input_requests) for reply in replies] == [1, 0, 0, 0]


@requirement("A-INP-6", "A-SSE-13")
def test_streams_that_were_open_before_are_asked_once_too(harness: Harness, ada: Client) -> None:
    task_id = ada.start("publish", topic="tides")
    places = [wait(ada, task_id).last_event_id, wait(ada, task_id).last_event_id, listen(ada).last_event_id]
    harness.run(task_id)

    replies = [ada.resume(place) for place in places]
    again = [ada.resume(reply.last_event_id) for reply in replies]

    assert [len(reply.input_requests) for reply in (*replies, *again)] == [1, 0, 0, 0, 0, 0]


@requirement("A-SSE-10", "A-INP-6", "A-INP-9")
@pytest.mark.parametrize("stream", ["result", "listen"])
def test_an_input_request_that_was_lost_on_its_way_is_repeated_to_who_resumes_before_it(
    ada: Client, stream: str
) -> None:
    task_id = suspended(ada)
    opened = STREAMS[stream](ada, task_id)
    before = opened.events[0].id

    lost, again, after = ada.resume(before), ada.resume(before), ada.resume(opened.last_event_id)

    assert lost.input_requests == again.input_requests == opened.input_requests
    assert (after.status, after.input_requests) == (200, [])


@requirement("A-SSE-10", "A-INP-6")
@pytest.mark.parametrize("stream", STREAMS)
def test_a_stream_that_is_resumed_before_its_input_request_holds_it_for_no_longer_than_a_minute(
    ada: Client, stream: str
) -> None:
    task_id = suspended(ada)
    opened = STREAMS[stream](ada, task_id)
    ada.harness.clock.advance(timedelta(seconds=30))

    assert ada.resume(opened.events[0].id).input_requests == opened.input_requests

    ada.harness.clock.advance(timedelta(minutes=1))
    assert wait(ada, task_id).input_requests == opened.input_requests


@requirement("A-SSE-10", "A-INP-6")
@pytest.mark.parametrize("stream", ["result", "listen"])
def test_of_several_input_requests_those_after_the_place_are_repeated(ada: Client, stream: str) -> None:
    opened = STREAMS[stream](ada, suspended(ada, "convene"))
    places = [event.id for event in opened.events]

    resumed = [ada.resume(place).input_requests for place in places]

    assert resumed == [opened.input_requests[number:] for number in range(4)]


@requirement("A-SSE-10", "A-INP-6")
@pytest.mark.parametrize("stream", ["result", "listen"])
def test_what_was_answered_is_not_repeated(ada: Client, stream: str) -> None:
    task_id = suspended(ada)
    opened = STREAMS[stream](ada, task_id)
    ada.respond(opened.input_requests[0], MOON)

    (input_request,) = ada.resume(opened.events[0].id).input_requests

    assert input_request["params"]["message"] == "Publish 'Moon'?"


@requirement("A-SSE-11", "A-INP-6")
def test_a_place_before_the_input_request_on_another_stream_repeats_nothing(ada: Client) -> None:
    task_id = suspended(ada)
    opened, other, listening = wait(ada, task_id), wait(ada, task_id), listen(ada)

    assert len(opened.input_requests) == 1
    assert ids(ada.resume(other.events[0].id), ada.resume(listening.events[0].id)) == [[], []]


@requirement("A-INP-6", "A-CANC-3")
@pytest.mark.parametrize("then", STREAMS)
def test_an_input_request_of_an_abandoned_stream_is_sent_on_the_next(ada: Client, then: str) -> None:
    task_id = suspended(ada)
    (given_up,) = ada.send_request("tasks/result", {"taskId": task_id}, id="slow").input_requests
    ada.send_notification("notifications/cancelled", {"requestId": "slow"})

    (input_request,) = STREAMS[then](ada, task_id).input_requests

    assert input_request == given_up
    assert ids(wait(ada, task_id), listen(ada)) == [[], []]


@requirement("A-INP-6", "A-CANC-3")
def test_an_input_request_of_an_abandoned_stream_is_sent_on_one_that_was_open_already(ada: Client) -> None:
    task_id = suspended(ada)
    ada.send_request("tasks/result", {"taskId": task_id}, id="slow")
    waiting = wait(ada, task_id)
    ada.send_notification("notifications/cancelled", {"requestId": "slow"})

    assert len(ada.resume(waiting.last_event_id).input_requests) == 1


@requirement("A-INP-6", "A-INP-9")
def test_an_input_request_that_moved_to_another_stream_is_answered_by_its_first_response(ada: Client) -> None:
    task_id = suspended(ada)
    (early,) = ada.send_request("tasks/result", {"taskId": task_id}, id="slow").input_requests
    ada.send_notification("notifications/cancelled", {"requestId": "slow"})
    input_request = open_request(ada, task_id)

    replies = [ada.respond(each, accept(title=f"Title {number}")) for number, each in enumerate([early, input_request])]

    assert [reply.status for reply in replies] == [202, 202]
    assert open_request(ada, task_id)["params"]["message"] == "Publish 'Title 0'?"


@requirement("A-SSE-11", "A-SSE-13", "A-INP-9")
@pytest.mark.parametrize("stream", STREAMS)
def test_another_session_is_asked_by_a_request_of_its_own(harness: Harness, ada: Client, stream: str) -> None:
    other = able(harness)
    task_id = suspended(ada)

    (mine,), (theirs,) = STREAMS[stream](ada, task_id).input_requests, wait(other, task_id).input_requests

    assert mine["id"] != theirs["id"]
    assert {**mine, "id": None} == {**theirs, "id": None}
    assert ids(wait(ada, task_id), wait(other, task_id)) == [[], []]


@requirement("A-INP-9", "A-SSE-13")
@pytest.mark.parametrize("faster", [0, 1])
def test_whichever_session_answers_first_has_answered(harness: Harness, ada: Client, faster: int) -> None:
    other = able(harness)
    task_id = suspended(ada)
    clients = [(client, wait(client, task_id)) for client in (ada, other)]
    for number, (client, reply) in enumerate([clients[faster], clients[1 - faster]]):
        assert client.respond(reply.input_requests[0], accept(title=f"Title {number}")).status == 202

    consents = [client.resume(reply.last_event_id).input_requests[0] for client, reply in clients]

    assert [each["params"]["message"] for each in consents] == ["Publish 'Title 0'?"] * 2


@requirement("A-INP-6", "A-SESS-7")
def test_a_session_that_ended_leaves_the_input_request_to_the_next(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada)
    open_request(ada, task_id)
    ada.send("DELETE")

    assert able(harness).respond(open_request(able(harness), task_id), MOON).status == 202


@requirement("A-INP-10", "A-TASK-42", "A-SSE-11")
@pytest.mark.parametrize("stranger", [BOB, EVE])
def test_nobody_is_asked_what_the_task_of_another_asks(harness: Harness, ada: Client, stranger: Caller) -> None:
    other = able(harness, stranger)
    task_id = suspended(ada)
    before = harness.kept()

    replies = [STREAMS[stream](other, task_id) for stream in STREAMS]

    assert [reply.input_requests for reply in replies] == [[], []]
    assert [message["error"]["code"] for reply in replies for message in reply.messages] == [-32602]
    assert harness.kept() == before


@requirement("A-SSE-11", "A-SSE-17", "A-SESS-8")
@pytest.mark.parametrize("stranger", [BOB, EVE])
@pytest.mark.parametrize("stream", ["result", "listen"])
def test_another_callers_event_id_before_an_input_request_is_rejected(
    harness: Harness, ada: Client, stranger: Caller, stream: str
) -> None:
    place = STREAMS[stream](ada, suspended(ada)).events[0].id
    other, colleague = able(harness, stranger), able(harness)
    before = harness.kept()

    stolen, forged, neighbouring = other.resume(place), other.resume("forged"), colleague.resume(place)

    assert (stolen.status, stolen.body) == (405, forged.body)
    assert (neighbouring.status, harness.kept()) == (405, before)


@requirement("A-INP-9", "A-SSE-8")
def test_no_two_input_requests_have_one_id(harness: Harness, ada: Client) -> None:
    clients: list[Any] = [ada, able(harness), able(harness, BOB)]
    input_requests = []
    for client in clients:
        for _ in range(2):
            task_id = suspended(client, "convene")
            input_requests += wait(client, task_id).input_requests

    found = {input_request["id"] for input_request in input_requests}

    assert len(found) == len(input_requests) == 18
    assert all(len(each) <= 256 for each in found), "longer than the ids that this server itself would take back"
