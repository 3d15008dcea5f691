"""Prompts, and the completion of their arguments."""

import base64
from typing import Any

import pytest

from tests.kit import BOB
from tests.protocol.harness import Harness
from tests.protocol.prompts_and_resources import PEOPLE, PICTURE, SOUND
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import Client

GREETING = {"type": "ref/prompt", "name": "greeting"}
ARCHIVE = {"type": "ref/resource", "uri": "archive://{year}/{name}"}


@requirement("B-PRM-1")
def test_a_prompt_is_shown_with_its_arguments(ada: Client) -> None:
    shown = ada.list_all("prompts/list")

    assert shown[0] == {
        "name": "greeting",
        "title": "Greeting",
        "description": "Greet somebody.",
        "arguments": [{"name": "name", "required": True}, {"name": "tone", "required": False}],
    }
    assert [each["name"] for each in shown] == ["greeting", "Résumé", "serenade", "quarrel", "toast"]


@requirement("B-PRM-1", "B-RT-1")
def test_a_prompt_is_messages(ada: Client) -> None:
    assert ada.result("prompts/get", name="greeting", arguments={"name": "Zoë", "tone": "cool"}) == {
        "resultType": "complete",
        "description": "Greet somebody.",
        "messages": [{"role": "user", "content": {"type": "text", "text": "Say something cool to Zoë."}}],
    }


@requirement("B-PRM-1")
def test_a_prompt_may_be_of_pictures_sounds_and_resources(ada: Client) -> None:
    about, remark, picture = ada.result("prompts/get", name="Résumé")["messages"]
    (song,) = ada.result("prompts/get", name="serenade")["messages"]

    assert [message["role"] for message in (about, remark, picture)] == ["user", "assistant", "user"]
    assert about["content"]["resource"]["text"] == "It was warm."
    assert base64.b64decode(picture["content"]["data"]) == PICTURE
    assert (base64.b64decode(song["content"]["data"]), song["content"]["mimeType"]) == (SOUND, "audio/wav")


@requirement("B-PRM-1")
@pytest.mark.parametrize(
    ("params", "complaint"),
    [
        ({"name": "nope"}, "no prompt 'nope'"),
        ({"name": ""}, "no prompt ''"),
        ({"name": "Greeting"}, "no prompt 'Greeting'"),
        ({"name": 7}, "name"),
        ({}, "name is missing"),
        ({"name": "greeting"}, "name is missing"),
        ({"name": "greeting", "arguments": {}}, "name is missing"),
        ({"name": "greeting", "arguments": {"name": 7}}, "arguments"),
        ({"name": "greeting", "arguments": ["Zoë"]}, "arguments"),
        ({"name": "greeting", "arguments": {"name": "Zoë", "tone": "loud"}}, "warm"),
        ({"name": "greeting", "arguments": {"name": "Zoë", "size": "XL"}}, "there is no size"),
        ({"name": "quarrel", "arguments": {"about": "taste"}}, "nothing to say about taste"),
    ],
)
def test_a_wrong_name_or_argument_is_rejected(harness: Harness, ada: Client, params: Any, complaint: str) -> None:
    before = harness.kept()

    error = ada.error("prompts/get", **params)

    assert (error["code"], complaint in error["message"], harness.kept()) == (-32602, True, before)


@requirement("B-PRM-1", "B-ERR-4")
def test_a_prompt_may_reject_in_its_own_words_and_may_crash(ada: Client) -> None:
    rejected, crashed = (
        ada.error("prompts/get", name="quarrel", arguments={"about": about}) for about in ("protocol", "nothing")
    )

    assert rejected == {"code": 1969, "message": "Not that again.", "data": {"about": "protocol"}}
    assert crashed["code"] == -32603


