"""Tools: the list, calls, arguments, failures."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from mcp_tasks.features.listing import Features
from mcp_tasks.features.tools import Tool, tool
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client
from tests.protocol.sample_tools import TOOLS
from tests.protocol.structured_tools import FEATURES, RESULTS, SCHEMAS


@requirement("A-TOOL-1", "A-TOOL-3", "A-TOOL-9", "A-TASK-16")
def test_a_tool_is_shown_with_its_schemas_and_whether_it_can_be_a_task(ada: Client) -> None:
    ada.initialize({"tasks": {}})
    shown = {each["name"]: each for each in ada.result("tools/list")["tools"]}

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
        "execution": {"taskSupport": "optional"},
    }
    assert (shown["greet"]["title"], shown["greet"]["execution"]) == ("Greeting", {"taskSupport": "forbidden"})
    assert shown["ponder"]["execution"] == {"taskSupport": "required"}


@requirement("A-TOOL-9")
@pytest.mark.parametrize("version", ["2025-06-18", "2025-03-26"])
def test_versions_without_tasks_are_not_listed_how_a_tool_is_executed(harness: Harness, version: str) -> None:
    old = Client(harness, version=version)
    old.initialize()

    assert [each["name"] for each in old.result("tools/list")["tools"] if "execution" in each] == []
    assert old.result("tools/list")["tools"]


@requirement("A-TOOL-3")
def test_a_tool_without_arguments_takes_an_empty_object(harness: Harness, ada: Client) -> None:
    harness.change(page_size=50)
    shown = {each["name"]: each for each in ada.result("tools/list")["tools"]}

    assert shown["stumble"]["inputSchema"] == {"type": "object", "properties": {}, "additionalProperties": False}


@requirement("A-TOOL-2", "A-TOOL-4", "A-PAG-1")
@pytest.mark.parametrize("size", [1, 2, 3, 5, 6, 7])
def test_the_pages_of_the_list_hold_every_tool_once_and_in_order(harness: Harness, ada: Client, size: int) -> None:
    harness.change(page_size=size)
    ada.initialize({"tasks": {}})
    pages = [ada.result("tools/list")]
    while "nextCursor" in pages[-1]:
        pages.append(ada.result("tools/list", cursor=pages[-1]["nextCursor"]))

    names = [shown["name"] for page in pages for shown in page["tools"]]

    assert names == [each.name for each in TOOLS]
    assert all(len(page["tools"]) <= size for page in pages)


@requirement("A-TOOL-2")
def test_a_server_without_tools_lists_none(harness: Harness, ada: Client) -> None:
    harness.change(features=Features.of([]))
    ada.initialize({"tasks": {}})

    assert ada.result("tools/list") == {"tools": []}


@requirement("A-TOOL-7")
def test_structured_content_conforms_and_is_repeated_as_text(ada: Client) -> None:
    ada.initialize({"tasks": {}})
    schema = next(each["outputSchema"] for each in ada.result("tools/list")["tools"] if each["name"] == "add")

    result = ada.call("add", numbers=[1, 2, 39])

    assert result["structuredContent"] == {"total": 42}
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    assert result["isError"] is False
    Draft202012Validator(schema).validate(result["structuredContent"])


@requirement("A-TOOL-7")
@pytest.mark.parametrize("capabilities", [{}, {"tasks": {}}])
def test_dicts_lists_and_results_with_content_are_structured_for_all_clients(
    harness: Harness, capabilities: Any
) -> None:
    harness.change(features=FEATURES)
    client = Client(harness)
    client.initialize(capabilities)
    listed = {each["name"]: each for each in client.result("tools/list")["tools"]}
    assert {name: listed[name]["outputSchema"] for name in SCHEMAS} == SCHEMAS
    for name, (text, structured) in RESULTS.items():
        result = client.call(name)
        assert (result["content"][0]["text"], result["structuredContent"]) == (text, structured)


@requirement("A-TOOL-7")
def test_a_tool_without_an_output_schema_answers_in_text(ada: Client) -> None:
    assert ada.call("greet", name="Zoë") == {"content": [{"type": "text", "text": "Hello, Zoë!"}], "isError": False}


@requirement("A-TOOL-6", "A-TOOL-8")
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


@requirement("A-TOOL-6")
def test_a_failure_is_a_result_that_says_so(ada: Client) -> None:
    failed = ada.call("stumble")

    assert failed == {"content": [{"type": "text", "text": "The stone was in the way."}], "isError": True}


@requirement("A-TOOL-6")
def test_a_crash_is_a_result_that_says_so(harness: Harness, ada: Client) -> None:
    @tool()
    def crash() -> str:
        """Crash."""
        raise LookupError("no such thing")

    harness.change(features=Features.of([crash]))

    result = ada.call("crash")

    assert (result["isError"], result["content"][0]["text"]) == (True, "crash failed: LookupError: no such thing")


@requirement("A-TOOL-5", "A-TASK-23")
def test_a_rejection_is_the_error_that_the_tool_chose(ada: Client) -> None:
    error = {"code": 1969, "message": "The moon is closed.", "data": {"opens": "tomorrow"}}

    assert ada.error("tools/call", name="refuse") == error


@requirement("A-TOOL-4")
@pytest.mark.parametrize("name", ["", "a b", "é", "x" * 129, "a/b"])
def test_a_tool_with_an_invalid_name_is_rejected(name: str) -> None:
    greeting: Tool = TOOLS[0]

    with pytest.raises(ValueError, match="is no name for a tool"):
        Tool(name=name, description="A tool.", work=greeting.work)


@requirement("A-TASK-4", "A-TASK-19")
def test_a_tool_that_forbids_tasks_rejects_one(harness: Harness, ada: Client) -> None:
    before = harness.kept()

    error = ada.error("tools/call", name="greet", arguments={"name": "Zoë"}, task={})

    assert (error["code"], "cannot be a task" in error["message"], harness.kept()) == (-32601, True, before)


@requirement("A-TASK-5")
def test_a_tool_that_leaves_it_open_works_both_ways(harness: Harness, ada: Client) -> None:
    at_once = ada.call("add", numbers=[1, 2])
    task_id = ada.start("add", numbers=[1, 2])
    harness.run(task_id)
    later = ada.result("tasks/result", taskId=task_id)

    assert {**later, "_meta": None} == {**at_once, "_meta": None}


@requirement("A-TASK-6")
def test_a_tool_that_requires_a_task_cannot_be_called_without_one(harness: Harness, ada: Client) -> None:
    before = harness.kept()

    error = ada.error("tools/call", name="ponder", arguments={"question": "?"})

    assert (error["code"], "is always a task" in error["message"], harness.kept()) == (-32601, True, before)


@requirement("A-TASK-2")
@pytest.mark.parametrize("method", ["tools/list", "ping", "tasks/list"])
def test_the_field_task_means_nothing_elsewhere(ada: Client, method: str) -> None:
    assert ada.result(method, task={"ttl": 5}) == ada.result(method)
