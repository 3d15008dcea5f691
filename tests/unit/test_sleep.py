"""A run that sleeps ends, and the next one goes on: neither the tool nor the store may mistake it for another end."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks import Context
from mcp_tasks.engine.suspension import Suspension
from mcp_tasks.ports.executor import Execution
from mcp_tasks.tasks.model import State
from mcp_tasks.testing.journal import NULL_JOURNAL
from tests.kit import ADA, NOON, IdleExecutor
from tests.unit.tool_run import ToolRun, text, tool_run

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


def sleeper(*durations: timedelta) -> tuple[ToolRun, list[int]]:
    """Return a tool that sleeps so often, and a list that grows with each of its runs."""
    runs: list[int] = []

    def job(context: Context) -> str:
        runs.append(len(runs))
        for each in durations:
            context.sleep(each)
        return "rested"

    return tool_run(job), runs


def executor_of(made: ToolRun) -> IdleExecutor:
    executor = made.tasks.ports.executor
    assert isinstance(executor, IdleExecutor)
    return executor


def test_a_run_ends_where_it_sleeps_and_the_next_one_goes_on() -> None:
    made, runs = sleeper(HOUR, 2 * HOUR)

    assert made.run_once() == HOUR
    made.clock.advance(HOUR)
    assert made.run_once() == 2 * HOUR
    made.clock.advance(2 * HOUR)
    assert made.run() == text("rested")
    assert len(runs) == 3


def test_a_run_that_comes_too_early_is_none() -> None:
    made, runs = sleeper(HOUR)
    made.run_once()
    made.clock.advance(HOUR / 4)

    assert made.run_once() == HOUR * 3 / 4
    assert len(runs) == 1


def test_an_execution_that_waits_for_a_sleep_is_not_resumed() -> None:
    made, _ = sleeper(HOUR)
    made.run_once()

    made.suspend()

    assert executor_of(made).resumed == []
    task = made.current()
    assert (task.state, task.tokens) == (State.WORKING, ())


def test_an_execution_that_waits_for_no_sleep_any_more_is_resumed() -> None:
    late, _ = sleeper(HOUR)
    late.run_once()
    late.clock.advance(HOUR)
    late.suspend()
    assert len(executor_of(late).resumed) == 1

    cancelled, _ = sleeper(HOUR)
    cancelled.run_once()
    cancelled.cancel()
    cancelled.suspend()
    assert len(executor_of(cancelled).resumed) == 1


def test_a_cancelled_task_does_not_run_when_it_would_wake() -> None:
    made, runs = sleeper(HOUR)
    made.run_once()
    made.cancel()
    made.clock.advance(HOUR)

    assert made.run_once() is None
    assert len(runs) == 1


def test_a_task_that_sleeps_beyond_its_timeout_is_not_overdue() -> None:
    made, _ = sleeper(5 * HOUR)
    began = made.clock.now()
    made.run_once()

    assert made.current().timeout < HOUR
    assert made.current().due_at == began + 5 * HOUR + made.current().timeout
    assert executor_of(made).describe(made.current()) is Execution.RUNNING


def test_a_task_that_sleeps_until_its_time_is_over_still_runs_when_it_wakes_two_minutes_late() -> None:
    made, runs = sleeper(DAY - 5 * MINUTE)
    made.run_once()
    assert (made.current().wakes_at, made.current().due_at) == (NOON + DAY - 5 * MINUTE,) * 2
    made.clock.advance(DAY - 3 * MINUTE)

    assert made.run() == text("rested")
    assert len(runs) == 2


def test_a_tool_cannot_take_its_sleep_for_a_failure() -> None:
    def job(context: Context) -> str:
        try:
            context.sleep(HOUR)
        except Exception:  # noqa: BLE001  # as tools do
            return "woken by an error"
        return "rested"

    made = tool_run(job)
    assert made.run_once() == HOUR
    made.clock.advance(HOUR)
    assert made.run() == text("rested")


def test_an_async_tool_may_sleep() -> None:
    async def job(context: Context) -> str:
        await asyncio.sleep(0)
        context.sleep(HOUR)
        return "rested"

    made = tool_run(job)
    assert made.run_once() == HOUR
    made.clock.advance(HOUR)
    assert made.run() == text("rested")


def test_a_step_may_not_have_the_name_of_a_sleep() -> None:
    def job(context: Context) -> None:
        context.sleep(timedelta())
        context.step("sleep 1", lambda: "2026-01-01")

    made = tool_run(job)
    made.run_once()

    assert "ValueError: two steps are named" in str(made.tasks.outcome(ADA, made.task.id))


@pytest.mark.parametrize("duration", [10 * DAY, timedelta.max])
def test_a_sleep_that_would_outlast_the_task_is_an_error(duration: timedelta) -> None:
    made, _ = sleeper(duration)
    made.run_once()

    assert f"The task cannot sleep for {duration}: it is kept for" in str(made.tasks.outcome(ADA, made.task.id))


@pytest.mark.parametrize(
    ("duration", "says"),
    [
        (60, "context.sleep: duration is a timedelta, such as timedelta(seconds=10), not 60"),
        (-HOUR, "context.sleep: duration cannot be negative"),
    ],
)
def test_what_is_no_duration_is_an_error_that_says_so(duration: Any, says: str) -> None:
    with pytest.raises((TypeError, ValueError)) as raised:
        Context(caller=ADA, journal=NULL_JOURNAL).sleep(duration)
    assert says in str(raised.value)


def test_a_run_that_dies_before_it_has_said_that_it_sleeps_is_repeated_and_sleeps_no_longer() -> None:
    made, runs = sleeper(HOUR)
    suspension, died = Suspension(tasks=made.tasks), made.run_once()
    made.clock.advance(HOUR / 2)

    # Step Functions, to which that run told nothing, runs the tool again.
    assert (died, made.run_once(attempt=2)) == (HOUR, HOUR / 2)
    assert (len(runs), suspension.remaining(made.current())) == (1, HOUR / 2)
