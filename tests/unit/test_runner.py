"""Whatever a tool does, its task gets one outcome, and a tool whose task is over learns of it."""

import asyncio
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks import Context, McpError, TaskCancelled, ToolError, tool
from mcp_tasks.adapters.memory import MemoryTaskStore
from mcp_tasks.ports import Ports
from mcp_tasks.runner import LARGEST_RESULT, LONGEST_MESSAGE, Runner, run_inline
from mcp_tasks.service import TaskService
from mcp_tasks.tasks.errors import StaleTask, TaskNotFound
from mcp_tasks.tasks.model import JSON, Faulted, Outcome, Progress, Returned, State, Task
from mcp_tasks.tenancy import ANONYMOUS, Caller
from mcp_tasks.tools import Toolbox, failure
from tests.kit import ADA, FixedClock, memory_ports
from tests.unit.test_signature import DEAF

SECOND = timedelta(seconds=1)


@dataclass(frozen=True, kw_only=True)
class Bench:
    """One tool, one task of it, and what it takes to run it."""

    clock: FixedClock
    tasks: TaskService
    runner: Runner
    task: Task
    caller: Caller = ADA

    def run(self, attempt: int = 1) -> Outcome:
        self.runner.run(self.caller.scope, self.task.id, attempt=attempt)
        return self.tasks.outcome(self.caller, self.task.id)

    def look(self) -> Task:
        return self.tasks.look(self.caller, self.task.id)

    def cancel(self) -> None:
        self.tasks.cancel(self.caller, self.task.id)


def bench(
    function: Callable[..., Any],
    caller: Caller = ADA,
    store: Callable[[FixedClock], MemoryTaskStore] = MemoryTaskStore,
    **arguments: JSON,
) -> Bench:
    clock = FixedClock()
    made = tool(name="job")(function)
    ports: Ports = replace(memory_ports(clock), tasks=store(clock))
    tasks = TaskService(ports=ports)
    task = tasks.start(caller, made, arguments)
    return Bench(clock=clock, tasks=tasks, runner=Runner(tasks=tasks, tools=Toolbox([made])), task=task, caller=caller)


def text(words: str) -> Returned:
    return Returned(result={"content": [{"type": "text", "text": words}]})


def test_a_tool_that_returns_finishes_its_task() -> None:
    def job(name: str) -> str:
        return f"Hello, {name}!"

    made = bench(job, name="Ada")

    assert made.run() == text("Hello, Ada!")
    assert (made.look().state, made.look().version) == (State.FINISHED, 2)


def test_an_async_tool_is_awaited() -> None:
    async def job() -> str:
        await asyncio.sleep(0)
        return "done"

    assert bench(job).run() == text("done")


def test_a_tool_is_told_who_calls_what_for_and_how_often() -> None:
    seen: list[Context] = []

    def job(context: Context) -> None:
        seen.append(context)

    made = bench(job)
    made.run(attempt=3)

    assert [(each.caller, each.task_id, each.attempt) for each in seen] == [(ADA, made.task.id, 3)]


def test_a_tool_that_works_for_nobody_known_is_told_so() -> None:
    def job(context: Context) -> str:
        return f"{context.caller.identified}"

    assert bench(job, caller=ANONYMOUS).run() == text("False")


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (ToolError("There is no region 7; use 1 to 4."), failure("There is no region 7; use 1 to 4.")),
        (ValueError("no"), failure("job failed: ValueError: no")),
        (SystemExit(2), failure("job failed: SystemExit: 2")),
        (asyncio.CancelledError(), failure("job failed: CancelledError: ")),
        (RecursionError("deep"), failure("job failed: RecursionError: deep")),
        (McpError(-32002, "gone", {"uri": "x"}), Faulted(code=-32002, message="gone", data={"uri": "x"})),
        (McpError(-32002, "data that is no JSON", {1, 2}), Faulted(code=-32002, message="data that is no JSON")),
        (McpError(-32002, "nor is this", float("nan")), Faulted(code=-32002, message="nor is this")),
        (McpError(-32002, "too much", "x" * 2_600_000), Faulted(code=-32002, message="too much")),
    ],
)
def test_whatever_a_tool_raises_becomes_an_outcome(error: BaseException, outcome: Outcome) -> None:
    def job() -> None:
        raise error

    assert bench(job).run() == outcome


def test_what_an_async_tool_raises_becomes_the_same_outcome() -> None:
    async def job() -> None:
        await asyncio.sleep(0)
        sys.exit("enough")

    assert bench(job).run() == failure("job failed: SystemExit: enough")


