"""Sampling requests, and how their responses are read."""

from collections.abc import Mapping
from typing import Any

import pytest

from mcp_tasks import Audio, Image, Message, Sample, Sampled
from mcp_tasks.authoring.control_signals import BadInputResponse
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire.capabilities import REQUIRED, capability_needed
from tests.unit.contexts import sampled

HELLO = Sample("Hello", max_tokens=100)
TOOL = {"name": "weather", "inputSchema": {"type": "object"}}
USE = {"type": "tool_use", "id": "1", "name": "weather", "input": {}}
USE_TOO = USE | {"id": "2"}
RESULT = {"type": "tool_result", "toolUseId": "1", "content": []}
RESULT_TOO = RESULT | {"toolUseId": "2"}
TEXT = {"type": "text", "text": "so"}


def params(ask: Sample) -> Mapping[str, JSON]:
    input_request = ask.input_request("k")
    assert (input_request.key, input_request.method) == ("k", "sampling/createMessage")
    return input_request.params


def test_a_text_is_what_the_user_says_and_no_more_is_sent_than_was_given() -> None:
    assert params(HELLO) == {
        "messages": [{"role": "user", "content": {"type": "text", "text": "Hello"}}],
        "maxTokens": 100,
    }


def test_all_that_can_be_asked_is_sent_in_the_protocols_words() -> None:
    ask = Sample(
        "Hello",
        max_tokens=1,
        system_prompt="",
        temperature=0,
        stop_sequences=["."],
        tools=[TOOL],
        tool_choice={"mode": "auto"},
    )

    assert {name: value for name, value in params(ask).items() if name != "messages"} == {
        "maxTokens": 1,
        "systemPrompt": "",
        "temperature": 0,
        "stopSequences": ["."],
        "tools": [TOOL],
        "toolChoice": {"mode": "auto"},
    }


def test_several_messages_go_in_order_each_from_whom_it_is() -> None:
    ask = Sample(["One", Message("assistant", "Two"), Message("user", Image(b"3"))], max_tokens=1)

    assert params(ask)["messages"] == [
        {"role": "user", "content": {"type": "text", "text": "One"}},
        {"role": "assistant", "content": {"type": "text", "text": "Two"}},
        {"role": "user", "content": {"type": "image", "data": "Mw==", "mimeType": "image/png"}},
    ]


def test_one_message_need_not_be_a_list() -> None:
    assert params(Sample(Message("assistant", Audio(b"")), max_tokens=1)) == params(
        Sample([Message("assistant", Audio(b""))], max_tokens=1)
    )


@pytest.mark.parametrize(
    ("more", "needs"),
    [
        ({}, "sampling"),
        ({"system_prompt": "x", "temperature": 1.0}, "sampling"),
        ({"tools": [TOOL]}, "sampling.tools"),
        ({"tools": []}, "sampling.tools"),
        ({"tool_choice": {"mode": "none"}}, "sampling.tools"),
    ],
)
def test_tools_need_a_client_that_knows_them(more: dict[str, Any], needs: str) -> None:
    ask = Sample("Hello", max_tokens=1, **more)

    assert ask.needs == needs == capability_needed(ask.input_request("k"))
    assert needs in REQUIRED


@pytest.mark.parametrize(
    "messages",
    [
        ["a", Message("assistant", USE), Message("user", RESULT)],
        ["a", Message("assistant", [TEXT, USE, USE_TOO]), Message("user", [RESULT_TOO, RESULT]), "b"],
        [
            Message("assistant", [USE]),
            Message("user", [RESULT]),
            Message("assistant", [USE]),
            Message("user", [RESULT]),
        ],
    ],
)
def test_tools_that_a_model_used_have_their_results_behind_them(messages: Any) -> None:
    assert len(params(Sample(messages, max_tokens=1))["messages"]) == len(messages)


@pytest.mark.parametrize(
    "messages",
    [
        [Message("assistant", USE)],
        [Message("assistant", USE), "b"],
        [Message("assistant", USE), Message("user", TEXT), Message("user", RESULT)],
        [Message("assistant", USE), Message("user", [RESULT, TEXT])],
        [Message("assistant", USE), Message("user", RESULT_TOO)],
        [Message("assistant", [USE, USE_TOO]), Message("user", RESULT)],
        [Message("assistant", USE), Message("user", [RESULT, RESULT_TOO])],
        [Message("user", RESULT)],
        ["a", Message("user", [RESULT])],
        [Message("assistant", USE), Message("user", RESULT), Message("user", RESULT)],
    ],
)
def test_what_no_client_would_take_is_rejected_before_it_is_asked(messages: Any) -> None:
    with pytest.raises(ValueError, match="has their results and nothing else"):
        Sample(messages, max_tokens=1)


def test_what_the_model_said_is_its_text_and_where_it_is_from() -> None:
    answer = HELLO.read("k", sampled("Hello to you"))

    assert answer == Sampled(content=[{"type": "text", "text": "Hello to you"}], model="m-1", stop_reason="endTurn")
    assert answer.text == "Hello to you"


def test_only_the_texts_of_what_was_said_are_its_text() -> None:
    blocks = [
        {"type": "text", "text": "a"},
        {"type": "thought", "text": "hm"},
        USE,
        {**TEXT, "text": "b"},
    ]

    answer = HELLO.read("k", {"role": "assistant", "model": "m", "content": blocks})

    assert (answer.content, answer.text, answer.stop_reason) == (blocks, "ab", None)


def test_a_model_may_say_nothing() -> None:
    assert HELLO.read("k", sampled("") | {"content": []}).text == ""


@pytest.mark.parametrize("reason", [7, None, {"why": "x"}])
def test_a_reason_that_is_no_text_is_none(reason: JSON) -> None:
    assert HELLO.read("k", sampled("x") | {"stopReason": reason}).stop_reason is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"model": None},
        {"model": 7},
        {"content": None},
        {"content": "Hello"},
        {"content": {}},
        {"content": ["Hello"]},
        {"content": [[]]},
        {"content": [TEXT, None]},
        {"content": {"type": 7}},
        {"content": {"type": "text"}},
        {"content": {"type": "text", "text": None}},
        {"content": [TEXT, {"type": "text", "text": ["x"]}]},
        {"role": None},
        {"role": "system"},
        {"role": ["assistant"]},
    ],
)
def test_what_no_model_said_is_no_answer(wrong: dict[str, JSON]) -> None:
    with pytest.raises(BadInputResponse, match=f"^the answer to 'k' does not fit: {next(iter(wrong))} should be "):
        HELLO.read("k", sampled("x") | wrong)


@pytest.mark.parametrize("missing", ["role", "model", "content"])
def test_half_an_answer_is_none(missing: str) -> None:
    with pytest.raises(BadInputResponse):
        HELLO.read("k", {name: value for name, value in sampled("x").items() if name != missing})
