"""Tools: the list, calls, arguments, content, failures."""

import base64
import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from mcp_tasks.features.listing import Features
from mcp_tasks.features.tools import tool
from mcp_tasks.security.tenancy import Caller
from tests.kit import BOB, EVE
from tests.protocol.all_features import ALL
from tests.protocol.harness import Harness
from tests.protocol.prompts_and_resources import PICTURE, SOUND
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import ABLE, CAPABILITIES, Client
from tests.protocol.structured_tools import FEATURES, RESULTS, SCHEMAS

NAMES = [each.name for each in ALL.tools]


@requirement("B-TOOL-3", "B-TOOL-4", "B-TASK-30")
def test_a_tool_is_shown_with_its_schemas_and_says_nothing_of_tasks(ada: Client) -> None:
    shown = {each["name"]: each for each in ada.list_all("tools/list")}

    assert shown["add"] == {
        "name": "add",
        "description": "Add numbers up.",
        "inputSchema": {
            "type": "object",
            "properties": {"numbers": {"type": "array", "items": {"type": "integer"}}},
            "required": ["numbers"],
            "additionalProperties": False,
        },
        "outputSchema": {
            "type": "object",
            "properties": {"total": {"type": "integer"}},
            "required": ["total"],
        },
        "annotations": {"readOnlyHint": True},
    }
    assert shown["greet"]["title"] == "Greeting"
    assert shown["stumble"]["inputSchema"] == {"type": "object", "properties": {}, "additionalProperties": False}
    assert not any("execution" in each for each in shown.values())


@requirement("B-TOOL-4")
def test_an_output_is_not_promised_where_a_task_handle_may_come_instead(ada: Client, plain: Client) -> None:
    promised, for_plain = (
        {each["name"] for each in client.list_all("tools/list") if "outputSchema" in each} for client in (ada, plain)
    )

    assert promised == {"add", "report"}
    assert for_plain == {"report"}


@requirement("B-TOOL-1", "B-TOOL-2")
def test_the_list_is_the_same_whatever_was_asked_before(harness: Harness, ada: Client) -> None:
    before = ada.list_all("tools/list")
    ada.start()
    ada.call("introduce")
    ada.send_request("tools/call", {"name": "refuse"}, meta={CAPABILITIES: {}})
    ada.send_request("tools/list", meta={CAPABILITIES: {}})

    assert ada.list_all("tools/list") == before == Client(harness, BOB).list_all("tools/list")
    assert [each["name"] for each in before] == NAMES


@requirement("B-TOOL-1", "B-TASK-1")
def test_only_a_client_without_tasks_is_listed_the_task_tools(ada: Client, plain: Client) -> None:
    names = [[each["name"] for each in client.list_all("tools/list")] for client in (ada, plain)]

    callable_without = [each.name for each in ALL.tools if each.tasks != "always"]
    assert names == [NAMES, [*callable_without, "task_result", "task_cancel", "task_list"]]


@requirement("B-TOOL-4")
def test_structured_content_keeps_to_its_schema_and_is_repeated_as_text(ada: Client) -> None:
    schema = next(each["outputSchema"] for each in ada.list_all("tools/list") if each["name"] == "report")

    result = ada.call("report", uri="weather://now")

    assert result["structuredContent"] == {"uri": "weather://now"}
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    Draft202012Validator(schema).validate(result["structuredContent"])


@requirement("B-TOOL-4")
@pytest.mark.parametrize("capabilities", [ABLE, {}])
def test_dicts_lists_and_results_with_content_are_structured_for_all_clients(
    harness: Harness, capabilities: Any
) -> None:
    harness.change(features=FEATURES)
    client = Client(harness, capabilities=capabilities)
    listed = {each["name"]: each for each in client.list_all("tools/list")}
    assert {name: listed[name]["outputSchema"] for name in SCHEMAS} == SCHEMAS
    for name, (text, structured) in RESULTS.items():
        result = client.call(name)
        assert (result["content"][0]["text"], result["structuredContent"]) == (text, structured)


