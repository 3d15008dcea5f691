"""Input responses, POSTed: which are accepted, and how often."""

from itertools import permutations
from typing import Any

import pytest

from tests.protocol.harness import Harness
from tests.protocol.input_responses import CONVENED, DECLINE, HOME, MOON, accept
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client
from tests.protocol.rev_2025_11_25.input_requests.clients import able, open_request, status, suspended, wait

ERROR_RESPONSE = {"code": -1, "message": "The user said no."}


def text_and_error(ada: Client, task_id: str) -> tuple[str, bool]:
    """Return the text of a task's result, and whether it is an error."""
    result = ada.result("tasks/result", taskId=task_id)
    return result["content"][0]["text"], result["isError"]


@requirement("A-INP-4", "A-HTTP-5", "A-HTTP-6")
def test_an_answer_is_taken_and_lets_the_tool_go_on(ada: Client) -> None:
    task_id = suspended(ada)

    reply = ada.respond(open_request(ada, task_id), MOON)

    assert (reply.status, reply.body) == (202, "")
    assert open_request(ada, task_id)["params"]["message"] == "Publish 'Moon'?"


@requirement("A-ELI-4", "A-INP-4")
@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (DECLINE, "Declined"),
        ({"action": "decline", "content": {"title": 7}}, "Declined"),
        ({"action": "cancel"}, "Cancelled"),
        ({"action": "cancel", "content": None, "_meta": {"com.example/x": 1}}, "Cancelled"),
    ],
)
def test_a_user_may_decline_or_go_away(ada: Client, answer: Any, outcome: str) -> None:
    task_id = suspended(ada)

    assert ada.respond(open_request(ada, task_id), answer).status == 202
    assert text_and_error(ada, task_id) == (f"a draft of tides stays in the drawer: {outcome}", False)


@requirement("A-INP-4", "A-BASE-7")
def test_an_answer_may_name_the_task_or_another_and_goes_where_its_id_says(ada: Client) -> None:
    meant, other = suspended(ada), suspended(ada)
    input_request = open_request(ada, meant)

    ada.respond(input_request, {**MOON, "_meta": {"io.modelcontextprotocol/related-task": {"taskId": other}}})

    assert [open_request(ada, each)["params"]["message"] for each in (meant, other)] == [
        "Publish 'Moon'?",
        "A title for a draft of tides?",
    ]


@requirement("A-INP-9")
@pytest.mark.parametrize(
    "again",
    [{"result": MOON}, {"result": accept(title="Sun")}, {"result": accept(title=7)}, {"error": ERROR_RESPONSE}],
)
@pytest.mark.parametrize("idle", [True, False])
def test_the_first_answer_stays_and_others_do_no_harm(harness: Harness, ada: Client, again: Any, idle: bool) -> None:
    harness.idle = idle
    task_id = suspended(ada)
    input_request = open_request(ada, task_id)
    ada.respond(input_request, MOON)
    before = harness.stored()

    replies = [ada.post({"jsonrpc": "2.0", "id": input_request["id"], **again}) for _ in range(3)]

    assert [(reply.status, reply.body) for reply in replies] == [(202, "")] * 3
    assert harness.stored() == before
    if idle:
        harness.run(task_id)
    assert open_request(ada, task_id)["params"]["message"] == "Publish 'Moon'?"


@requirement("A-INP-9", "A-TASK-12")
@pytest.mark.parametrize("end", ["completed", "cancelled"])
def test_an_answer_that_comes_after_the_end_changes_nothing(harness: Harness, ada: Client, end: str) -> None:
    task_id = suspended(ada)
    input_request = open_request(ada, task_id)
    ada.respond(input_request, DECLINE) if end == "completed" else ada.result("tasks/cancel", taskId=task_id)
    before = harness.stored()

    reply = ada.respond(input_request, MOON)

    assert (reply.status, harness.stored(), status(ada, task_id)) == (202, before, end)


@requirement("A-ELI-4", "A-INP-9", "A-HTTP-7")
@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (accept(title="M"), "title should be at least 2 characters long"),
        (accept(title=7), "title should be a text, not 7"),
        (accept(), "title is missing"),
        (accept(title="Moon", public="yes"), "public should be true or false"),
        ({"action": "accept"}, "title is missing"),
        ({"action": "accept", "content": None}, "title is missing"),
        ({"action": "accept", "content": ["Moon"]}, "content should be an object"),
        ({"action": "agree", "content": {"title": "Moon"}}, "action should be accept, decline or cancel"),
        ({"action": ["accept"]}, "action"),
        ({}, "action"),
        ({"task": {"taskId": "x", "status": "working"}}, "action"),
    ],
)
def test_an_invalid_response_leaves_the_input_request_open_which_is_sent_again_with_the_reason(
    harness: Harness, ada: Client, answer: Any, complaint: str
) -> None:
    task_id = suspended(ada)
    input_request = open_request(ada, task_id)
    before = harness.stored()

    # The Python client 1.30 takes any other status for the end of its session.
    assert (ada.respond(input_request, answer).status, harness.stored()) == (202, before)
    anew = open_request(ada, task_id)["params"]["message"]
    assert anew.startswith(input_request["params"]["message"] + "\n\nThe last answer did not fit: ")
    assert complaint in anew
    assert status(ada, task_id) == "input_required"
    assert ada.respond(input_request, MOON).status == 202
    assert status(ada, task_id) != "input_required" or wait(ada, task_id).input_requests


