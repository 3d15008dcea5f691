"""Runs that come twice or late: no input is requested twice, and one outcome counts."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from mcp_tasks import Context
from mcp_tasks.engine.reconciler import Reconciler
from mcp_tasks.limits.waits import KEPT
from mcp_tasks.tasks.model import InputResponse, State, Task
from tests.kit import ADA, IdleExecutor
from tests.unit.contexts import EVERYTHING, accepted
from tests.unit.jobs import MINUTE
from tests.unit.tool_run import ToolRun, greet, text, tool_run

DAY = timedelta(hours=24)


def slow(meanwhile: Callable[[ToolRun], object]) -> ToolRun:
    """Return a harness whose first run knows of no answer, and then takes so long that all of this happens."""

    def job(context: Context) -> str:
        try:
            return greet(context)
        finally:
            if not slept:
                slept.append(True)
                meanwhile(made)

    slept: list[bool] = []
    made = tool_run(job, client_capabilities=EVERYTHING)
    return made


def asks(made: ToolRun) -> None:
    made.clock.advance(MINUTE)
    made.run_once()


def suspends(made: ToolRun) -> None:
    asks(made)
    made.suspend()


def is_answered(made: ToolRun) -> None:
    suspends(made)
    made.answer(name=accepted(name="Ada"))


def ends(made: ToolRun) -> None:
    is_answered(made)
    made.run()


def is_cancelled(made: ToolRun) -> None:
    suspends(made)
    made.cancel()


@pytest.mark.parametrize("meanwhile", [asks, suspends])
def test_what_another_run_asked_first_is_waited_for(meanwhile: Callable[[ToolRun], object]) -> None:
    found: list[Task] = []

    def overtaken(made: ToolRun) -> None:
        meanwhile(made)
        found.append(made.current())

    made = slow(overtaken)

    assert made.run_once() == DAY - KEPT - MINUTE
    assert found == [made.current()]
    assert made.current().requested == ("name",)


def test_a_late_run_does_not_ask_again_what_was_answered() -> None:
    made = slow(is_answered)

    assert made.run_once() is None
    assert (made.current().state, made.current().input_requests) == (State.WORKING, ())
    assert made.tasks.ports.tasks.response(ADA.owner_key, made.task.id, "name") == InputResponse(
        result=accepted(name="Ada")
    )
    assert made.run() == text("Hello, Ada!")


@pytest.mark.parametrize(
    ("meanwhile", "state"), [(ends, State.FINISHED), (is_cancelled, State.CANCELLED)], ids=["ended", "cancelled"]
)
def test_a_late_run_asks_nothing_of_a_task_that_is_over(meanwhile: Callable[[ToolRun], object], state: State) -> None:
    made = slow(meanwhile)

    assert made.run_once() is None
    assert (made.current().state, made.current().input_requests) == (state, ())


def test_a_run_whose_input_requests_are_kept_already_does_not_run_the_tool() -> None:
    runs: list[int] = []

    def job(context: Context) -> str:
        runs.append(context.attempt)
        return greet(context)

    made = tool_run(job, client_capabilities=EVERYTHING)
    made.run_once()
    kept = made.current()

    for attempt in (1, 2):
        assert made.run_once(attempt) == DAY - KEPT
    made.suspend()
    assert made.run_once() == DAY - KEPT
    assert runs == [1]
    assert made.current().input_requests == kept.input_requests


def test_a_run_that_began_before_the_task_suspended_reports_no_more() -> None:
    story: list[str] = []

    def job(context: Context) -> str:
        if not story:
            story.append("began")
            suspends(made)
            try:
                context.report_progress(1)
            finally:
                story.append("ended")
        return greet(context)

    made = tool_run(job, client_capabilities=EVERYTHING)

    assert made.run_once() is None
    assert story == ["began", "ended"]
    assert (made.current().state, made.current().progress) == (State.INPUT_REQUIRED, None)


def test_an_outcome_that_comes_while_another_run_waits_counts_and_nobody_waits_any_more() -> None:
    runs: list[str] = []

    def job(context: Context) -> str:
        if not runs:
            runs.append("first")
            suspends(made)
            runs.append("done")
            return "never asked"
        return greet(context)

    made = tool_run(job, client_capabilities=EVERYTHING)

    assert made.run() == text("never asked")
    assert made.open_keys() == []


def test_suspended_work_of_a_task_that_ended_is_stopped_by_the_stream() -> None:
    made = tool_run(greet, client_capabilities=EVERYTHING)
    suspends(made)
    suspended = made.current()
    ended = made.tasks.finish(ADA.owner_key, made.task.id, text("never asked"))
    executor = made.tasks.ports.executor
    assert isinstance(executor, IdleExecutor)

    Reconciler(tasks=made.tasks, ports=made.tasks.ports).changed(ADA.owner_key, suspended, ended)

    assert executor.stopped == {made.task.id: "the task has finished"}
