"""Responses are accepted from the caller whose task it is, in any session, and from nobody else."""

from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.security.tenancy import Caller
from tests.kit import BOB, EVE
from tests.protocol.harness import Harness
from tests.protocol.input_responses import MOON, accept
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client
from tests.protocol.rev_2025_11_25.input_requests.clients import ANSWERS, able, open_request, suspended, wait


@requirement("A-INP-10", "A-ELI-8", "A-SESS-8")
@pytest.mark.parametrize("stranger", [BOB, EVE])
@pytest.mark.parametrize("answer", [MOON, accept(title=7), {}])
def test_another_callers_input_request_and_none_are_byte_identical_responses(
    harness: Harness, ada: Client, stranger: Caller, answer: Any
) -> None:
    other = able(harness, stranger)
    task_id = suspended(ada)
    input_request = open_request(ada, task_id)
    before = harness.kept()

    replies = [other.respond(each, answer) for each in (input_request, {"id": "made-up"})]

    assert (replies[0].status, replies[0].headers, replies[0].body) == (400, replies[1].headers, replies[1].body)
    assert (replies[0].status, harness.kept()) == (replies[1].status, before)
    assert ada.respond(input_request, MOON).status == 202


@requirement("A-INP-10", "A-ELI-8", "A-SESS-5", "A-SESS-4")
def test_another_callers_session_is_rejected_even_with_the_right_id(harness: Harness, ada: Client) -> None:
    bob = able(harness, BOB)
    input_request = open_request(ada, suspended(ada))
    before = harness.kept()

    stolen = bob.post({"jsonrpc": "2.0", "id": input_request["id"], "result": MOON}, **ada.headers)
    lost = ada.post({"jsonrpc": "2.0", "id": input_request["id"], "result": MOON}, mcp_session_id=None)

    assert (stolen.status, lost.status, harness.kept()) == (404, 400, before)


@requirement("A-INP-10", "A-ELI-8")
def test_any_session_of_the_caller_who_was_asked_can_answer(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada)
    input_request = open_request(ada, task_id)
    ada.send("DELETE")
    later = able(harness)

    assert later.respond(input_request, MOON).status == 202
    assert open_request(later, task_id)["params"]["message"] == "Publish 'Moon'?"


@requirement("A-INP-9", "A-SSE-17")
def test_an_id_with_any_change_is_rejected(harness: Harness, ada: Client) -> None:
    id = open_request(ada, suspended(ada))["id"]
    before = harness.kept()

    for at in range(0, len(id), 5):
        changed = id[:at] + ("A" if id[at] != "A" else "B") + id[at + 1 :]
        assert ada.respond({"id": changed}, MOON).status == 400

    assert harness.kept() == before


@requirement("A-INP-9", "A-SSE-17", "A-PAG-2")
def test_a_request_id_is_no_event_id_and_no_cursor_and_neither_of_them_is_a_request_id(
    harness: Harness, ada: Client
) -> None:
    harness.change(page_size=1)
    reply = wait(ada, suspended(ada))
    cursor = ada.result("tools/list")["nextCursor"]
    before = harness.kept()

    assert [ada.respond({"id": each}, MOON).status for each in (cursor, reply.last_event_id)] == [400, 400]
    assert ada.resume(reply.input_requests[0]["id"]).status == 405
    assert ada.error("tools/list", cursor=reply.input_requests[0]["id"])["code"] == -32602
    assert harness.kept() == before


@requirement("A-TASK-5", "A-ELI-1")
def test_who_cannot_answer_is_not_kept_waiting_for_somebody_who_can(harness: Harness, ada: Client) -> None:
    task_id = ada.start("publish", topic="tides")
    harness.run(task_id)
    began = harness.clock.now()

    sent = able(harness, capabilities={}).call("task_result", task_id=task_id)["content"][0]["text"]

    assert sent.startswith(
        "publish is waiting for an answer from its user (A title for a draft of tides?). This is not a failure"
    )
    assert harness.clock.now() - began == timedelta(seconds=3)


@requirement("A-INP-6", "A-TASK-5")
def test_a_call_whose_input_request_is_known_waits_until_it_can_be_asked(harness: Harness) -> None:
    ada = able(harness, capabilities=ANSWERS)
    harness.idle = True
    reply = ada.send_request("tools/call", {"name": "introduce"})
    (task_id,) = harness.executor.started
    began = harness.clock.now()
    harness.while_waiting(*[lambda: None] * 9, lambda: harness.run(task_id))

    resumed = ada.resume(reply.last_event_id)

    assert len(resumed.input_requests) == 1
    assert harness.clock.now() - began >= timedelta(seconds=9)
