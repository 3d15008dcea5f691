"""A tool without a task runs and fails as with one, and may request input of the waiting client."""

import asyncio
import logging
from typing import Any

import pytest

from mcp_tasks import Context, McpError, TaskCancelled, ToolError, tool
from mcp_tasks.authoring.input_requests import Elicit, ListRoots
from mcp_tasks.authoring.replay_log import ReplayLog
from mcp_tasks.engine.tool_run import AwaitsInput, LacksCapability, RejectsInput, RunEnd, run_tool
from mcp_tasks.features.results import failure
from mcp_tasks.limits.tools import (
    MAX_ERROR_CHARACTERS,
    MAX_INPUT_REQUESTS,
    MAX_INPUT_REQUESTS_CHARACTERS,
    MAX_RESULT_CHARACTERS,
)
from mcp_tasks.tasks.model import Failed, Outcome, Returned
from mcp_tasks.testing.journal import NULL_JOURNAL
from tests.kit import ADA
from tests.unit.contexts import Name, accepted, run_context, run_to_end
from tests.unit.tool_run import text

INLINE = Context(caller=ADA, journal=NULL_JOURNAL)


def test_a_tool_without_a_task_runs_for_whoever_waits() -> None:
    def job(context: Context) -> str:
        return f"{context.caller.subject} {context.task_id} {context.attempt}"

    assert run_tool(tool(description="A job.")(job), {}, INLINE) == text("ada None 1")


def test_a_tool_without_a_task_fails_in_the_same_words() -> None:
    def job(name: str) -> str:
        return name

    assert run_tool(tool(description="A job.")(job), {}, INLINE) == failure(
        "job was called with wrong arguments: name is missing"
    )


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (ToolError("There is no region 7."), failure("There is no region 7.")),
        (ValueError("no"), failure("job failed: ValueError: no")),
        (SystemExit(2), failure("job failed: SystemExit: 2")),
        (GeneratorExit(), failure("job failed: GeneratorExit: ")),
        (TaskCancelled(), failure("job failed: it raised TaskCancelled, but was not cancelled.")),
        (McpError(-32002, "gone", {"uri": "x"}), Failed(code=-32002, message="gone", data={"uri": "x"})),
        (McpError(-32002, "gone", float("nan")), Failed(code=-32002, message="gone")),
    ],
)
def test_whatever_a_tool_raises_is_what_its_call_returns(error: BaseException, outcome: Outcome) -> None:
    def job() -> None:
        raise error

    assert run_tool(tool(description="A job.")(job), {}, INLINE) == outcome


def test_whoever_stops_the_process_stops_it() -> None:
    def job() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_tool(tool(description="A job.")(job), {}, INLINE)


def test_a_result_that_is_too_large_is_an_error_that_says_so() -> None:
    def job() -> str:
        return "x" * MAX_RESULT_CHARACTERS

    outcome = run_tool(tool(description="A job.")(job), {}, INLINE)

    assert isinstance(outcome, Returned)
    assert outcome.is_error


@pytest.mark.parametrize("arguments", [{"x" * 1_000_000: 1}, {"name": ["x" * 1_000_000]}])
def test_a_large_invalid_value_is_quoted_briefly(arguments: dict[str, Any]) -> None:
    def job(name: str) -> str:
        return name

    outcome = run_tool(tool(description="A job.")(job), arguments, INLINE)

    assert isinstance(outcome, Returned)
    assert len(outcome.result["content"][0]["text"]) <= MAX_ERROR_CHARACTERS


def requested_by(ended: RunEnd) -> list[str]:
    """Return the keys of the input requests that a run made before it ended."""
    assert isinstance(ended, AwaitsInput)
    return [each.key for each in ended.input_requests]


@tool()
def greet(context: Context) -> str:
    """Ask for a name and greet."""
    return f"Hello, {context.elicit('Who?', Name, key='name')}"


def test_an_input_request_is_for_whoever_waits() -> None:
    assert requested_by(run_tool(greet, {}, run_context())) == ["name"]


def test_an_async_tool_may_ask_too() -> None:
    @tool()
    async def later(context: Context) -> str:
        """Do the work."""
        await asyncio.sleep(0)
        return context.sample("Hi", max_tokens=9, key="hi").text

    assert requested_by(run_tool(later, {}, run_context())) == ["hi"]


def test_a_tool_that_was_answered_goes_on() -> None:
    reported = run_to_end(lambda context: run_tool(greet, {}, context), {"name": accepted(name="Ada")})

    assert reported == [["name"], text("Hello, Accepted(value=Name(name='Ada'))")]


def test_an_answer_that_does_not_fit_is_no_failure_of_the_tool() -> None:
    replay_log = ReplayLog(responses={"name": accepted(name=7)}, requested=["name"])

    ended = run_tool(greet, {}, run_context(replay_log))

    assert isinstance(ended, RejectsInput)
    assert "'name' does not fit" in str(ended.error)


def test_what_the_client_lacks_is_for_the_endpoint_to_say() -> None:
    ended = run_tool(greet, {}, run_context(client_capabilities=frozenset({"sampling"})))

    assert isinstance(ended, LacksCapability)
    assert ended.error.capability == "elicitation.form"


def test_a_tool_may_do_without_what_the_client_lacks() -> None:
    @tool()
    def job(context: Context) -> str:
        """Do the work."""
        try:
            return str(context.elicit("Who?", Name))
        except ToolError as error:
            return f"nobody, since {type(error).__name__}"

    assert run_tool(job, {}, INLINE) == text("nobody, since MissingCapability")


def test_a_tool_that_asks_otherwise_than_before_fails_and_the_log_says_why(caplog: pytest.LogCaptureFixture) -> None:
    replay_log = ReplayLog(responses={"age": accepted(name="7")}, requested=["age"])

    with caplog.at_level(logging.ERROR):
        outcome = run_tool(greet, {}, run_context(replay_log))

    assert isinstance(outcome, Returned)
    assert outcome.is_error
    (content,) = outcome.result["content"]
    assert content["text"].startswith("greet failed: it asked 'age' the last time and now 'name' instead; ")
    assert "it asked 'age' the last time" in caplog.text


@pytest.mark.parametrize(
    ("requests", "words"),
    [
        (
            [ListRoots(key=f"k{n}") for n in range(MAX_INPUT_REQUESTS + 1)],
            "it makes 51 input requests at once; 50 is the most.",
        ),
        ([Elicit("x" * MAX_INPUT_REQUESTS_CHARACTERS, Name, key="k")], "characters; 100,000 is the most."),
        ([ListRoots(key="k" * MAX_INPUT_REQUESTS_CHARACTERS)], "characters; 100,000 is the most."),
    ],
    ids=["too many", "too large", "named at too great length"],
)
def test_a_tool_that_asks_more_than_can_be_kept_fails(requests: list[Any], words: str) -> None:
    @tool()
    def job(context: Context) -> None:
        """Do the work."""
        context.gather(*requests)

    outcome = run_tool(job, {}, run_context())

    assert isinstance(outcome, Returned)
    assert outcome.is_error
    assert outcome.result["content"][0]["text"].startswith("job failed: it makes ")
    assert outcome.result["content"][0]["text"].endswith(words)


def test_a_tool_may_ask_as_much_as_can_be_kept() -> None:
    @tool()
    def job(context: Context) -> None:
        """Do the work."""
        context.gather(*(Elicit("x" * 1_500, Name, key=f"k{n}") for n in range(MAX_INPUT_REQUESTS)))

    assert len(requested_by(run_tool(job, {}, run_context()))) == MAX_INPUT_REQUESTS
