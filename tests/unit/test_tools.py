"""The decorator, the toolbox, and a tool's return value as a result of the protocol."""

import json
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any

import pytest

from mcp_tasks import Tool, tool
from mcp_tasks.authoring.context import Context
from mcp_tasks.authoring.errors import BadArguments
from mcp_tasks.features.results import failure
from mcp_tasks.features.tools import Toolbox
from mcp_tasks.limits.waits import LONGEST_RUN
from mcp_tasks.tasks.model import DEFAULT_MACHINE, Returned
from mcp_tasks.testing.journal import NULL_JOURNAL
from tests.kit import ADA
from tests.unit.postponed_annotations import ask

CONTEXT = Context(caller=ADA, journal=NULL_JOURNAL)


@dataclass
class Point:
    """A place on the plane."""

    x: float
    y: float


class Side(StrEnum):
    LEFT = "left"


@tool()
def add(a: int, b: int = 1) -> int:
    """Add two numbers.

    The second one is 1 unless given.
    """
    return a + b


def test_a_function_lends_its_name_and_docstring() -> None:
    assert (add.name, add.description) == ("add", "Add two numbers.\n\nThe second one is 1 unless given.")


def test_what_is_given_goes_before_what_is_lent() -> None:
    made = tool(
        name="plus",
        title="Plus",
        description="Sums.",
        tasks="always",
        machine="adder",
        timeout=timedelta(days=1),
        ttl=timedelta(days=2),
        poll_interval=timedelta(seconds=9),
        inline_wait=timedelta(seconds=3),
        annotations={"readOnlyHint": True},
    )(add.work.function)

    assert (made.name, made.title, made.description) == ("plus", "Plus", "Sums.")
    assert (made.tasks, made.machine, made.annotations) == ("always", "adder", {"readOnlyHint": True})
    assert (made.timeout, made.ttl, made.poll_interval) == (timedelta(days=1), timedelta(days=2), timedelta(seconds=9))
    assert made.inline_wait == timedelta(seconds=3)


def test_a_tool_may_become_a_task_on_the_default_machine_unless_it_says_otherwise() -> None:
    assert (add.tasks, add.machine, add.timeout, add.ttl) == ("allowed", DEFAULT_MACHINE, LONGEST_RUN, None)
    assert add.inline_wait < timedelta(seconds=5), "some hosts give up by then"


def test_a_tool_is_still_the_plain_function() -> None:
    assert add(2, b=3) == 5


def test_postponed_annotations_say_the_same() -> None:
    assert ask.work.input_schema["properties"] == {
        "question": {"type": "string", "maxLength": 10},
        "times": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
    }
    assert ask.work.call({"question": "why"}, CONTEXT).result["structuredContent"] == {"text": "ada: why None"}


@pytest.mark.parametrize("name", ["", "a b", "a/b", "é", "x" * 129, "a\n"])
def test_a_name_the_protocol_does_not_allow_is_rejected(name: str) -> None:
    with pytest.raises(ValueError, match="is no name for a tool"):
        named(name)


@pytest.mark.parametrize("name", ["a", "A.b-c_9", "x" * 128])
def test_a_name_the_protocol_allows_is_taken(name: str) -> None:
    assert named(name).name == name


def named(name: str) -> Tool:
    return Tool(name=name, description="A tool.", work=add.work)


def test_a_lambda_cannot_run_for_an_hour() -> None:
    with pytest.raises(ValueError, match="a timeout of more than 0:14:00 needs a state machine of its own"):
        tool(timeout=timedelta(hours=1))(add.work.function)


def test_a_machine_of_its_own_needs_a_task() -> None:
    assert tool(machine="adder")(add.work.function).tasks == "allowed"
    with pytest.raises(ValueError, match="a state machine of its own runs as a task"):
        tool(machine="adder", tasks="never")(add.work.function)


@pytest.mark.parametrize("tasks", ["never", "always"])
def test_only_calls_that_may_be_answered_with_a_handle_can_be_joined(tasks: Any) -> None:
    minute = timedelta(minutes=1)

    assert tool(join_within=minute)(add.work.function).join_within == minute
    with pytest.raises(ValueError, match="join_within needs"):
        tool(join_within=minute, tasks=tasks)(add.work.function)


@pytest.mark.parametrize("time", [timedelta(), timedelta(seconds=-1)])
def test_a_time_in_which_nobody_could_join_is_rejected(time: timedelta) -> None:
    with pytest.raises(ValueError, match=r"nobody could join|cannot be negative"):
        tool(join_within=time)(add.work.function)


@pytest.mark.parametrize("settings", [{"tasks": "never"}, {"tasks": "always", "machine": "adder"}])
def test_only_what_may_become_a_task_of_the_default_machine_can_start_inline(settings: Any) -> None:
    assert tool(starts_inline=True)(add.work.function).starts_inline
    with pytest.raises(ValueError, match="can start inline"):
        tool(starts_inline=True, **settings)(add.work.function)


@tool()
def anything() -> object:
    """Return a value of any type."""


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("so\u2028é", "so\u2028é"),
        ("", ""),
        (7, "7"),
        (True, "true"),
        (1.5, "1.5"),
        (float("nan"), "null"),
        (["é", {"a": None}], '["é",{"a":null}]'),
        ([Point(1, 2)], '[{"x":1,"y":2}]'),
        ({"on": date(2026, 1, 2), "for": Decimal("1.10")}, '{"on":"2026-01-02","for":"1.10"}'),
        (Side.LEFT, "left"),
        ("half \ud800", "half ?"),
    ],
)
def test_any_value_becomes_text_that_is_json_unless_it_is_text(value: object, text: str) -> None:
    assert anything.work.returned(value) == Returned(result={"content": [{"type": "text", "text": text}]})


def test_no_value_is_no_content() -> None:
    assert anything.work.returned(None) == Returned(result={"content": []})


def test_a_structured_result_is_sent_as_text_too() -> None:
    @tool()
    def origin() -> Point:
        """Do the work."""
        return Point(0, 0)

    result = origin.work.call({}, CONTEXT).result

    assert result["structuredContent"] == {"x": 0.0, "y": 0.0}
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]


def test_wrong_arguments_never_reach_the_function() -> None:
    with pytest.raises(BadArguments, match="a is missing"):
        add.work.call({}, CONTEXT)


def test_a_failure_is_an_answer_that_says_so() -> None:
    assert failure("no such region") == Returned(
        result={"content": [{"type": "text", "text": "no such region"}]}, is_error=True
    )


def test_a_box_keeps_its_tools_in_order_and_finds_them() -> None:
    box = Toolbox([named("b"), named("a")])

    assert [each.name for each in box] == ["b", "a"]
    assert box.find("a") == named("a")
    assert box.find("c") is None


def test_two_tools_of_one_name_do_not_fit_into_a_box() -> None:
    with pytest.raises(ValueError, match="two tools are named a"):
        Toolbox([named("a"), named("b"), named("a")])


@pytest.mark.parametrize("name", ["task_result", "task_cancel", "task_list"])
def test_a_tool_that_the_server_brings_itself_has_its_name(name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name} is the name of a built-in tool: choose another$"):
        Toolbox([named(name)])