def test_why_a_task_failed_is_told_in_a_line_too() -> None:
    def job() -> None:
        raise ToolError("There is no region 7.")

    made = bench(job)
    made.run()

    assert made.look().note == "There is no region 7."


@pytest.mark.parametrize("error", [ToolError, ValueError])
def test_an_endless_message_is_cut(error: type[Exception]) -> None:
    def job() -> None:
        raise error("x" * 1_000_000)

    outcome = bench(job).run()

    assert isinstance(outcome, Returned)
    assert len(outcome.result["content"][0]["text"]) == LONGEST_MESSAGE


def test_wrong_arguments_are_the_models_mistake() -> None:
    def job(name: str) -> str:
        return name

    assert bench(job, name=7).run() == failure(
        "job was called with wrong arguments: name: Input should be a valid string, not 7"
    )


def test_a_tool_that_was_taken_away_since_is_a_fault() -> None:
    made = bench(lambda: None)
    runner = replace(made.runner, tools=Toolbox([]))

    runner.run(ADA.scope, made.task.id)

    assert made.tasks.outcome(ADA, made.task.id) == Faulted(code=-32603, message="There is no tool named job any more.")


def test_a_task_that_is_gone_or_final_is_not_run() -> None:
    def job() -> None:
        raise AssertionError("must not run")

    made = bench(job)
    made.cancel()

    made.runner.run(ADA.scope, made.task.id)
    made.runner.run(ADA.scope, "no such task")
    made.clock.sleep(made.task.ttl)
    made.runner.run(ADA.scope, made.task.id)


@pytest.mark.parametrize("ending", [None, "ToolError"])
def test_an_outcome_that_comes_after_the_cancel_is_dropped(ending: str | None) -> None:
    def job() -> str:
        made.cancel()
        if ending:
            raise ToolError(ending)
        return "too late"

    made = bench(job)
    made.runner.run(ADA.scope, made.task.id)

    assert (made.look().state, made.look().version) == (State.CANCELLED, 2)
    with pytest.raises(TaskNotFound):
        made.tasks.outcome(ADA, made.task.id)


def test_the_first_outcome_stays_when_two_runs_race() -> None:
    def job() -> str:
        if not rivals:
            rivals.append(1)
            made.runner.run(ADA.scope, made.task.id, attempt=2)
            return "second"
        return "first"

    rivals: list[int] = []
    made = bench(job)

    assert made.run() == text("first")


# Progress ------------------------------------------------------------------------------------------------------------


def test_progress_is_written_at_most_once_a_second() -> None:
    def job(context: Context) -> None:
        for done in range(10):
            context.report_progress(done, 10, f"{done} of 10")
            versions.append(made.look().version)
            made.clock.sleep(SECOND / 4)

    versions: list[int] = []
    made = bench(job)
    made.run()

    assert versions == [2, 2, 2, 2, 3, 3, 3, 3, 4, 4]


def test_progress_shows_in_the_task() -> None:
    def job(context: Context) -> None:
        context.report_progress(1, 4, "one of four")
        seen.append(made.look())

    seen: list[Task] = []
    made = bench(job)
    made.run()

    assert seen[0].progress == Progress(progress=1, total=4, message="one of four")
    assert (seen[0].note, seen[0].state) == ("one of four", State.WORKING)


def test_written_progress_only_rises_also_when_the_tool_runs_again() -> None:
    def job(context: Context) -> None:
        for done in [1, 3, 3, 2, 4]:
            context.report_progress(done)
            task = made.look()
            seen.append((task.progress.progress if task.progress else None, task.version))
            made.clock.sleep(SECOND)
        if context.attempt == 1:
            raise KeyboardInterrupt

    seen: list[tuple[float | None, int]] = []
    made = bench(job)
    with pytest.raises(KeyboardInterrupt):
        made.run()
    assert seen == [(1, 2), (3, 3), (3, 3), (3, 3), (4, 4)]
    seen.clear()
    made.run(attempt=2)

    assert seen == [(4, 4)] * 5


@pytest.mark.parametrize(("progress", "total"), [(float("nan"), None), (float("inf"), None), (1, float("nan"))])
def test_progress_that_is_no_number_is_the_tools_mistake(progress: float, total: float | None) -> None:
    def job(context: Context) -> None:
        context.report_progress(progress, total)

    assert isinstance(outcome := bench(job).run(), Returned)
    assert outcome.is_error
    assert "means nothing" in outcome.result["content"][0]["text"]


