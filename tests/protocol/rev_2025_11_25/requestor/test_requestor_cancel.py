"""A client's task whose input request is closed: it is cancelled, once, if there is a stream."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, Final

import pytest

from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client
from tests.protocol.rev_2025_11_25.requestor.receiver import (
    ELICITATION,
    NO_RUNTIME,
    ROSE,
    InterruptibleSessions,
    able,
    carried,
    fetched,
    listen,
    made,
    polled,
    receiver,
    result_text,
    shown,
    silent,
    suspended,
    wait,
)


def cancel(client: Client, task_id: str) -> None:
    client.result("tasks/cancel", taskId=task_id)


def answer_elsewhere(client: Client, task_id: str) -> None:
    other = receiver(client.harness)
    other.respond(carried(other, task_id), ROSE)


def run_out_of_time(client: Client, task_id: str) -> None:
    client.harness.clock.advance(timedelta(hours=1))
    client.harness.run(task_id)


ENDS: Final[Mapping[str, Callable[[Client, str], None]]] = {
    "cancelled": cancel,
    "answered elsewhere": answer_elsewhere,
    "out of time": run_out_of_time,
}
"""The ways in which an input request is closed while its client's task is live."""


def methods(requests: list[Any]) -> list[str]:
    return [each["method"] for each in requests]


@requirement("A-TREQ-2")
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("is_polled", [True, False])
def test_a_stream_that_waits_for_the_result_brings_the_cancellation(
    harness: Harness, ada: Client, end: str, is_polled: bool
) -> None:
    task_id = suspended(ada, "hurry")
    reply = wait(ada, task_id)
    ada.respond(reply.input_requests[0], made())
    if is_polled:
        reply = ada.resume(reply.last_event_id)
        ada.respond(reply.input_requests[0], shown())
    ENDS[end](ada, task_id)

    reply = ada.resume(reply.last_event_id)
    _, later = ada.follow(reply)

    (request,) = reply.input_requests
    assert (request["method"], request["params"]) == ("tasks/cancel", {"taskId": "client-1"})
    assert [each.input_requests for each in later[1:]] == [[]] * (len(later) - 1)
    assert ada.respond(request, shown("cancelled")).status == 202
    assert silent(ada, task_id)


@requirement("A-TREQ-2", "A-GET-3")
@pytest.mark.parametrize("end", ENDS)
def test_a_stream_to_listen_on_brings_the_cancellation(harness: Harness, ada: Client, end: str) -> None:
    task_id = suspended(ada, "hurry")
    reply = listen(ada, task_id)
    ada.respond(reply.input_requests[0], made())
    reply = ada.resume(reply.last_event_id)
    ENDS[end](ada, task_id)

    sent = ada.resume(reply.last_event_id)
    again, after = ada.resume(str(sent.events[0].id)), ada.resume(sent.last_event_id)

    assert methods(sent.input_requests) == ["tasks/cancel"]
    assert again.input_requests == sent.input_requests
    assert after.input_requests == []


@requirement("A-TREQ-2", "A-INP-6")
def test_of_two_streams_at_once_one_brings_the_cancellation(sessions: InterruptibleSessions, ada: Client) -> None:
    task_id = suspended(ada)
    polled(ada, task_id)
    first, second = listen(ada, task_id).last_event_id, listen(ada, task_id).last_event_id
    cancel(ada, task_id)
    meanwhile: list[Any] = []
    sessions.before = lambda: meanwhile.extend(ada.resume(second).input_requests)

    assert ada.resume(first).input_requests == []
    assert methods(meanwhile) == ["tasks/cancel"]


@requirement("A-TREQ-2")
@pytest.mark.parametrize("answer", [{}, shown("cancelled"), shown("completed"), {"odd": [1]}])
def test_whatever_is_answered_to_a_cancellation_is_dropped(
    harness: Harness, ada: Client, answer: Mapping[str, Any]
) -> None:
    task_id = suspended(ada)
    polled(ada, task_id)
    place = listen(ada, task_id).last_event_id
    cancel(ada, task_id)
    sent = ada.resume(place)
    (request,) = sent.input_requests
    before = harness.kept()

    assert ada.respond(request, answer).status == 202
    assert ada.respond(request, error=NO_RUNTIME).status == 202
    assert harness.kept() == before
    assert ada.resume(sent.last_event_id).input_requests == []


@requirement("A-TREQ-2")
def test_a_client_that_did_not_declare_it_is_asked_to_cancel_nothing(harness: Harness) -> None:
    client = able(harness, ELICITATION)
    task_id = suspended(client)
    polled(client, task_id)
    place = listen(client, task_id).last_event_id
    cancel(client, task_id)

    assert client.resume(place).input_requests == []


@requirement("A-TREQ-2")
@pytest.mark.parametrize("step", [fetched, carried])
def test_what_has_ended_or_never_was_a_task_is_not_cancelled(ada: Client, step: Callable[[Client, str], Any]) -> None:
    task_id = suspended(ada)
    step(ada, task_id)
    place = listen(ada, task_id).last_event_id
    cancel(ada, task_id)

    assert ada.resume(place).input_requests == []


@requirement("A-TREQ-2")
@pytest.mark.parametrize("step", [polled, fetched])
@pytest.mark.parametrize("error", [NO_RUNTIME, {"code": -32602, "message": "No such task."}])
def test_what_the_client_does_not_know_is_not_cancelled(
    ada: Client, step: Callable[[Client, str], Any], error: Mapping[str, Any]
) -> None:
    task_id = suspended(ada)
    request = step(ada, task_id)
    place = listen(ada, task_id).last_event_id
    ada.respond(request, error=error)
    if ada.result("tasks/list")["tasks"][0]["status"] == "input_required":
        cancel(ada, task_id)

    assert ada.resume(place).input_requests == []


@requirement("A-TREQ-2")
@pytest.mark.parametrize("end", ENDS)
def test_a_task_that_is_made_too_late_is_cancelled_too(ada: Client, end: str) -> None:
    task_id = suspended(ada, "hurry")
    request, place = carried(ada, task_id), listen(ada, task_id).last_event_id
    ENDS[end](ada, task_id)

    assert ada.respond(request, made()).status == 202
    sent = ada.resume(place)
    assert methods(sent.input_requests) == ["tasks/cancel"]
    assert ada.resume(sent.last_event_id).input_requests == []


@requirement("A-TREQ-2")
def test_one_of_two_is_cancelled_and_the_other_goes_on(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada, "converse")
    name, word = wait(ada, task_id).input_requests
    ada.respond(name, made(taskId="name"))
    ada.respond(word, made(taskId="word"))
    other = receiver(harness)
    theirs = wait(other, task_id).input_requests[0]
    other.respond(theirs, ROSE)
    harness.clock.advance(timedelta(seconds=1))

    sent = wait(ada, task_id).input_requests

    assert {each["params"]["taskId"]: each["method"] for each in sent} == {"name": "tasks/cancel", "word": "tasks/get"}


@requirement("A-TREQ-2")
def test_nothing_waits_for_a_cancellation(ada: Client) -> None:
    task_id = suspended(ada)
    polled(ada, task_id)
    answer_elsewhere(ada, task_id)

    assert result_text(ada, task_id) == "It is Rose."


@requirement("A-TREQ-2")
def test_a_task_that_is_gone_leaves_nothing_to_cancel(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada)
    reply = listen(ada, task_id)
    (request,) = reply.input_requests
    ada.respond(request, made())
    harness.clock.advance(timedelta(days=3))

    assert ada.resume(reply.last_event_id).status in (200, 404, 405)
    assert ada.respond(request, made()).status in (202, 400, 404)
