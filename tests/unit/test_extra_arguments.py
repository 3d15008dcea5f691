"""Arguments that a host adds to those of the signature: refused, or ignored where the tool says so."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks import tool
from mcp_tasks.authoring.errors import BadArguments
from mcp_tasks.engine.call_decisions import StartAndWait, TaskOptions, ToolCall, Waited
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.engine.tool_calls import perform
from mcp_tasks.features.tools import Tool
from mcp_tasks.tasks.model import JSON
from tests.kit import ADA
from tests.unit.callables import CONTEXT
from tests.unit.jobs import service

INJECTED: dict[str, JSON] = {"a": 1, "toolCallId": "call_1", "sessionId": "s", "chatInput": "x"}


def add(a: int, b: int = 2) -> str:
    """Add two numbers."""
    return str(a + b)


def start(tasks: TaskService, made: Tool, arguments: dict[str, JSON]) -> str:
    """Start a task as a client that knows none does, and return its id."""
    call = ToolCall(ADA, made, arguments, max_hold=timedelta(), hold=no_hold, can_answer=lambda task: False)
    result = perform(tasks, call, StartAndWait(TaskOptions(joins=True)))
    assert isinstance(result, Waited)
    return result.task.id


def no_hold() -> Any:
    raise AssertionError("nothing is waited for")


def test_extra_arguments_are_refused_unless_the_tool_ignores_them() -> None:
    ignoring, refusing = tool(extra_arguments="ignore")(add), tool()(add)

    assert ignoring.work.call(INJECTED, CONTEXT).result["content"][0]["text"] == "3"
    with pytest.raises(BadArguments, match="there is no toolCallId, only: a, b"):
        refusing.work.call(INJECTED, CONTEXT)


def test_the_schema_says_whether_extra_arguments_are_accepted() -> None:
    shown = {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer", "default": 2}},
        "required": ["a"],
    }

    assert tool(extra_arguments="ignore")(add).work.input_schema == shown
    assert tool()(add).work.input_schema == {**shown, "additionalProperties": False}


def test_an_argument_of_the_signature_is_checked_beside_extra_ones() -> None:
    ignoring = tool(extra_arguments="ignore")(add)

    with pytest.raises(BadArguments, match=r'^a: Input should be a valid integer, not "one"$'):
        ignoring.work.check({**INJECTED, "a": "one"})
    with pytest.raises(BadArguments, match=r"^a is missing$"):
        ignoring.work.check({"sessionId": "s"})


@pytest.mark.parametrize("machine", ["run_tool", "press"])
def test_extra_arguments_are_not_stored(machine: str) -> None:
    tasks = service()
    kept = {"run_tool": {"a": 1}, "press": {"a": 1, "b": 2}}

    task_id = start(tasks, tool(machine=machine, inline_wait=timedelta(), extra_arguments="ignore")(add), INJECTED)

    assert tasks.arguments(ADA.owner_key, task_id) == kept[machine]


def test_calls_that_differ_in_extra_arguments_alone_join_one_task() -> None:
    tasks = service()
    made = tool(extra_arguments="ignore", join_within=timedelta(minutes=1), inline_wait=timedelta())(add)

    first = start(tasks, made, INJECTED)

    assert start(tasks, made, {**INJECTED, "toolCallId": "call_2"}) == first
    assert start(tasks, made, {**INJECTED, "a": 5}) != first


def own(arguments: dict[str, Any]) -> str:
    """Take anything."""
    return f"{arguments}"


@pytest.mark.parametrize(
    ("function", "options", "words"),
    [
        (add, {"extra_arguments": "drop"}, "add: extra_arguments is 'refuse' or 'ignore', not 'drop'"),
        (add, {"extra_arguments": True}, "add: extra_arguments is 'refuse' or 'ignore', not True"),
        (own, {"extra_arguments": "ignore", "input_schema": {"type": "object"}}, "own: input_schema says which"),
    ],
)
def test_another_choice_is_an_error_at_import(
    function: Callable[..., Any], options: dict[str, Any], words: str
) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        tool(**options)(function)
