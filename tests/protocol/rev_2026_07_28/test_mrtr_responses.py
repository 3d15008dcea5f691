"""Input responses in MRTR: missing, unknown and invalid ones."""

from typing import Any

import pytest

from mcp_tasks import Message
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import Client
from tests.protocol.rev_2026_07_28.responses import FRIDAY, INTERVIEW, ZOE, accept, text

ROME = {"to": "Rome"}


@requirement("B-MRTR-8")
@pytest.mark.parametrize("first", [["name"], ["word", "look"], ["folders", "look", "name"], []])
def test_what_was_not_answered_is_asked_again_and_what_was_is_not(ada: Client, first: list[str]) -> None:
    pending = ada.call("interview")
    some = {key: INTERVIEW[key] for key in first}
    rest = {key: answer for key, answer in INTERVIEW.items() if key not in first}

    again = ada.retry(pending, "interview", **some)

    assert again["inputRequests"] == {key: pending["inputRequests"][key] for key in rest}
    assert text(ada.retry(again, "interview", **rest)).startswith("Zoë: Splendid")


@requirement("B-MRTR-8")
@pytest.mark.parametrize("answers", [{}, None, {"nme": ZOE}, {"when": FRIDAY, "": {}}])
def test_without_its_answer_an_input_request_is_asked_again(ada: Client, answers: Any) -> None:
    pending = ada.call("introduce")

    again = ada.result(
        "tools/call", name="introduce", arguments={}, requestState=pending["requestState"], inputResponses=answers
    )

    assert again["inputRequests"] == pending["inputRequests"]


@requirement("B-MRTR-8")
def test_answers_that_nobody_asked_for_are_ignored_and_forgotten(ada: Client) -> None:
    pending = ada.result("tools/call", name="book", arguments=ROME, inputResponses={"when": FRIDAY, "x": {}})

    again = ada.retry(pending, "book", ROME, who=ZOE, y={"action": "shout"})

    assert (list(pending["inputRequests"]), list(again["inputRequests"])) == (["who"], ["when"])


@requirement("B-MRTR-8", "B-ELI-2")
@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (accept(name="Z"), "name"),
        (accept(name=7), "name"),
        (accept(name=None), "name"),
        (accept(), "name is missing"),
        ({"action": "accept"}, "name is missing"),
        ({"action": "accept", "content": ["Zoë"]}, "content"),
        ({"action": "agree"}, "action"),
        ({"action": None}, "action"),
        ({}, "action"),
        ({"result": ZOE}, "action"),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": "no"}}, "action"),
        ({"method": "elicitation/create"}, "action"),
        (12345, "object"),
        ("Zoë", "object"),
        ([ZOE], "object"),
        (None, "object"),
    ],
)
def test_a_wrong_answer_is_rejected_and_can_be_put_right(
    harness: Harness, ada: Client, answer: Any, complaint: str
) -> None:
    pending = ada.call("introduce")
    call = {"name": "introduce", "arguments": {}, "requestState": pending["requestState"]}
    before = harness.kept()

    error = ada.error("tools/call", **call, inputResponses={"name": answer})

    assert (error["code"], "name" in error["message"], complaint in error["message"]) == (-32602, True, True)
    assert harness.kept() == before
    assert text(ada.retry(pending, "introduce", name=ZOE)) == "Hello, Zoë!"


@requirement("B-MRTR-8")
def test_a_wrong_answer_does_not_stay_once_another_was_given(ada: Client) -> None:
    who = ada.call("book", to="Rome")
    when = ada.retry(who, "book", ROME, who=ZOE)

    assert text(ada.retry(when, "book", ROME, who=accept(name="Ann"), when=FRIDAY)).startswith("Ann to Rome")


@requirement("B-MRTR-8")
@pytest.mark.parametrize("answers", [[], "Zoë", 7, True])
def test_answers_that_are_no_object_are_rejected(ada: Client, answers: Any) -> None:
    error = ada.error("tools/call", name="introduce", inputResponses=answers)

    assert (error["code"], "inputResponses" in error["message"]) == (-32602, True)


@requirement("B-MRTR-2")
@pytest.mark.parametrize("method", ["server/discover", "tools/list", "prompts/list", "resources/list"])
def test_answers_mean_nothing_elsewhere(ada: Client, method: str) -> None:
    assert ada.result(method, inputResponses={"name": 7}, requestState="forged") == ada.result(method)


@requirement("B-MRTR-8", "B-TASK-3")
def test_answers_that_nobody_asked_for_hinder_no_task(ada: Client) -> None:
    call = {"name": "ponder", "arguments": {"question": "why?"}}

    assert ada.result("tools/call", **call, inputResponses={"x": ZOE})["resultType"] == "task"


@requirement("B-MRTR-6", "B-TASK-3")
def test_a_forged_request_state_is_rejected_for_a_tool_that_is_a_task(harness: Harness, ada: Client) -> None:
    call = {"name": "ponder", "arguments": {"question": "why?"}}
    before = harness.kept()

    error = ada.error("tools/call", **call, requestState="forged")

    assert (error["code"], "requestState" in error["message"], harness.kept()) == (-32602, True, before)


@requirement("B-PRM-1", "B-MRTR-8")
def test_a_prompt_with_a_wrong_answer_can_be_put_right(ada: Client) -> None:
    toast = {"name": "toast", "arguments": {"occasion": "spring"}}

    error = ada.error("prompts/get", **toast, inputResponses={"to": accept(name="")})

    assert (error["code"], "'to'" in error["message"]) == (-32602, True)
    assert ada.result("prompts/get", **toast, inputResponses={"to": {"action": "cancel"}})["messages"] == [
        Message("user", "A toast to nobody, for spring.").shown
    ]
