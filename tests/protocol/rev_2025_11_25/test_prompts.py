"""Prompts, and the completion of their arguments."""

import base64
from typing import Any

import pytest

from mcp_tasks.features.listing import Features
from tests.protocol import prompts_and_resources
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client

GREETING = {"type": "ref/prompt", "name": "greeting"}
ARCHIVE = {"type": "ref/resource", "uri": "archive://{year}/{name}"}


@pytest.fixture
def harness() -> Harness:
    return Harness(Features.of([], prompts_and_resources.PROMPTS, prompts_and_resources.RESOURCES))


@requirement("A-PRM-1", "A-CPL-1", "A-LIFE-10")
def test_prompts_and_completion_are_declared(harness: Harness) -> None:
    capabilities = Client(harness).initialize()["capabilities"]

    assert (capabilities["prompts"], capabilities["completions"]) == ({"listChanged": False}, {})


@requirement("A-PRM-1", "A-CPL-2", "A-BASE-9")
@pytest.mark.parametrize("method", ["prompts/list", "prompts/get", "completion/complete"])
def test_without_such_features_their_methods_are_unknown(harness: Harness, ada: Client, method: str) -> None:
    harness.change(features=Features.of([]))

    assert ada.error(method, name="greeting")["code"] == -32601


@requirement("A-PRM-1", "A-PAG-1")
def test_a_prompt_is_shown_with_its_arguments(ada: Client) -> None:
    first = ada.result("prompts/list")
    second = ada.result("prompts/list", cursor=first["nextCursor"])

    assert first["prompts"][0] == {
        "name": "greeting",
        "title": "Greeting",
        "description": "Greet somebody.",
        "arguments": [{"name": "name", "required": True}, {"name": "tone", "required": False}],
    }
    assert [each["name"] for page in (first, second) for each in page["prompts"]] == [
        *("greeting", "Résumé", "serenade", "quarrel")
    ]


@requirement("A-PRM-1", "A-PRM-2")
def test_a_prompt_is_messages_of_any_kind(ada: Client) -> None:
    greeting = ada.result("prompts/get", name="greeting", arguments={"name": "Zoë"})
    about, said, picture = ada.result("prompts/get", name="Résumé")["messages"]
    (song,) = ada.result("prompts/get", name="serenade")["messages"]

    assert greeting == {
        "description": "Greet somebody.",
        "messages": [{"role": "user", "content": {"type": "text", "text": "Say something warm to Zoë."}}],
    }
    assert (about["content"]["type"], said["role"]) == ("resource", "assistant")
    assert (picture["content"]["mimeType"], song["content"]["mimeType"]) == ("image/png", "audio/wav")
    assert base64.b64decode(picture["content"]["data"]) == prompts_and_resources.PICTURE
    assert base64.b64decode(song["content"]["data"]) == prompts_and_resources.SOUND


@requirement("A-PRM-1", "A-PRM-2", "A-HTTP-10")
@pytest.mark.parametrize(
    ("params", "complaint"),
    [
        ({"name": "nope"}, "no prompt 'nope'"),
        ({}, "name is missing"),
        ({"name": "greeting"}, "name is missing"),
        ({"name": "greeting", "arguments": {"name": 7}}, "arguments"),
        ({"name": "greeting", "arguments": {"name": "Zoë", "tone": "loud"}}, "warm"),
        ({"name": "greeting", "arguments": {"name": "Zoë", "size": "XL"}}, "there is no size"),
        ({"name": "quarrel", "arguments": {"about": "taste"}}, "nothing to say about taste"),
    ],
)
def test_a_wrong_name_or_argument_is_rejected(ada: Client, params: Any, complaint: str) -> None:
    error = ada.error("prompts/get", **params)

    assert (error["code"], complaint in error["message"]) == (-32602, True)


@requirement("A-TASK-2")
def test_a_prompt_is_no_task(harness: Harness, ada: Client) -> None:
    before = harness.kept()

    assert ada.result("prompts/get", name="serenade", task={"ttl": -1})["messages"]
    assert harness.kept() == before


@requirement("A-CPL-1")
@pytest.mark.parametrize(
    ("ref", "argument", "typed", "values", "total"),
    [
        (GREETING, "name", "person 00", prompts_and_resources.PEOPLE[:10], 10),
        (GREETING, "name", "p", prompts_and_resources.PEOPLE[:100], 250),
        (GREETING, "tone", "c", ["cool"], 1),
        (ARCHIVE, "year", "", ["2024", "2025"], 2),
        (ARCHIVE, "name", "t", [], 0),
    ],
)
def test_what_was_typed_is_completed_with_a_hundred_values_at_most(
    ada: Client, ref: Any, argument: str, typed: str, values: list[str], total: int
) -> None:
    result = ada.result("completion/complete", ref=ref, argument={"name": argument, "value": typed})

    assert result == {"completion": {"values": values, "total": total, "hasMore": total > 100}}


@requirement("A-CPL-1")
def test_who_types_and_what_they_filled_in_before_is_known(ada: Client) -> None:
    argument, context = {"name": "name", "value": ""}, {"arguments": {"tone": "cool"}}

    found = ada.result("completion/complete", ref=GREETING, argument=argument, context=context)

    assert found["completion"]["values"][0] == "ada, cool"


@requirement("A-CPL-2")
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"ref": GREETING},
        {"ref": {"type": "ref/tool", "name": "greet"}, "argument": {"name": "name", "value": ""}},
        {"ref": {"type": "ref/prompt", "name": "nope"}, "argument": {"name": "a", "value": ""}},
        {"ref": {"type": "ref/resource", "uri": "archive://2025/tax"}, "argument": {"name": "a", "value": ""}},
        {"ref": GREETING, "argument": {"name": "size", "value": ""}},
        {"ref": GREETING, "argument": {"name": "name", "value": 7}},
    ],
)
def test_what_cannot_be_completed_is_rejected(ada: Client, params: Any) -> None:
    assert ada.error("completion/complete", **params)["code"] == -32602
