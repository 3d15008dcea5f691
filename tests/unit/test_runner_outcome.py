"""Whatever a tool does, its task gets one outcome."""

import asyncio
import sys
from dataclasses import dataclass

import pytest

from mcp_tasks import Context, McpError, ToolError
from mcp_tasks.features.results import failure
from mcp_tasks.limits.tools import MAX_ERROR_CHARACTERS, MAX_RESULT_CHARACTERS
from mcp_tasks.security.tenancy import ANONYMOUS
from mcp_tasks.tasks.model import Failed, Outcome, Returned, State
from tests.kit import ADA
from tests.unit.tool_run import in_process_runner, text, tool_run


class Speechless(Exception):
    def __str__(self) -> str:
        raise LookupError("nothing to say")


def test_a_tool_that_returns_finishes_its_task() -> None:
    def job(name: str) -> str:
        return f"Hello, {name}!"

    made = tool_run(job, name="Ada")

    assert made.run() == text("Hello, Ada!")
    assert (made.current().state, made.current().version) == (State.FINISHED, 2)


@dataclass
class Count:
    number: int


def test_a_result_that_does_not_fit_says_to_the_client_and_in_the_log_what_does_not(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def job() -> Count:
        return Count(number="many")  # type: ignore[arg-type]  # the mistake

    says = "job returned what its output schema does not allow: number: Input should be a valid integer, "
    said = tool_run(job).run()

    assert isinstance(said, Returned)
    assert said.is_error
    assert said.result["content"][0]["text"].startswith(says)
    (record,) = [each for each in caplog.records if each.levelname == "ERROR"]
    assert (f"tool {says}" in record.message, record.exc_info) == (True, None)


def test_an_async_tool_is_awaited() -> None:
    async def job() -> str:
        await asyncio.sleep(0)
        return "done"

    assert tool_run(job).run() == text("done")


def test_a_tools_context_has_its_caller_task_and_attempt() -> None:
    seen: list[Context] = []

    def job(context: Context) -> None:
        seen.append(context)

    made = tool_run(job)
    made.run(attempt=3)

    assert [(each.caller, each.task_id, each.attempt) for each in seen] == [(ADA, made.task.id, 3)]


def test_a_tool_without_an_identified_caller_can_see_that() -> None:
    def job(context: Context) -> str:
        return f"{context.caller.identified}"

    assert tool_run(job, caller=ANONYMOUS).run() == text("False")


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (ToolError("There is no region 7; use 1 to 4."), failure("There is no region 7; use 1 to 4.")),
        (ValueError("no"), failure("job failed: ValueError: no")),
        (SystemExit(2), failure("job failed: SystemExit: 2")),
        (asyncio.CancelledError(), failure("job failed: CancelledError: ")),
        (RecursionError("deep"), failure("job failed: RecursionError: deep")),
        (Speechless(), failure("job failed: Speechless: its message cannot be read")),
        (McpError(-32002, "gone", {"uri": "x"}), Failed(code=-32002, message="gone", data={"uri": "x"})),
        (McpError(1, ValueError("no text")), Failed(code=1, message="no text")),  # type: ignore[arg-type]  # a mistake
        (McpError(1, "a file \ud800"), Failed(code=1, message="a file ?")),
        (McpError(-32002, "data that is no JSON", {1, 2}), Failed(code=-32002, message="data that is no JSON")),
        (McpError(-32002, "nor is this", float("nan")), Failed(code=-32002, message="nor is this")),
        (McpError(-32002, "too much", "x" * 2_600_000), Failed(code=-32002, message="too much")),
    ],
)
def test_whatever_a_tool_raises_becomes_an_outcome(error: BaseException, outcome: Outcome) -> None:
    def job() -> None:
        raise error

    assert tool_run(job).run() == outcome


def test_what_an_async_tool_raises_becomes_the_same_outcome() -> None:
    async def job() -> None:
        await asyncio.sleep(0)
        sys.exit("enough")

    assert tool_run(job).run() == failure("job failed: SystemExit: enough")


def test_the_reason_of_a_failure_is_in_the_status_message_too() -> None:
    def job() -> None:
        raise ToolError("There is no region 7.")

    made = tool_run(job)
    made.run()

    assert made.current().status_message == "There is no region 7."


@pytest.mark.parametrize("error", [ToolError, ValueError])
def test_an_endless_message_is_cut(error: type[Exception]) -> None:
    def job() -> None:
        raise error("x" * 1_000_000)

    outcome = tool_run(job).run()

    assert isinstance(outcome, Returned)
    assert len(outcome.result["content"][0]["text"]) == MAX_ERROR_CHARACTERS


def test_wrong_arguments_are_the_models_mistake() -> None:
    def job(name: str) -> str:
        return name

    assert tool_run(job, name=7).run() == failure(
        "job was called with wrong arguments: name: Input should be a valid string, not 7"
    )


def test_a_tool_that_was_removed_since_fails_its_task() -> None:
    made = tool_run(lambda: None)
    runner = in_process_runner(made.tasks)

    runner.run(ADA.owner_key, made.task.id)

    assert made.tasks.outcome(ADA, made.task.id) == Failed(code=-32603, message="There is no tool named job any more.")


def test_the_first_outcome_stays_when_two_runs_race() -> None:
    def job() -> str:
        if not rivals:
            rivals.append(1)
            made.runner.run(ADA.owner_key, made.task.id, attempt=2)
            return "second"
        return "first"

    rivals: list[int] = []
    made = tool_run(job)

    assert made.run() == text("first")


def test_a_result_that_no_client_could_be_given_is_an_error_that_says_so() -> None:
    def large() -> str:
        return "x" * MAX_RESULT_CHARACTERS

    outcome = tool_run(large).run()

    assert isinstance(outcome, Returned)
    assert outcome.is_error
    assert "at most" in outcome.result["content"][0]["text"]
