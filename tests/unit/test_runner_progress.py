"""A tool's progress is stored with its task: at intervals, and never decreasing."""

import logging
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

import pytest

from mcp_tasks import Context
from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.ports.store import NO_RECORDS
from mcp_tasks.tasks.errors import StaleTask
from mcp_tasks.tasks.model import InputResponse, Outcome, Progress, Returned, State, Task
from mcp_tasks.tasks.plan import NO_PLAN, Plan
from tests.kit import NOON
from tests.unit.tool_run import SECOND, text, tool_run


def test_progress_is_written_at_most_once_a_second() -> None:
    def job(context: Context) -> None:
        for done in range(10):
            context.report_progress(done, 10, f"{done} of 10")
            versions.append(made.current().version)
            made.clock.sleep(SECOND / 4)

    versions: list[int] = []
    made = tool_run(job)
    made.run()

    assert versions == [2, 2, 2, 2, 3, 3, 3, 3, 4, 4]


@pytest.mark.parametrize("reports", [1, 4])
@pytest.mark.parametrize(
    "wait", [lambda context: context.sleep(SECOND), lambda context: context.list_roots(key="roots")]
)
def test_progress_is_written_before_the_run_waits_however_soon_after_the_last_one(
    wait: Callable[[Context], object], reports: int
) -> None:
    def job(context: Context) -> None:
        for done in range(reports):
            context.report_progress(done)
        wait(context)

    made = tool_run(job, client_capabilities=frozenset({"roots"}))
    made.run_once()

    assert made.current().progress == Progress(progress=reports - 1)


def test_progress_shows_in_the_task() -> None:
    def job(context: Context) -> None:
        context.report_progress(1, 4, "one of four")
        seen.append(made.current())

    seen: list[Task] = []
    made = tool_run(job)
    made.run()

    assert seen[0].progress == Progress(progress=1, total=4, message="one of four")
    assert (seen[0].status_message, seen[0].state) == ("one of four", State.WORKING)


def test_words_show_in_the_task_without_a_number_and_as_soon_as_they_differ() -> None:
    def job(context: Context) -> None:
        for words in ["unpacking", "sorting", "sorting", "packing"]:
            context.report_status(words)
            task = made.current()
            seen.append((task.status_message, task.progress, task.version))

    seen: list[tuple[str | None, Progress | None, int]] = []
    made = tool_run(job)
    made.run()

    assert seen == [("unpacking", None, 2), ("sorting", None, 3), ("sorting", None, 3), ("packing", None, 4)]


def test_words_do_not_hold_back_a_number_nor_a_number_words() -> None:
    def job(context: Context) -> None:
        context.report_progress(1, 2, "half of it")
        context.report_status("sorting")
        seen.append(made.current())

    seen: list[Task] = []
    made = tool_run(job)
    made.run()

    assert (seen[0].status_message, seen[0].progress) == (
        "sorting",
        Progress(progress=1, total=2, message="half of it"),
    )


def test_what_is_expected_is_written_once_a_second_and_the_last_of_it_with_the_next_step() -> None:
    def job(context: Context) -> None:
        for done in range(10):
            context.expect(timedelta(minutes=5) - 2 * done * SECOND)
            versions.append(made.current().version)
            made.clock.sleep(SECOND / 4)
        said.append(made.clock.now() - SECOND / 4 + timedelta(minutes=5) - 18 * SECOND)
        made.clock.sleep(SECOND)
        context.step("next", lambda: None)
        said.append(made.current().expected_at)

    versions: list[int] = []
    said: list[datetime | None] = []
    made = tool_run(job)
    made.run()

    assert versions == [2, 2, 2, 2, 3, 3, 3, 3, 4, 4]
    assert said[0] == said[1]


@pytest.mark.parametrize(("first", "then"), [(1, 120), (120, 1)])
def test_a_surprise_is_written_at_once(first: int, then: int) -> None:
    def job(context: Context) -> None:
        context.expect(timedelta(minutes=first))
        context.expect(timedelta(minutes=then))
        seen.append(made.current())

    seen: list[Task] = []
    made = tool_run(job)
    made.run()

    assert seen[0].expected_at == min(NOON + timedelta(minutes=then), seen[0].expires_at)