@requirement("B-TOOL-4", "B-RT-1")
def test_a_tool_without_an_output_schema_answers_in_text(ada: Client) -> None:
    assert ada.call("greet", name="Zoë") == {
        "resultType": "complete",
        "content": [{"type": "text", "text": "Hello, Zoë!"}],
        "isError": False,
    }


@requirement("B-TOOL-4", "B-RSC-2")
def test_contents_may_be_of_any_kind(ada: Client) -> None:
    _, picture, sound, note, logo, link = ada.call("exhibit")["content"]

    assert [picture["type"], picture["mimeType"], base64.b64decode(picture["data"])] == ["image", "image/png", PICTURE]
    assert [sound["type"], sound["mimeType"], base64.b64decode(sound["data"])] == ["audio", "audio/wav", SOUND]
    assert note["resource"] == {"uri": "note://été", "mimeType": "text/plain", "text": "It was warm."}
    assert base64.b64decode(logo["resource"]["blob"]) == PICTURE
    assert link == {
        "type": "resource_link",
        "uri": "archive://2025/tax",
        "name": "tax",
        "description": "What was paid.",
        "mimeType": "text/plain",
    }


@requirement("B-TOOL-5", "B-TOOL-6")
@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"name": 7}, "name"),
        ({}, "name is missing"),
        ({"name": "Zoë", "shout": True}, "there is no shout"),
        ({"name": None}, "name"),
    ],
)
def test_wrong_arguments_are_the_tools_error_and_say_which(ada: Client, arguments: Any, complaint: str) -> None:
    result = ada.call("greet", **arguments)

    assert result["isError"]
    assert complaint in result["content"][0]["text"]


@requirement("B-TOOL-5")
@pytest.mark.parametrize("name", ["nope", "", "Greet", "greet ", "tasks/get", "é"])
def test_an_unknown_tool_is_an_error(harness: Harness, ada: Client, name: str) -> None:
    before = harness.kept()

    error = ada.error("tools/call", name=name, arguments={})

    assert (error["code"], f"no tool {name!r}" in error["message"], harness.kept()) == (-32602, True, before)


@requirement("B-TOOL-5")
def test_a_crash_is_a_result_that_says_so(harness: Harness, ada: Client) -> None:
    @tool(tasks="never")
    def crash() -> str:
        """Crash."""
        raise LookupError("no such thing")

    harness.change(features=Features.of([crash]))

    result = ada.call("crash")

    assert (result["isError"], result["content"][0]["text"]) == (True, "crash failed: LookupError: no such thing")


@requirement("B-TOOL-6", "B-AUTH-6")
@pytest.mark.parametrize("caller", [BOB, EVE])
def test_a_tool_knows_who_calls_it_and_nobody_can_say_otherwise(harness: Harness, caller: Caller) -> None:
    client = Client(harness, caller)

    contents = client.result("resources/read", uri="archive://2025/tax", caller="ada")["contents"]

    assert contents[0]["text"] == f"tax of 2025, for {caller.subject}"


@requirement("B-TOOL-7")
@pytest.mark.parametrize("task", [{"ttl": 1}, {}, {"ttl": -1}, True, None, []])
@pytest.mark.parametrize(("name", "arguments"), [("greet", {"name": "Zoë"}), ("add", {"numbers": [1, 2]})])
def test_the_field_task_means_nothing(plain: Client, name: str, arguments: Any, task: Any) -> None:
    result = plain.result("tools/call", name=name, arguments=arguments, task=task)

    assert result == plain.call(name, **arguments)
    assert result["resultType"] == "complete"


@requirement("B-TOOL-7", "B-TASK-17")
def test_it_does_not_change_what_becomes_of_a_task(ada: Client) -> None:
    call = {"name": "ponder", "arguments": {"question": "why?"}}

    created = [ada.result("tools/call", **call, task=task) for task in ({"ttl": 1}, None)]

    assert created[0]["ttlMs"] == created[1]["ttlMs"] == 2 * 3_600_000
