"""Calls of tools as far as both revisions read and reject them alike."""

from contextlib import nullcontext
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks import tool
from mcp_tasks.engine import tool_calls
from mcp_tasks.engine.call_decisions import Started, StartTask, TaskOptions, ToolCall
from mcp_tasks.features.results import failure
from mcp_tasks.features.tools import TASK_TOOLS
from mcp_tasks.limits.requests import MAX_NAME_CHARACTERS
from mcp_tasks.security.tenancy import ANONYMOUS
from mcp_tasks.tasks.errors import ArgumentsTooLarge, KeyReused, StaleTask, TooManyTasks
from mcp_tasks.tasks.model import JSON, State
from mcp_tasks.wire import calling
from mcp_tasks.wire.calling import IDEMPOTENCY_KEY, CallTool, rejections
from mcp_tasks.wire.jsonrpc import INVALID_PARAMS, RpcError
from mcp_tasks.wire.refusals import LIMIT_REACHED
from tests.kit import ADA
from tests.unit.jobs import job, slow
from tests.unit.servers import server


@tool(tasks="always", machine="slow")
def strict(size: int) -> str:
    """Take a number."""
    return str(size)


@pytest.mark.parametrize(
    ("params", "call"),
    [
        ({"name": "job"}, CallTool("job", {}, None, None)),
        ({"name": "job", "arguments": None, "_meta": None}, CallTool("job", {}, None, None)),
        ({"name": "", "arguments": {"a": 1}}, CallTool("", {"a": 1}, None, None)),
        ({"name": "job", "_meta": {"progressToken": 0}}, CallTool("job", {}, 0, None)),
        ({"name": "job", "_meta": {"progressToken": "t", IDEMPOTENCY_KEY: "k"}}, CallTool("job", {}, "t", "k")),
        ({"name": "job", "_meta": {"other": 1}, "task": {}, "more": 1}, CallTool("job", {}, None, None)),
    ],
)
def test_a_call_is_read_field_by_field(params: dict[str, JSON], call: CallTool) -> None:
    assert CallTool.of(params) == call


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({}, "name is missing"),
        ({"name": 7}, "name should be a string"),
        ({"name": "x" * (MAX_NAME_CHARACTERS + 1)}, "name should be a string"),
        ({"name": "job", "arguments": []}, "arguments should be an object"),
        ({"name": "job", "arguments": "{}"}, "arguments should be an object"),
        ({"name": "job", "_meta": 7}, "_meta should be an object"),
        ({"name": "job", "_meta": {"progressToken": 1.5}}, "_meta.progressToken should be an integer"),
        ({"name": "job", "_meta": {"progressToken": {}}}, "_meta.progressToken should be an integer"),
        ({"name": "job", "_meta": {IDEMPOTENCY_KEY: 7}}, f"_meta.{IDEMPOTENCY_KEY} should be a string"),
    ],
)
def test_a_call_that_cannot_be_read_is_rejected_with_its_field(params: dict[str, JSON], words: str) -> None:
    with pytest.raises(RpcError, match=words) as error:
        CallTool.of(params)
    assert error.value.code == INVALID_PARAMS


def test_who_knows_no_tasks_is_shown_the_task_tools_instead() -> None:
    of = server([slow, job])

    assert list(calling.tools_for(of, ADA, knows_tasks=True, starts_tasks=True)) == ["slow", "job"]
    assert list(calling.tools_for(of, ADA, knows_tasks=False, starts_tasks=True)) == ["slow", "job", *TASK_TOOLS]


def test_who_cannot_start_tasks_is_not_shown_what_is_always_one() -> None:
    assert list(calling.tools_for(server([slow, job]), ADA, knows_tasks=False, starts_tasks=False)) == [
        "job",
        *TASK_TOOLS,
    ]


@pytest.mark.parametrize("name", ["job", *TASK_TOOLS])
def test_a_tool_is_found_whatever_its_callers_client_knows(name: str) -> None:
    assert calling.find_tool(server([job]), ADA, name).name == name


def test_callers_without_identity_have_no_list_of_tasks() -> None:
    of = server([job])

    assert "task_list" not in calling.tools_for(of, ANONYMOUS, knows_tasks=False, starts_tasks=False)
    with pytest.raises(RpcError, match="There is no tool 'task_list'"):
        calling.find_tool(of, ANONYMOUS, "task_list")


@pytest.mark.parametrize("name", ["jobs", "JOB", "", "x" * MAX_NAME_CHARACTERS, "é"])
def test_a_tool_that_is_not_there_is_rejected_by_its_name(name: str) -> None:
    with pytest.raises(RpcError) as error:
        calling.find_tool(server([job]), ADA, name)
    assert (error.value.code, error.value.message) == (
        INVALID_PARAMS,
        f"There is no tool {name!r}; tools/list names them all.",
    )


@pytest.mark.parametrize(
    ("of", "arguments", "outcome"),
    [
        (strict, {"size": 1}, None),
        (strict, {}, failure("strict was called with wrong arguments: size is missing")),
        (job, {"name": 7}, None),
    ],
)
def test_wrong_arguments_are_known_early_where_no_function_would_check_them(
    of: Any, arguments: dict[str, JSON], outcome: Any
) -> None:
    tasks = server([of]).tasks
    call = ToolCall(
        caller=ADA,
        tool=of,
        arguments=arguments,
        max_hold=timedelta(),
        hold=lambda: nullcontext(True),
        can_answer=lambda task: False,
    )

    started = tool_calls.perform(tasks, call, StartTask(TaskOptions()))

    assert isinstance(started, Started)
    ended = tasks.get(ADA, started.task.id).state is State.FINISHED
    assert (tasks.outcome(ADA, started.task.id) if ended else None) == outcome


@pytest.mark.parametrize(
    ("error", "code", "words", "data"),
    [
        (
            TooManyTasks(3),
            LIMIT_REACHED,
            "Wait until a task ends, or cancel one: this tenant may run 3 tasks at a time.",
            {"reason": "too_many_tasks", "limit": 3, "remaining": 0, "retryAfter": 10},
        ),
        (KeyReused(), INVALID_PARAMS, "The idempotency key was used before, for a different call.", None),
        (
            ArgumentsTooLarge(7, 3),
            INVALID_PARAMS,
            "Too large: the arguments are 7 bytes of JSON; this tool takes at most 3.",
            {"reason": "arguments_bytes", "limit": 3, "remaining": 3, "size": 7},
        ),
    ],
)
def test_the_reason_why_no_task_was_started_is_sent_to_the_client(
    error: Exception, code: int, words: str, data: JSON
) -> None:
    with pytest.raises(RpcError) as rejected, rejections():
        raise error
    assert (rejected.value.code, rejected.value.message, rejected.value.data) == (code, words, data)


@pytest.mark.parametrize("error", [StaleTask, LookupError, RpcError(1, "x")])
def test_anything_else_is_left_as_it_is(error: Any) -> None:
    with pytest.raises(error if isinstance(error, type) else RpcError), rejections():
        raise error


def test_a_code_of_ours_is_none_that_json_rpc_keeps_for_itself() -> None:
    assert not -32768 <= LIMIT_REACHED <= -32000
