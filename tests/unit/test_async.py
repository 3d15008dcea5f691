"""Steps of an `async def`: recorded once, retried, and what ends a run leaves every group of tasks."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks import Context, ToolError
from mcp_tasks.tasks.model import Returned
from tests.unit.contexts import Name
from tests.unit.tool_run import text, tool_run

HOUR = timedelta(hours=1)


def failing(failures: int, error: type[Exception] = OSError) -> Callable[[], Awaitable[str]]:
    """Return a function that fails so often, and then returns."""
    left = iter(range(failures))

    async def fn() -> str:
        await asyncio.sleep(0)
        if next(left, None) is not None:
            raise error("down")
        return "up"

    return fn


def error_of(job: Callable[..., Any]) -> str:
    outcome = tool_run(job).run()
    assert isinstance(outcome, Returned)
    assert outcome.is_error
    return str(outcome.result["content"][0]["text"])


def test_an_async_step_runs_once_in_the_life_of_a_task() -> None:
    async def count() -> int:
        runs.append(1)
        return len(runs)

    async def job(context: Context) -> str:
        first = await context.step_async("count", count)
        if context.attempt == 1:
            raise KeyboardInterrupt
        return f"{first}, {await context.step_async('again', count)}"

    runs: list[int] = []
    made = tool_run(job)
    with pytest.raises(KeyboardInterrupt):
        made.run()

    assert made.run(attempt=2) == text("1, 2")


def test_an_async_step_is_retried() -> None:
    async def job(context: Context) -> str:
        return await context.step_async("reach", failing(2), retries=2)

    made = tool_run(job)
    began = made.clock.now()

    assert made.run() == text("up")
    assert timedelta(seconds=1.5) <= made.clock.now() - began <= timedelta(seconds=3)


@pytest.mark.parametrize(("failures", "error", "retries"), [(2, OSError, 1), (1, ToolError, 9)])
def test_an_async_step_raises_what_is_not_retried(failures: int, error: type[Exception], retries: int) -> None:
    async def job(context: Context) -> str:
        return await context.step_async("reach", failing(failures, error), retries=retries)

    assert error_of(job).endswith("down")


def test_two_async_steps_of_one_name_are_the_tools_mistake() -> None:
    async def job(context: Context) -> None:
        await asyncio.gather(*(context.step_async("reach", failing(0)) for _ in range(2)))

    assert "two steps are named 'reach'" in error_of(job)


def test_a_step_that_is_given_an_async_function_says_what_to_write() -> None:
    async def job(context: Context) -> None:
        context.step("reach", failing(0))

    assert error_of(job).endswith("step reach has an async function: write `await context.step_async(...)`")


def test_an_async_step_that_is_given_a_plain_function_calls_it_once_and_says_what_to_write() -> None:
    async def job(context: Context) -> None:
        await context.step_async("charge", lambda: calls.append(1), retries=3)  # type: ignore[arg-type,return-value]

    calls: list[int] = []

    assert error_of(job).endswith("step charge has a function that is not async: write `context.step(...)`")
    assert calls == [1]


@pytest.mark.parametrize("ends", ["input", "sleep"])
def test_what_ends_a_run_leaves_a_group_of_tasks(ends: str) -> None:
    async def part(context: Context) -> None:
        if ends == "input":
            context.elicit("Who?", Name, key="name")
        context.sleep(HOUR)

    async def job(context: Context) -> str:
        async with asyncio.TaskGroup() as group:
            group.create_task(part(context))
            group.create_task(asyncio.sleep(3600))
        return "rested"

    made = tool_run(job, client_capabilities=frozenset({"elicitation.form"}))
    if ends == "input":
        made.wait()
        assert made.open_keys() == ["name"]
        made.answer(name={"action": "decline"})
    assert made.run_once() == HOUR


@pytest.mark.parametrize(
    ("failures", "error", "says"),
    [
        (1, OSError, "job failed: OSError: down"),
        (1, ToolError, "down"),
        (2, OSError, "job failed: ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)"),
    ],
)
def test_the_only_error_in_a_group_is_the_tools(failures: int, error: type[Exception], says: str) -> None:
    async def job(context: Context) -> None:
        async with asyncio.TaskGroup() as group:
            for number in range(failures):
                group.create_task(context.step_async(f"reach {number}", failing(1, error)))

    assert error_of(job) == says
