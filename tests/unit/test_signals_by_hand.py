"""A control signal that a tool raises itself is a failure of the tool, and has no other effect."""

import pytest

from mcp_tasks import Context
from mcp_tasks.authoring.control_signals import (
    BadInputResponse,
    ContinueAsTask,
    ControlSignal,
    InputNeeded,
    Interrupted,
    NonDeterminismError,
    TaskCancelled,
)
from mcp_tasks.engine.inline_journal import InlineJournal
from mcp_tasks.engine.tool_run import run_tool
from mcp_tasks.features.results import failure
from mcp_tasks.features.tools import tool
from mcp_tasks.tasks.model import State
from tests.kit import ADA
from tests.unit.contexts import input_request
from tests.unit.tool_run import tool_run

SIGNALS = [
    ControlSignal(),
    ContinueAsTask(),
    InputNeeded([]),
    InputNeeded([input_request("a")]),
    NonDeterminismError("a", "b"),
    BadInputResponse("a", "no"),
    Interrupted(),
]
by_hand = pytest.mark.parametrize("signal", SIGNALS, ids=lambda signal: type(signal).__name__)


def reason(signal: ControlSignal) -> str:
    return f"job failed: it raised {type(signal).__name__}, which only the methods of its context may raise"


def logged_tracebacks(caplog: pytest.LogCaptureFixture) -> int:
    return len([record for record in caplog.records if record.levelname == "ERROR" and record.exc_info])


@by_hand
@pytest.mark.parametrize("may_become_task", [True, False])
def test_within_a_request_it_is_a_failure_of_the_tool(
    signal: ControlSignal, may_become_task: bool, caplog: pytest.LogCaptureFixture
) -> None:
    def job() -> None:
        raise signal

    context = Context(caller=ADA, journal=InlineJournal(may_become_task=may_become_task))

    assert run_tool(tool(description="A job.")(job), {}, context) == failure(reason(signal))
    assert logged_tracebacks(caplog) == 1


@by_hand
def test_it_is_the_outcome_of_a_task(signal: ControlSignal, caplog: pytest.LogCaptureFixture) -> None:
    def job() -> None:
        raise signal

    assert tool_run(job).run() == failure(reason(signal))
    assert logged_tracebacks(caplog) == 1


@by_hand
def test_it_is_no_different_within_a_step(signal: ControlSignal) -> None:
    def job(context: Context) -> None:
        def step() -> None:
            raise signal

        context.step("one", step)

    assert tool_run(job).run() == failure(reason(signal))


def test_a_tool_that_gives_up_has_failed_though_its_task_was_not_cancelled() -> None:
    def job() -> None:
        raise TaskCancelled

    assert tool_run(job).run() == failure("job failed: it raised TaskCancelled, but was not cancelled.")


def test_a_tool_may_raise_the_signal_of_its_context_anew() -> None:
    def job(context: Context) -> None:
        made.cancel()
        try:
            context.report_progress(1)
        except TaskCancelled:
            raise TaskCancelled from None

    made = tool_run(job)
    made.runner.run(ADA.owner_key, made.task.id)

    assert made.current().state is State.CANCELLED