def test_guesses_that_swing_are_written_twice_a_second_and_the_last_of_them_with_the_next_step() -> None:
    def job(context: Context) -> None:
        for turn in range(200):
            context.expect(timedelta(minutes=120 if turn % 2 else 1))
            made.clock.sleep(SECOND / 50)
        seen.append(made.current())
        made.clock.sleep(SECOND)
        context.step("next", lambda: None)
        seen.append(made.current())

    seen: list[Task] = []
    made = tool_run(job)
    before = made.current().version
    made.run()

    # Each is the beginning of a second.
    assert seen[0].version - before <= 2 * 4
    assert seen[1].expected_at == NOON + 199 * SECOND / 50 + timedelta(minutes=120)


@pytest.mark.parametrize("words", ["unpacking", "sorting"])
def test_a_cancelled_tool_learns_of_it_when_it_says_where_it_stands(words: str) -> None:
    def job(context: Context) -> None:
        context.report_status("unpacking")
        made.cancel()
        context.report_status(words)
        reached.append(words)

    reached: list[str] = []
    made = tool_run(job)
    made.run_once()

    assert (reached, made.current().state) == ([], State.CANCELLED)


def test_written_progress_only_rises_also_when_the_tool_runs_again() -> None:
    def job(context: Context) -> None:
        for done in [1, 3, 3, 2, 4]:
            context.report_progress(done)
            task = made.current()
            seen.append((task.progress.progress if task.progress else None, task.version))
            made.clock.sleep(SECOND)
        if context.attempt == 1:
            raise KeyboardInterrupt

    seen: list[tuple[float | None, int]] = []
    made = tool_run(job)
    with pytest.raises(KeyboardInterrupt):
        made.run()
    assert seen == [(1, 2), (3, 3), (3, 3), (3, 3), (4, 4)]
    seen.clear()
    made.run(attempt=2)

    # One more is that of the status, which says that this is another attempt.
    assert seen == [(4, 5)] * 5


@pytest.mark.parametrize(("progress", "total"), [(float("nan"), None), (float("inf"), None), (1, float("nan"))])
def test_progress_that_is_no_number_is_the_tools_mistake(progress: float, total: float | None) -> None:
    def job(context: Context) -> None:
        context.report_progress(progress, total)

    assert isinstance(outcome := tool_run(job).run(), Returned)
    assert outcome.is_error
    assert "must be finite numbers" in outcome.result["content"][0]["text"]


def test_a_report_that_loses_every_race_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)

    class Crowded(MemoryTaskStore):
        """Another process always writes first, except for the outcome."""

        def write(
            self,
            owner_key: str,
            before: Task,
            after: Task,
            outcome: Outcome | None = None,
            responses: Mapping[str, InputResponse] = NO_RECORDS.responses,
            plan: Plan = NO_PLAN,
        ) -> Task:
            if outcome is None:
                raise StaleTask
            return super().write(owner_key, before, after, outcome, responses, plan)

    def job(context: Context) -> str:
        context.report_progress(1)
        return "done"

    made = tool_run(job, store=Crowded)

    assert made.run() == text("done")
    assert made.current().progress is None
    logged = [(each.levelname, vars(each)["task"], vars(each)["fallback"]) for each in caplog.records]
    assert logged == [("INFO", made.task.id, "report_left_out")]


def test_a_run_says_when_it_will_be_done_and_says_better_later() -> None:
    def job(context: Context) -> None:
        for left in (60, 60.5, 30):
            context.expect(SECOND * left)
            task = made.current()
            seen.append((task.expected_at, task.version))

    seen: list[tuple[datetime | None, int]] = []
    made = tool_run(job)
    made.run()

    assert seen == [(NOON + SECOND * 60, 2), (NOON + SECOND * 60, 2), (NOON + SECOND * 30, 3)]


def test_a_run_cannot_say_that_it_was_done_before() -> None:
    def job(context: Context) -> None:
        context.expect(-SECOND)

    made = tool_run(job)
    made.run()

    assert "context.expect: duration cannot be negative" in str(made.tasks.outcome(made.caller, made.task.id))