@requirement("B-PRM-1", "B-TASK-5", "B-TASK-6")
@pytest.mark.parametrize(
    ("method", "params"),
    [("prompts/get", {"name": "serenade"}), ("resources/read", {"uri": "note://été"}), ("tools/list", {})],
)
def test_nothing_but_a_call_of_a_tool_becomes_a_task(
    harness: Harness, ada: Client, method: str, params: dict[str, Any]
) -> None:
    before = harness.kept()

    result = ada.result(method, **params, task={})

    assert (result["resultType"], harness.kept()) == ("complete", before)


@requirement("B-CPL-1")
@pytest.mark.parametrize(
    ("ref", "argument", "typed", "values"),
    [
        (GREETING, "name", "person 00", PEOPLE[:10]),
        (GREETING, "name", "nobody", []),
        (GREETING, "tone", "", ["warm", "cool"]),
        (GREETING, "tone", "c", ["cool"]),
        (ARCHIVE, "year", "202", ["2024", "2025"]),
        (ARCHIVE, "name", "t", []),
        ({"type": "ref/prompt", "name": "quarrel"}, "about", "", []),
    ],
)
def test_what_was_typed_is_completed(ada: Client, ref: Any, argument: str, typed: str, values: list[str]) -> None:
    result = ada.result("completion/complete", ref=ref, argument={"name": argument, "value": typed})

    assert result == {
        "resultType": "complete",
        "completion": {"values": values, "total": len(values), "hasMore": False},
    }


@requirement("B-CPL-1")
def test_a_hundred_values_are_shown_and_the_rest_is_counted(ada: Client) -> None:
    result = ada.result("completion/complete", ref=GREETING, argument={"name": "name", "value": "p"})

    assert result["completion"] == {"values": PEOPLE[:100], "total": 250, "hasMore": True}


@requirement("B-CPL-1")
def test_who_types_and_what_they_filled_in_before_is_known(harness: Harness) -> None:
    bob = Client(harness, BOB)
    argument = {"name": "name", "value": ""}

    found = bob.result("completion/complete", ref=GREETING, argument=argument, context={"arguments": {"tone": "cool"}})

    assert found["completion"]["values"][0] == "bob, cool"


@requirement("B-CPL-1")
@pytest.mark.parametrize(
    ("params", "complaint"),
    [
        ({}, "ref is missing"),
        ({"ref": GREETING}, "argument is missing"),
        ({"ref": "greeting", "argument": {"name": "name", "value": ""}}, "ref"),
        ({"ref": {"type": "ref/tool", "name": "greet"}, "argument": {"name": "name", "value": ""}}, "ref.type should"),
        ({"ref": {"type": "ref/prompt"}, "argument": {"name": "name", "value": ""}}, "ref.name is missing"),
        ({"ref": {"type": "ref/resource"}, "argument": {"name": "name", "value": ""}}, "ref.uri is missing"),
        ({"ref": {"type": "ref/prompt", "name": "nope"}, "argument": {"name": "a", "value": ""}}, "'nope'"),
        (
            {"ref": {"type": "ref/resource", "uri": "archive://2025/tax"}, "argument": {"name": "a", "value": ""}},
            "2025",
        ),
        ({"ref": GREETING, "argument": {"name": "size", "value": ""}}, "there is no size"),
        ({"ref": GREETING, "argument": {"value": ""}}, "argument.name is missing"),
        ({"ref": GREETING, "argument": {"name": "name"}}, "argument.value is missing"),
        ({"ref": GREETING, "argument": {"name": "name", "value": 7}}, "argument.value should"),
        ({"ref": GREETING, "argument": {"name": "name", "value": ""}, "context": []}, "context"),
        ({"ref": GREETING, "argument": {"name": "name", "value": ""}, "context": {"arguments": {"a": 1}}}, "context"),
    ],
)
def test_what_cannot_be_completed_is_rejected(ada: Client, params: Any, complaint: str) -> None:
    error = ada.error("completion/complete", **params)

    assert (error["code"], complaint in error["message"]) == (-32602, True)
