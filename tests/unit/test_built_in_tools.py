"""What all built-in tools have: a schema and a check of arguments, and an answer about a task that nobody has."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks import Caller, Context
from mcp_tasks.authoring.errors import BadArguments, ToolError
from mcp_tasks.engine.built_in_tools import (
    CANCELS,
    LINKS,
    READS,
    BuiltInTool,
    FollowTask,
    built_in_tool,
    closed_schema,
    schema,
)
from mcp_tasks.engine.current_call import noting
from mcp_tasks.features.results import structured
from mcp_tasks.security.tenancy import ANONYMOUS
from mcp_tasks.tasks.errors import TaskNotFound
from mcp_tasks.tasks.model import JSON, Returned
from mcp_tasks.testing.journal import NULL_JOURNAL
from tests.kit import ADA, a_task
from tests.unit.jobs import MINUTE

TEXT = {"type": "string"}


def echo(caller: Caller, arguments: Mapping[str, JSON]) -> Returned:
    return structured(caller.subject, arguments)


WORK = BuiltInTool(
    function=echo,
    input_schema=schema({"task_id": TEXT, "more": TEXT}, "task_id"),
    fit=lambda given: given.get("more") != "wrong",
    wants="give what is right",
)


def context(caller: Caller = ADA) -> Context:
    return Context(caller=caller, journal=NULL_JOURNAL)


def test_a_schema_allows_what_it_names_and_requires_what_it_is_told_to() -> None:
    assert schema({"a": TEXT, "b": TEXT}, "b", "a") == {
        "type": "object",
        "properties": {"a": TEXT, "b": TEXT},
        "required": ["b", "a"],
    }


def test_a_schema_that_requires_nothing_does_not_say_what_it_requires() -> None:
    assert schema({}) == {"type": "object", "properties": {}}


def test_a_closed_schema_refuses_what_it_does_not_name() -> None:
    assert closed_schema({"a": TEXT}, "a") == {
        "type": "object",
        "properties": {"a": TEXT},
        "required": ["a"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize("arguments", [{}, {"task_id": "x"}, {"task_id": "x", "more": "y"}])
def test_arguments_that_fit_are_taken_as_they_are(arguments: Mapping[str, JSON]) -> None:
    assert WORK.check(arguments) == arguments
    for take in (WORK.answer, WORK.call):
        assert take(arguments, context()) == structured("ada", arguments)


@pytest.mark.parametrize("arguments", [{"more": "wrong"}, {"more": "wrong", "other": "y"}])
def test_arguments_that_do_not_fit_are_rejected_in_words(arguments: Mapping[str, JSON]) -> None:
    for take in (WORK.answer, WORK.call):
        with pytest.raises(BadArguments, match=r"^give what is right$"):
            take(arguments, context())


OTHERS = [{"task_id": "x", "toolCallId": "call_1"}, {"task_id": "x", "": None}]


@pytest.mark.parametrize("arguments", OTHERS)
def test_arguments_that_the_schema_does_not_name_are_ignored(arguments: Mapping[str, JSON]) -> None:
    assert WORK.check(arguments) == {"task_id": "x"}
    for take in (WORK.answer, WORK.call):
        assert take(arguments, context()) == structured("ada", {"task_id": "x"})


@pytest.mark.parametrize("arguments", OTHERS)
def test_arguments_that_a_closed_schema_does_not_name_are_refused(arguments: Mapping[str, JSON]) -> None:
    closed = BuiltInTool(
        function=echo, input_schema=closed_schema({"task_id": TEXT}), fit=lambda given: True, wants="give what is right"
    )

    assert closed.check({"task_id": "x"}) == {"task_id": "x"}
    with pytest.raises(BadArguments, match=r"^give what is right$"):
        closed.check(arguments)


@pytest.mark.parametrize(
    ("caller", "known"), [(ADA, "; task_list lists yours"), (replace(ADA, identified=False), ""), (ANONYMOUS, "")]
)
def test_a_task_that_there_is_not_is_said_and_noted_and_a_list_only_where_there_is_one(
    caller: Caller, known: str
) -> None:
    def nobodys(caller: Caller, arguments: Mapping[str, JSON]) -> Returned:
        raise TaskNotFound

    work = replace_function(nobodys)
    with noting() as noted, pytest.raises(ToolError) as raised:
        work.answer({"task_id": "it's"}, context(caller))

    assert str(raised.value) == f"""There is no task "it's": it never existed, or it has expired{known}."""
    assert dict(noted) == {"reason": "unknown_task"}
    assert dict(noted.happened) == {("request.refused", "unknown_task"): {"reason": "unknown_task"}}


def test_a_task_to_wait_for_is_an_answer_and_no_result_of_a_call() -> None:
    followed = FollowTask(task=a_task(), timeout=MINUTE)
    work = replace_function(lambda caller, arguments: followed)

    assert work.answer({}, context()) == followed
    with pytest.raises(AssertionError):
        work.call({}, context())


def test_a_result_is_returned_as_it_is() -> None:
    returned = structured("done", {})

    assert WORK.returned(returned) is returned


def test_a_built_in_tool_is_described_as_it_is_told_to_be_and_never_a_task() -> None:
    tool = built_in_tool("echo", "Echo", "Say it again.", WORK, LINKS)

    assert (tool.name, tool.title, tool.description, tool.tasks) == ("echo", "Echo", "Say it again.", "never")
    assert (tool.work, tool.annotations) == (WORK, LINKS)


def test_hosts_are_told_what_may_be_called_without_their_user() -> None:
    """What only reads; a cancellation may be repeated, and nothing reaches beyond this server."""
    told = [{name: value for name, value in each.items() if value} for each in (READS, LINKS, CANCELS)]

    assert told == [{"readOnlyHint": True}, {}, {"destructiveHint": True, "idempotentHint": True}]
    # Left out, it would be true.
    assert all(each["openWorldHint"] is False for each in (READS, LINKS, CANCELS))
    assert LINKS["destructiveHint"] is False


def replace_function(function: Any) -> BuiltInTool:
    return BuiltInTool(function=function, input_schema=WORK.input_schema, fit=lambda given: True, wants="give anything")