@requirement("A-ELI-4", "A-INP-9", "A-INP-6")
def test_it_is_sent_again_as_another_request_on_the_same_stream(ada: Client) -> None:
    task_id = suspended(ada)
    reply = wait(ada, task_id)
    ada.respond(reply.input_requests[0], accept(title=7))

    anew = ada.resume(reply.last_event_id)

    (input_request,) = anew.input_requests
    assert input_request["id"] != reply.input_requests[0]["id"]
    assert input_request["params"]["requestedSchema"] == reply.input_requests[0]["params"]["requestedSchema"]
    assert input_request["params"]["_meta"] == reply.input_requests[0]["params"]["_meta"]
    assert ada.resume(anew.last_event_id).input_requests == []
    assert ada.respond(input_request, MOON).status == 202


@requirement("A-ELI-4", "A-INP-9")
def test_an_invalid_response_that_comes_twice_repeats_the_request_once(ada: Client) -> None:
    task_id = suspended(ada)
    first = open_request(ada, task_id)
    ada.respond(first, accept(title=7))
    second = open_request(ada, task_id)

    again = ada.respond(first, accept(title=7))

    assert (again.status, wait(ada, task_id).input_requests) == (202, [])
    assert ada.respond(second, MOON).status == 202


@requirement("A-INP-8", "A-SAM-3")
@pytest.mark.parametrize("code", [-1, -32601, -32602, -32603, 0, 7])
def test_an_error_is_an_answer_that_a_tool_can_do_without(ada: Client, code: int) -> None:
    task_id = suspended(ada, "muse")

    reply = ada.respond(open_request(ada, task_id), error={"code": code, "message": "not now", "data": {"more": [1]}})

    assert (reply.status, text_and_error(ada, task_id)) == (202, (f"silence, since 'not now' ({code})", False))


@requirement("A-INP-8", "A-TASK-30")
def test_a_tool_that_cannot_fails_with_what_the_client_said(ada: Client) -> None:
    task_id = suspended(ada)

    assert ada.respond(open_request(ada, task_id), error=ERROR_RESPONSE).status == 202
    assert text_and_error(ada, task_id) == (
        "The client answered 'title' with an error: The user said no. (code -1).",
        True,
    )
    assert status(ada, task_id) == "failed"


@requirement("A-INP-8", "A-HTTP-7")
@pytest.mark.parametrize(
    "error", [{}, {"code": -1}, {"message": "no"}, {"code": "-1", "message": "no"}, {"code": -1.5, "message": "no"}]
)
def test_an_invalid_error_object_is_rejected(harness: Harness, ada: Client, error: Any) -> None:
    task_id = suspended(ada)
    input_request = open_request(ada, task_id)
    before = harness.stored()

    assert (ada.respond(input_request, error=error).status, harness.stored()) == (202, before)
    assert "an error has a code" in open_request(ada, task_id)["params"]["message"]
    assert ada.respond(input_request, MOON).status == 202


@requirement("A-INP-1", "A-INP-4")
@pytest.mark.parametrize("order", list(permutations(CONVENED)))
def test_answers_may_come_one_by_one_in_any_order(ada: Client, order: tuple[str, ...]) -> None:
    task_id = suspended(ada, "convene")
    by_key = dict(zip(CONVENED, wait(ada, task_id).input_requests, strict=True))

    statuses = []
    for key in order:
        assert ada.respond(by_key[key], CONVENED[key]).status == 202
        statuses.append(status(ada, task_id))

    assert statuses == ["input_required", "input_required", "completed"]
    assert text_and_error(ada, task_id) == ("Moon: Splendid [file:///home]", False)


@requirement("A-INP-1", "A-INP-6", "A-SSE-10")
def test_what_is_left_to_answer_is_asked_of_who_comes_later(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada, "convene")
    title, _, folders = wait(ada, task_id).input_requests
    ada.respond(title, MOON)
    ada.respond(folders, HOME)

    (left,) = wait(able(harness), task_id).input_requests

    assert left["method"] == "sampling/createMessage"


@requirement("A-INP-4", "A-TASK-35")
def test_an_answer_is_kept_while_the_executor_is_down(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada)
    input_request = open_request(ada, task_id)
    harness.executor.down = True

    assert ada.respond(input_request, MOON).status == 202
    assert status(ada, task_id) == "working"
    harness.executor.down = False
    harness.run(task_id)
    assert open_request(ada, task_id)["params"]["message"] == "Publish 'Moon'?"
