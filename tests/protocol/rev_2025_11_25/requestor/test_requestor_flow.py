"""An input request that a client runs as a task: polled and fetched, whatever streams the client opens."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

import pytest

from mcp_tasks.tasks.model import InputRequest
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client
from tests.protocol.rev_2025_11_25.requestor.receiver import (
    ELICITATION,
    RELATED,
    ROSE,
    SAMPLED,
    SAMPLING,
    STREAMS,
    able,
    carried,
    fetched,
    listen,
    made,
    polled,
    result_text,
    shown,
    silent,
    suspended,
    wait,
)

NAME: Final = InputRequest(
    key="name",
    method="elicitation/create",
    params={"mode": "form", "message": "?", "requestedSchema": {"type": "object", "properties": {}}},
)


@requirement("A-TREQ-1", "A-TASK-8")
@pytest.mark.parametrize(
    ("requests", "requested"),
    [
        ({}, {"elicitation/create": False, "sampling/createMessage": False}),
        (ELICITATION, {"elicitation/create": True, "sampling/createMessage": False}),
        (SAMPLING, {"elicitation/create": False, "sampling/createMessage": True}),
        ({**ELICITATION, **SAMPLING}, {"elicitation/create": True, "sampling/createMessage": True}),
        ({"elicitation": {}, "sampling": True}, {"elicitation/create": False, "sampling/createMessage": False}),
    ],
)
@pytest.mark.parametrize("stream", STREAMS)
def test_an_input_request_is_task_augmented_only_where_it_was_declared(
    harness: Harness, requests: Mapping[str, Any], requested: Mapping[str, bool], stream: str
) -> None:
    client = able(harness, requests)
    task_id = suspended(client, "converse")

    sent = STREAMS[stream](client, task_id).input_requests

    assert {each["method"]: "task" in each["params"] for each in sent} == requested
    assert all(each["params"]["_meta"] == {RELATED: {"taskId": task_id}} for each in sent)


@requirement("A-TREQ-1")
def test_folders_are_never_asked_for_as_a_task(harness: Harness) -> None:
    client = able(harness, {"roots": {"list": {}}, **ELICITATION})

    assert "task" not in carried(client, suspended(client, "wander"))["params"]


@requirement("A-TREQ-1")
def test_the_task_is_to_live_as_long_as_the_input_request_waits(harness: Harness, ada: Client) -> None:
    task_id = ada.start("hurry")
    harness.clock.advance(timedelta(seconds=45))
    harness.run(task_id)
    harness.clock.advance(timedelta(seconds=45))
    reply = wait(ada, task_id)
    harness.clock.advance(timedelta(seconds=10))
    repeated = ada.resume(str(reply.events[0].id))

    assert [each["params"]["task"] for each in reply.input_requests] == [{"ttl": 60_000}]
    assert repeated.input_requests == reply.input_requests


@requirement("A-TREQ-1")
def test_an_input_request_whose_deadline_has_passed_requests_a_ttl_of_zero(harness: Harness, ada: Client) -> None:
    task_id = ada.start("christen")
    harness.clock.advance(timedelta(hours=24) - timedelta(minutes=4))
    # A run would not begin so late: its task is over by then.
    harness.request_input(task_id, NAME)

    assert carried(ada, task_id)["params"]["task"] == {"ttl": 0}


@requirement("A-TREQ-1", "A-TREQ-2")
def test_the_input_request_of_a_plain_call_is_task_augmented_too_and_the_call_continues_on_its_stream(
    harness: Harness, ada: Client
) -> None:
    reply = ada.send_request("tools/call", {"name": "christen"})
    (request,) = reply.input_requests
    ada.respond(request, made())
    reply = ada.resume(reply.last_event_id)
    (poll,) = reply.input_requests
    ada.respond(poll, shown("completed"))
    reply = ada.resume(reply.last_event_id)
    (fetch,) = reply.input_requests
    ada.respond(fetch, ROSE)

    answer, _ = ada.follow(reply)

    assert "task" in request["params"]
    assert "_meta" not in request["params"]
    assert [poll["method"], fetch["method"]] == ["tasks/get", "tasks/result"]
    assert answer["result"]["content"][0]["text"] == "It is Rose."


@requirement("A-TREQ-2", "A-TREQ-5", "A-TASK-41")
def test_the_whole_exchange_on_the_stream_that_waits_for_the_result(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada)
    reply = wait(ada, task_id)
    sent = list(reply.input_requests)
    for answer in (made(), shown(), shown("input_required"), shown("completed"), ROSE):
        assert ada.respond(sent[-1], answer).status == 202
        reply = ada.resume(reply.last_event_id)
        sent += reply.input_requests

    answer, _ = ada.follow(reply)

    assert [each["method"] for each in sent] == ["elicitation/create", *["tasks/get"] * 3, "tasks/result"]
    assert [each["params"] for each in sent[1:]] == [{"taskId": "client-1"}] * 4
    assert len({each["id"] for each in sent}) == 5
    assert answer["result"]["content"][0]["text"] == "It is Rose."


@requirement("A-TREQ-2", "A-TREQ-3", "A-GET-3")
@pytest.mark.parametrize("stream", STREAMS)
def test_each_kind_of_stream_is_enough_for_the_whole_exchange(harness: Harness, ada: Client, stream: str) -> None:
    task_id = suspended(ada)
    methods = []
    for answer in (made(), shown(), shown("completed"), ROSE):
        request = carried(ada, task_id, stream)
        methods.append(request["method"])
        assert ada.respond(request, answer).status == 202
        harness.clock.advance(timedelta(seconds=1))

    assert methods == ["elicitation/create", "tasks/get", "tasks/get", "tasks/result"]
    assert result_text(ada, task_id) == "It is Rose."
    assert silent(ada, task_id)


@requirement("A-TREQ-2", "A-GET-3")
def test_one_stream_to_listen_on_brings_all_of_it(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada)
    reply = listen(ada, task_id)
    methods = []
    for answer in (made(), shown(), shown("completed"), ROSE):
        (request,) = reply.input_requests
        methods.append(request["method"])
        ada.respond(request, answer)
        harness.clock.advance(timedelta(seconds=5))
        reply = ada.resume(reply.last_event_id)

    assert methods == ["elicitation/create", "tasks/get", "tasks/get", "tasks/result"]
    assert reply.input_requests == []
    assert result_text(ada, task_id) == "It is Rose."


@requirement("A-TREQ-2")
def test_two_input_requests_are_two_tasks_of_the_client(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada, "converse")
    reply = wait(ada, task_id)
    name, word = reply.input_requests
    ada.respond(name, made(taskId="name"))
    ada.respond(word, made(taskId="word"))
    reply = ada.resume(reply.last_event_id)
    for poll in reply.input_requests:
        ada.respond(poll, shown("completed", taskId=poll["params"]["taskId"]))
    for fetch in ada.resume(reply.last_event_id).input_requests:
        ada.respond(fetch, {"name": ROSE, "word": SAMPLED}[fetch["params"]["taskId"]])

    assert result_text(ada, task_id) == "Rose: Ah"


@requirement("A-TREQ-4")
@pytest.mark.parametrize("status", ["working", "input_required", "completed", "failed", "cancelled"])
def test_a_task_of_the_clients_may_begin_in_any_state(harness: Harness, ada: Client, status: str) -> None:
    task_id = suspended(ada)

    assert ada.respond(carried(ada, task_id), made(status)).status == 202

    harness.clock.advance(timedelta(seconds=1))
    next_one = "tasks/get" if status in ("working", "input_required") else "tasks/result"
    assert carried(ada, task_id)["method"] == next_one


@requirement("A-TREQ-2", "A-TREQ-4")
@pytest.mark.parametrize("status", ["completed", "failed", "cancelled"])
def test_a_task_that_ended_is_fetched_at_once_however_it_ended(harness: Harness, ada: Client, status: str) -> None:
    task_id = suspended(ada)

    ada.respond(polled(ada, task_id), shown(status))

    assert carried(ada, task_id)["method"] == "tasks/result"


@requirement("A-TREQ-5")
@pytest.mark.parametrize("meta", [{}, {"_meta": {RELATED: {"taskId": "client-1"}}}, {"_meta": {RELATED: 7}}])
def test_what_was_fetched_may_name_the_clients_task(harness: Harness, ada: Client, meta: Mapping[str, Any]) -> None:
    task_id = suspended(ada)

    assert ada.respond(fetched(ada, task_id), {**ROSE, **meta}).status == 202
    assert result_text(ada, task_id) == "It is Rose."


@requirement("A-TREQ-2")
@pytest.mark.parametrize(("answer", "text"), [(ROSE, "It is Rose."), ({"action": "cancel"}, "Cancelled")])
def test_a_client_may_respond_at_once_although_a_task_was_requested(
    harness: Harness, ada: Client, answer: Mapping[str, Any], text: str
) -> None:
    task_id = suspended(ada)
    request = carried(ada, task_id)

    assert ada.respond(request, answer).status == 202
    assert "task" in request["params"]
    assert result_text(ada, task_id) == text
    assert silent(ada, task_id)