def test_a_report_that_loses_every_race_is_left_out() -> None:
    class Crowded(MemoryTaskStore):
        """Somebody else always writes first, except the outcome."""

        def write(self, scope: str, before: Task, after: Task, outcome: Outcome | None = None) -> None:
            if outcome is None:
                raise StaleTask
            super().write(scope, before, after, outcome)

    def job(context: Context) -> str:
        context.report_progress(1)
        return "done"

    made = bench(job, store=Crowded)

    assert made.run() == text("done")
    assert made.look().progress is None


# Cancelling -----------------------------------------------------------------------------------------------------------


def report(context: Context) -> None:
    context.report_progress(7)


def step(context: Context) -> None:
    context.step("more", lambda: 7)


def report_less(context: Context) -> None:
    context.report_progress(0)


@pytest.mark.parametrize("touch", [report, step, report_less])
@pytest.mark.parametrize("end", ["cancel", "expire"])
def test_a_tool_learns_that_its_task_is_over_and_cannot_overlook_it(
    touch: Callable[[Context], None], end: str, caplog: pytest.LogCaptureFixture
) -> None:
    def job(context: Context) -> str:
        context.report_progress(1)
        made.clock.sleep(SECOND)
        if end == "cancel":
            made.cancel()
        else:
            made.clock.sleep(made.task.ttl)
        try:
            touch(context)
        except Exception:  # noqa: BLE001  # what many tools do
            story.append("swallowed")
        finally:
            story.append("cleaned up")
        story.append("went on")
        return "done"

    story: list[str] = []
    made = bench(job)
    made.runner.run(ADA.scope, made.task.id)

    assert story == ["cleaned up"]
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_an_async_tool_learns_of_it_too() -> None:
    async def job(context: Context) -> None:
        made.cancel()
        try:
            context.report_progress(1)
        except TaskCancelled:
            story.append("cancelled")
            raise

    story: list[str] = []
    made = bench(job)
    made.runner.run(ADA.scope, made.task.id)

    assert story == ["cancelled"]
    assert made.look().state is State.CANCELLED


# Steps ----------------------------------------------------------------------------------------------------------------


def test_a_step_runs_once_in_the_life_of_a_task() -> None:
    def count() -> int:
        runs.append(1)
        return len(runs)

    def job(context: Context) -> list[int]:
        once = [context.step("count", count), context.step("count", count), context.step("again", count)]
        if context.attempt == 1:
            raise KeyboardInterrupt
        return once

    runs: list[int] = []
    made = bench(job)
    with pytest.raises(KeyboardInterrupt):
        made.run()

    assert made.run(attempt=2) == text("[1,1,2]")


def test_a_step_that_gave_nothing_is_not_run_again() -> None:
    def job(context: Context) -> str:
        context.step("note", lambda: runs.append(1))
        context.step("note", lambda: runs.append(1))
        return str(len(runs))

    runs: list[int] = []

    assert bench(job).run() == text("1")


def test_a_step_that_failed_runs_again() -> None:
    def job(context: Context) -> str:
        with pytest.raises(ZeroDivisionError):
            context.step("divide", lambda: str(1 / 0))
        return context.step("divide", lambda: "worked")

    assert bench(job).run() == text("worked")


def test_the_first_run_of_a_step_sees_what_a_replay_will() -> None:
    def job(context: Context) -> str:
        return str([context.step("pair", lambda: {1: (2, 3)}) for _ in range(2)])

    assert bench(job).run() == text("[{'1': [2, 3]}, {'1': [2, 3]}]")


@pytest.mark.parametrize("value", [{1, 2}, object(), float("nan")])
def test_a_step_that_gives_no_json_is_the_tools_mistake(value: object) -> None:
    def job(context: Context) -> None:
        context.step("odd", lambda: value)

    outcome = bench(job).run()

    assert isinstance(outcome, Returned)
    assert outcome.result["content"][0]["text"].startswith("job failed: TypeError: step odd must return JSON: ")


# Without a task -------------------------------------------------------------------------------------------------------


def test_a_tool_without_a_task_runs_for_whoever_waits() -> None:
    def job(context: Context) -> str:
        return f"{context.caller.subject} {context.task_id} {context.attempt}"

    assert run_inline(tool()(job), {}, ADA, DEAF) == text("ada None 1")


def test_a_tool_without_a_task_fails_in_the_same_words() -> None:
    def job(name: str) -> str:
        return name

    assert run_inline(tool()(job), {}, ADA, DEAF) == failure("job was called with wrong arguments: name is missing")


def test_a_result_that_no_client_could_be_given_is_an_error_that_says_so() -> None:
    def large() -> str:
        return "x" * LARGEST_RESULT

    outcome = bench(large).run()

    assert isinstance(outcome, Returned)
    assert outcome.is_error
    assert "at most" in outcome.result["content"][0]["text"]
