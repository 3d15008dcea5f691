"""Input requests other than forms: URLs, sampling and roots; and their responses."""

from typing import Any

import pytest

from mcp_tasks import ElicitUrl, Message, Sample
from tests.protocol.call_input_tools import HAMMER
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import CAPABILITIES, Client
from tests.protocol.rev_2026_07_28.responses import SAMPLED, only_key, text

USED = {"type": "tool_use", "id": "t1", "name": "hammer", "input": {}}
RESULT = {"type": "tool_result", "toolUseId": "t1", "content": [{"type": "text", "text": "bang"}]}


@requirement("B-META-9", "B-ELI-1", "B-MRTR-4")
@pytest.mark.parametrize("elicitation", [{}, {"form": {}}, {"form": {}, "url": {}}])
def test_to_declare_elicitation_alone_is_to_declare_forms(ada: Client, elicitation: dict[str, Any]) -> None:
    meta = {CAPABILITIES: {"elicitation": elicitation}}

    form = ada.send_request("tools/call", {"name": "introduce"}, meta=meta)
    url = ada.send_request("tools/call", {"name": "connect"}, meta=meta)

    assert form.message["result"]["resultType"] == "input_required"
    assert url.status == (200 if "url" in elicitation else 400)


@requirement("B-MRTR-4", "B-META-5")
@pytest.mark.parametrize(
    ("declared", "outcome"),
    [({"elicitation": {}}, None), ({}, "no elicitation.form"), ({"elicitation": {"url": {}}}, "no elicitation.form")],
)
def test_a_tool_may_do_without(ada: Client, declared: dict[str, Any], outcome: str | None) -> None:
    result = ada.send_request("tools/call", {"name": "adapt"}, meta={CAPABILITIES: declared}).message["result"]

    assert result["resultType"] == ("complete" if outcome else "input_required")
    assert outcome is None or result["content"][0]["text"] == outcome


@requirement("B-ELI-1", "B-MRTR-3")
def test_a_url_is_asked_without_an_id(ada: Client) -> None:
    pending = ada.call("connect")

    assert pending["inputRequests"][only_key(pending)] == {
        "method": "elicitation/create",
        "params": {"mode": "url", "message": "Please sign in.", "url": "https://login.example/a?b=c"},
    }


@requirement("B-ELI-1", "B-ELI-2")
@pytest.mark.parametrize(
    ("action", "outcome"), [("accept", "Accepted"), ("decline", "Declined"), ("cancel", "Cancelled")]
)
def test_its_outcome_is_what_the_client_says(ada: Client, action: str, outcome: str) -> None:
    pending = ada.call("connect")

    assert text(ada.retry(pending, "connect", **{only_key(pending): {"action": action}})) == outcome


@requirement("B-ELI-1")
@pytest.mark.parametrize("url", ["", "login.example", "https://", "/relative", "mailto:a@b.example"])
def test_a_url_that_no_client_can_open_is_not_sent(url: str) -> None:
    with pytest.raises(ValueError, match="needs a URL with http or https and a host"):
        ElicitUrl("Please sign in.", url)


@requirement("B-SAM-1", "B-MRTR-3")
def test_a_model_is_given_messages_and_tools(ada: Client) -> None:
    pending = ada.call("build")

    assert pending["inputRequests"]["next"] == {
        "method": "sampling/createMessage",
        "params": {
            "messages": [
                {"role": "user", "content": {"type": "text", "text": "Build something."}},
                {"role": "assistant", "content": [USED]},
                {"role": "user", "content": [RESULT]},
            ],
            "maxTokens": 10,
            "tools": [HAMMER],
        },
    }
    assert text(ada.retry(pending, "build", next=SAMPLED)) == "Splendid"


@requirement("B-SAM-1", "B-MRTR-4")
def test_without_its_capability_no_model_is_given_tools(ada: Client) -> None:
    reply = ada.send_request("tools/call", {"name": "build"}, meta={CAPABILITIES: {"sampling": {}}})

    assert reply.error["data"] == {"requiredCapabilities": {"sampling": {"tools": {}}}}


@requirement("B-SAM-1")
@pytest.mark.parametrize(
    "messages",
    [
        [Message("assistant", [USED])],
        [Message("assistant", [USED]), "And then?"],
        [Message("assistant", [USED]), Message("user", [RESULT, {"type": "text", "text": "And then?"}])],
        [Message("assistant", [USED]), Message("user", [{**RESULT, "toolUseId": "t2"}])],
        [Message("assistant", [USED, {**USED, "id": "t2"}]), Message("user", [RESULT])],
        [Message("user", [RESULT])],
    ],
)
def test_a_tool_that_a_model_used_needs_its_result_and_nothing_else(messages: Any) -> None:
    with pytest.raises(ValueError, match="results and nothing else"):
        Sample(messages, max_tokens=10)


@requirement("B-SAM-1", "B-MRTR-10")
def test_a_model_may_say_several_things(ada: Client) -> None:
    sampled = {**SAMPLED, "content": [{"type": "text", "text": "A "}, USED, {"type": "text", "text": "roof"}]}

    assert text(ada.retry(ada.call("build"), "build", next=sampled)) == "A roof"


@requirement("B-SAM-1", "B-MRTR-8")
@pytest.mark.parametrize(
    "sampled",
    [
        {},
        {**SAMPLED, "model": None},
        {**SAMPLED, "content": "Splendid"},
        {**SAMPLED, "content": None},
        {**SAMPLED, "content": [{"text": "Splendid"}]},
        {"error": {"code": -1, "message": "The user rejected it."}},
    ],
)
def test_what_no_model_says_is_rejected(ada: Client, sampled: Any) -> None:
    pending = ada.call("build")
    call = {"name": "build", "arguments": {}, "requestState": pending["requestState"]}

    error = ada.error("tools/call", **call, inputResponses={"next": sampled})

    assert (error["code"], "'next'" in error["message"]) == (-32602, True)


@requirement("B-ROOT-1", "B-MRTR-3")
def test_folders_are_asked_for_as_all_else_is(ada: Client) -> None:
    pending = ada.call("wander")
    roots = [{"uri": "file:///home/ada", "name": "home"}, {"uri": "file:///srv"}]

    assert pending["inputRequests"][only_key(pending)] == {"method": "roots/list", "params": {}}
    assert text(ada.retry(pending, "wander", **{only_key(pending): {"roots": roots}})) == (
        "there with [Root(uri='file:///home/ada', name='home'), Root(uri='file:///srv', name=None)]"
    )


@requirement("B-ROOT-1", "B-MRTR-8")
@pytest.mark.parametrize("answer", [{}, {"roots": None}, {"roots": {}}, {"roots": ["file:///a"]}, {"roots": [{}]}])
def test_what_are_no_folders_is_rejected(ada: Client, answer: Any) -> None:
    pending = ada.call("wander")
    call = {"name": "wander", "arguments": {}, "requestState": pending["requestState"]}

    error = ada.error("tools/call", **call, inputResponses={only_key(pending): answer})

    assert (error["code"], repr(only_key(pending)) in error["message"]) == (-32602, True)
