"""How often a client's task is polled, on which stream, and what happens without a response."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client
from tests.protocol.rev_2025_11_25.requestor.receiver import (
    ROSE,
    STREAMS,
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
    tasks_get,
    wait,
)

MOMENT = timedelta(milliseconds=1)


@requirement("A-TREQ-3", "A-TASK-16")
@pytest.mark.parametrize(
    ("client_task", "interval"),
    [
        ({}, timedelta(seconds=1)),
        ({"pollInterval": None}, timedelta(seconds=1)),
        ({"pollInterval": 0}, timedelta(seconds=1)),
        ({"pollInterval": 1}, timedelta(seconds=1)),
        ({"pollInterval": 30_000}, timedelta(seconds=30)),
        ({"pollInterval": 2_500.5}, timedelta(milliseconds=2_500.5)),
        ({"pollInterval": 10**15}, timedelta(hours=1)),
        ({"pollInterval": 1e300}, timedelta(hours=1)),
    ],
)
@pytest.mark.parametrize("stream", STREAMS)
def test_a_clients_task_is_not_polled_before_its_interval_has_passed(
    harness: Harness, ada: Client, client_task: Mapping[str, Any], interval: timedelta, stream: str
) -> None:
    task_id = suspended(ada)
    ada.respond(carried(ada, task_id), made(**client_task))

    harness.clock.advance(interval - MOMENT)
    assert silent(ada, task_id)

    harness.clock.advance(MOMENT)
    poll = carried(ada, task_id, stream)
    ada.respond(poll, shown(**client_task))
    harness.clock.advance(interval - MOMENT)
    assert silent(ada, task_id)

    harness.clock.advance(MOMENT)
    assert carried(ada, task_id, stream)["id"] != poll["id"]


@requirement("A-TREQ-3")
def test_the_longer_it_takes_the_less_often_it_is_polled(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada)
    poll = polled(ada, task_id)
    for _ in range(100):
        ada.respond(poll, shown())
        harness.clock.advance(timedelta(minutes=5))
        poll = carried(ada, task_id)
    ada.respond(poll, shown())

    harness.clock.advance(timedelta(seconds=8))
    assert silent(ada, task_id)

    harness.clock.advance(timedelta(seconds=4))
    assert carried(ada, task_id)["method"] == "tasks/get"


@requirement("A-TREQ-3", "A-TASK-38")
@pytest.mark.parametrize("status", ["working", "completed"])
def test_status_notifications_of_a_clients_task_change_nothing(harness: Harness, ada: Client, status: str) -> None:
    task_id = suspended(ada)
    ada.respond(carried(ada, task_id), made())
    before = harness.kept()

    assert ada.send_notification("notifications/tasks/status", shown(status)).status == 202
    assert harness.kept() == before


@requirement("A-TREQ-2", "A-TREQ-3")
@pytest.mark.parametrize("answered", ["before", "meanwhile"])
def test_a_held_stream_ends_when_a_poll_is_due(harness: Harness, ada: Client, answered: str) -> None:
    task_id = suspended(ada)
    reply = wait(ada, task_id)
    (request,) = reply.input_requests

    def answer() -> None:
        ada.respond(request, made(pollInterval=5_000))

    answer() if answered == "before" else harness.while_waiting(answer)
    began, pauses = harness.clock.now(), harness.waiter.pauses
    (poll,) = ada.resume(reply.last_event_id).input_requests

    assert poll["method"] == "tasks/get"
    assert timedelta(seconds=5) <= harness.clock.now() - began <= timedelta(seconds=6)
    assert harness.waiter.pauses - pauses <= 6


@requirement("A-TREQ-2", "A-TREQ-6", "A-GET-3")
def test_a_held_listening_stream_ends_when_a_poll_is_due(harness: Harness, ada: Client) -> None:
    ada.result("resources/subscribe", uri="weather://now")
    task_id = suspended(ada)
    reply = listen(ada, task_id)
    ada.respond(reply.input_requests[0], made(pollInterval=5_000))
    began = harness.clock.now()
    reply = ada.resume(reply.last_event_id)

    assert [each["method"] for each in reply.input_requests] == []
    assert timedelta(seconds=5) <= harness.clock.now() - began <= timedelta(seconds=7)
    assert [each["method"] for each in ada.resume(reply.last_event_id).input_requests] == ["tasks/get"]


@requirement("A-TREQ-2")
def test_a_held_stream_asks_plainly_as_soon_as_that_is_due(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada)
    ada.respond(carried(ada, task_id), made())
    reply = ada.resume(wait(ada, task_id).last_event_id)
    (poll,) = reply.input_requests
    harness.while_waiting(lambda: ada.respond(poll, error={"code": -32601, "message": "?"}))
    began = harness.clock.now()

    (request,) = ada.resume(reply.last_event_id).input_requests

    assert request["method"] == "elicitation/create"
    assert harness.clock.now() - began <= timedelta(seconds=2)


@requirement("A-TREQ-2", "A-INP-6", "A-SSE-13")
@pytest.mark.parametrize("first", STREAMS)
@pytest.mark.parametrize("then", STREAMS)
def test_a_poll_is_sent_on_one_stream(harness: Harness, ada: Client, first: str, then: str) -> None:
    task_id = suspended(ada)
    ada.respond(carried(ada, task_id), made())
    harness.clock.advance(timedelta(seconds=1))

    replies = [STREAMS[stream](ada, task_id) for stream in (first, then, *STREAMS)]

    assert [len(reply.input_requests) for reply in replies] == [1, 0, 0, 0]


@requirement("A-TREQ-2", "A-SSE-10", "A-INP-6")
@pytest.mark.parametrize("stream", ["result", "listen"])
@pytest.mark.parametrize("step", ["poll", "fetch"])
def test_a_request_is_repeated_only_to_who_resumes_before_it(
    harness: Harness, ada: Client, stream: str, step: str
) -> None:
    task_id = suspended(ada)
    if step == "poll":
        ada.respond(carried(ada, task_id), made())
        harness.clock.advance(timedelta(seconds=1))
    else:
        ada.respond(polled(ada, task_id), shown("completed"))
    reply = STREAMS[stream](ada, task_id)

    again, after = ada.resume(str(reply.events[0].id)), ada.resume(reply.last_event_id)

    assert again.input_requests == reply.input_requests
    assert after.input_requests == []
    assert silent(ada, task_id)


@requirement("A-TREQ-2")
@pytest.mark.parametrize("step", ["poll", "fetch"])
def test_an_unanswered_request_is_sent_again_after_a_minute_and_the_first_response_is_late(
    harness: Harness, ada: Client, step: str
) -> None:
    task_id = suspended(ada)
    lost = polled(ada, task_id) if step == "poll" else fetched(ada, task_id)

    harness.clock.advance(timedelta(minutes=1) - MOMENT)
    assert silent(ada, task_id)

    harness.clock.advance(MOMENT)
    again = carried(ada, task_id, "result")
    assert (again["method"], again["params"]) == (lost["method"], lost["params"])
    assert again["id"] != lost["id"]

    before = harness.kept()
    assert ada.respond(lost, shown("failed") if step == "poll" else ROSE).status == 202
    assert harness.kept() == before


@requirement("A-TREQ-2", "A-CANC-3")
def test_an_input_request_whose_stream_was_abandoned_is_sent_task_augmented_on_the_next(
    harness: Harness, ada: Client
) -> None:
    task_id = suspended(ada)
    (first,) = ada.send_request("tasks/result", {"taskId": task_id}, id=50).input_requests
    ada.send_notification("notifications/cancelled", {"requestId": 50})
    second = carried(ada, task_id)

    # Only the first response can create a task, or there would be two to poll.
    assert ada.respond(second, made(taskId="one")).status == 202
    assert ada.respond(first, made(taskId="other")).status == 202

    harness.clock.advance(timedelta(seconds=1))
    assert (second, "task" in second["params"]) == (first, True)
    assert carried(ada, task_id)["params"] == {"taskId": "one"}


@requirement("A-TREQ-2", "A-INP-6")
def test_another_session_is_sent_a_request_of_its_own_and_its_task_is_polled_too(harness: Harness, ada: Client) -> None:
    other = receiver(harness)
    task_id = suspended(ada)
    mine, theirs = carried(ada, task_id), carried(other, task_id)
    ada.respond(mine, made(taskId="mine"))
    other.respond(theirs, made(taskId="theirs"))
    harness.clock.advance(timedelta(seconds=1))

    polls = [carried(client, task_id)["params"]["taskId"] for client in (ada, other)]

    assert polls == ["mine", "theirs"]


@requirement("A-TREQ-2", "A-SSE-14")
@pytest.mark.parametrize("stream", ["result", "listen"])
def test_event_ids_do_not_grow_with_the_number_of_polls(harness: Harness, ada: Client, stream: str) -> None:
    task_id = suspended(ada)
    reply = STREAMS[stream](ada, task_id)
    ada.respond(reply.input_requests[0], made())
    lengths: list[int] = []
    while len(lengths) < 30:
        harness.clock.advance(timedelta(seconds=20))
        reply = ada.resume(reply.last_event_id)
        for poll in reply.input_requests:
            lengths.append(max(len(event.id or "") for event in reply.events))
            ada.respond(poll, shown())

    assert lengths[-1] <= lengths[2] + 8


@requirement("A-TREQ-2", "A-INP-9")
def test_ids_are_short_enough_to_come_back_and_never_the_same(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada)
    requests = [carried(ada, task_id)]
    for answer in (made(), shown(), shown("completed")):
        ada.respond(requests[-1], answer)
        harness.clock.advance(timedelta(seconds=1))
        requests.append(carried(ada, task_id))

    ids = {each["id"] for each in requests}

    assert len(ids) == 4
    # An id of more than 256 characters is not read, and keys may have longer names than here.
    assert all(len(each) <= 240 for each in ids)


@requirement("A-TREQ-2")
def test_once_answered_nothing_more_is_asked(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada)
    ada.respond(fetched(ada, task_id), ROSE)

    assert result_text(ada, task_id) == "It is Rose."
    assert tasks_get(ada, task_id).streamed is False
    assert silent(ada, task_id)


@requirement("A-TREQ-3", "A-INP-6")
@pytest.mark.parametrize("step", ["tasks/get", "tasks/result"])
@pytest.mark.parametrize("stream", STREAMS)
def test_a_request_about_a_clients_task_that_was_read_and_not_answered_is_made_again_after_a_minute(
    harness: Harness, ada: Client, stream: str, step: str
) -> None:
    task_id = suspended(ada)
    ada.respond(carried(ada, task_id), made("working" if step == "tasks/get" else "completed"))
    harness.clock.advance(timedelta(seconds=1))
    opened, began = STREAMS[stream](ada, task_id), harness.clock.now()
    (request,) = opened.input_requests
    assert request["method"] == step

    assert ada.resume(opened.last_event_id).input_requests == []
    harness.clock.advance(began + timedelta(minutes=1) - MOMENT - harness.clock.now())
    assert silent(ada, task_id)
    harness.clock.advance(MOMENT)

    again = carried(ada, task_id)
    assert (again["method"], again["params"], again["id"] == request["id"]) == (step, request["params"], False)
