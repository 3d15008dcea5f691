"""A step runs once in the life of a task, however often its tool does."""

import logging
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from mcp_tasks import Context
from mcp_tasks.limits.tools import MAX_STEP_CHARACTERS
from mcp_tasks.tasks.hashing import hashed
from mcp_tasks.tasks.model import Outcome, Returned
from tests.kit import ADA
from tests.unit.tool_run import text, tool_run


def test_a_step_runs_once_in_the_life_of_a_task() -> None:
    def count() -> int:
        runs.append(1)
        return len(runs)

    def job(context: Context) -> list[int]:
        once = [context.step("count", count), context.step("again", count)]
        if context.attempt == 1:
            raise KeyboardInterrupt
        return once

    runs: list[int] = []
    made = tool_run(job)
    with pytest.raises(KeyboardInterrupt):
        made.run()

    assert made.run(attempt=2) == text("[1,2]")


def test_a_step_that_is_recorded_is_written_once_under_the_hash_of_its_name(caplog: pytest.LogCaptureFixture) -> None:
    def job(context: Context) -> str:
        context.step("charge ada@example.com", lambda: "4242")
        if context.attempt == 1:
            raise KeyboardInterrupt
        return "done"

    caplog.set_level(logging.INFO, logger="audit")
    made = tool_run(job)
    with pytest.raises(KeyboardInterrupt):
        made.run()
    made.run(attempt=2)

    (written,) = (vars(each) for each in caplog.records if each.name == "audit")
    assert (written["event"], written["message"]) == ("task.step", "task step")
    assert (written["task"], written["step"]) == (made.task.id, hashed("charge ada@example.com"))
    assert (written["tool"], written["at"]) == ("job", made.clock.now().isoformat())
    assert (written["tenant"], written["subject"]) == (ADA.tenant, ADA.subject)
    assert not [each for each in ("charge", "4242") if each in str(written)]


def test_a_step_that_gave_nothing_is_not_run_again() -> None:
    def job(context: Context) -> str:
        context.step("nothing", lambda: runs.append(1))
        if context.attempt == 1:
            raise KeyboardInterrupt
        return str(len(runs))

    runs: list[int] = []
    made = tool_run(job)
    with pytest.raises(KeyboardInterrupt):
        made.run()

    assert made.run(attempt=2) == text("1")


def test_a_step_that_failed_runs_again() -> None:
    def job(context: Context) -> str:
        with pytest.raises(ZeroDivisionError):
            context.step("divide", lambda: str(1 / 0))
        return context.step("divide", lambda: "worked")

    assert tool_run(job).run() == text("worked")


def test_the_first_run_of_a_step_sees_what_a_replay_will() -> None:
    def job(context: Context) -> None:
        seen.append(context.step("pair", lambda: {1: (2, 3)}))
        if context.attempt == 1:
            raise KeyboardInterrupt

    seen: list[object] = []
    made = tool_run(job)
    with pytest.raises(KeyboardInterrupt):
        made.run()
    made.run(attempt=2)

    assert seen == [{"1": [2, 3]}] * 2


def test_two_steps_of_one_name_are_the_tools_mistake() -> None:
    def job(context: Context) -> None:
        for order in ("one", "two"):
            context.step("charge", partial(charged.append, order))

    charged: list[str] = []
    outcome = tool_run(job).run()

    assert charged == ["one"]
    assert "two steps are named 'charge', and the second would get the result of the first: name each" in error(outcome)


def test_a_step_within_a_step_has_a_name_of_its_own() -> None:
    def job(context: Context) -> None:
        context.step("charge", lambda: context.step("charge", lambda: 1))

    assert "two steps are named 'charge'" in error(tool_run(job).run())


def error(outcome: Outcome) -> str:
    assert isinstance(outcome, Returned)
    assert outcome.is_error
    return str(outcome.result["content"][0]["text"])


@pytest.mark.parametrize("value", [{1, 2}, object(), float("nan")])
def test_a_step_that_gives_no_json_is_the_tools_mistake(value: object) -> None:
    def job(context: Context) -> None:
        context.step("odd", lambda: value)

    outcome = tool_run(job).run()

    assert isinstance(outcome, Returned)
    assert outcome.result["content"][0]["text"].startswith("job failed: TypeError: step odd must return JSON, ")


@pytest.mark.parametrize("value", [datetime(2026, 1, 1, tzinfo=UTC), {"at": date(2026, 1, 1)}, [Path("a")]])
def test_step_that_returns_a_moment_says_what_to_return_instead(value: object) -> None:
    def job(context: Context) -> None:
        context.step("odd", lambda: value)

    said = error(tool_run(job).run())

    assert said.startswith("job failed: TypeError: step odd must return JSON, to be recorded (Object of type ")
    assert "moment.isoformat()" in said


async def fetch() -> int:
    return 1


@pytest.mark.parametrize(("value", "kind"), [(3, "a value (int)"), (None, "a value (NoneType)")])
def test_step_that_is_given_a_value_says_to_pass_a_function(value: Any, kind: str) -> None:
    def job(context: Context) -> None:
        context.step("odd", value, retries=2)

    said = f"job failed: TypeError: step odd is given {kind}, and not a function: write `lambda: ...`, which it calls"
    assert error(tool_run(job).run()).startswith(said)


def test_async_step_that_is_given_an_awaitable_says_to_pass_a_function(recwarn: pytest.WarningsRecorder) -> None:
    async def job(context: Context) -> None:
        await context.step_async("odd", fetch())  # type: ignore[arg-type]  # the mistake

    said = error(tool_run(job).run())

    assert said.startswith("job failed: TypeError: step odd is given an awaitable, and not a function: write")
    assert not recwarn.list


def test_a_step_that_returns_too_much_says_what_to_do_instead() -> None:
    def job(context: Context) -> str:
        with pytest.raises(ValueError, match=r"step read returned 4,000,002 characters of JSON, and 4,000,000 is"):
            context.step("read", lambda: "x" * MAX_STEP_CHARACTERS)
        return context.step("read", lambda: "x" * (MAX_STEP_CHARACTERS - 2))[:1]

    assert tool_run(job).run() == text("x")


def test_the_name_of_a_step_is_bounded() -> None:
    def job(context: Context) -> str:
        with pytest.raises(ValueError, match=r"the name of a step has 10,001 characters: 10,000 is the most"):
            context.step("x" * 10_001, lambda: runs.append(1))
        return str(len(runs))

    runs: list[int] = []
    assert tool_run(job).run() == text("0")
