"""A host that is unavailable for a while: the run sends again what it would lose, leaves reports out, and then ends."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from mcp_tasks import Context
from mcp_tasks.engine.runner import RunInterrupted
from mcp_tasks.run_host.client import Send
from mcp_tasks.tasks.errors import Unavailable
from mcp_tasks.tasks.model import JSON, State
from tests.kit import FixedClock
from tests.unit.tool_run import ToolRun, text, tool_run

SECOND = timedelta(seconds=1)


def working(context: Context) -> str:
    return context.step("work", lambda: "done")


def unavailable(send: Send, clock: FixedClock, sent: list[JSON], ends: datetime, *does: str) -> Send:
    """Return what does not send some messages until a moment; `sent` fills with when it was asked to."""

    def refuse(message: Mapping[str, JSON]) -> Mapping[str, JSON]:
        if message["does"] in does:
            sent.append(message["does"])
            if clock.now() < ends:
                raise Unavailable
        return send(message)

    return refuse


def run(made: ToolRun, seconds: int, *does: str) -> list[JSON]:
    sent: list[JSON] = []
    ends = made.clock.now() + seconds * SECOND
    runner = replace(made.runner.runner, send=unavailable(made.runner.runner.send, made.clock, sent, ends, *does))
    replace(made.runner, runner=runner).run(made.caller.owner_key, made.task.id)
    return sent


@pytest.mark.parametrize("does", ["recall", "record", "finish", "published", "status_reported"])
def test_a_message_is_sent_again_until_it_arrives(does: str) -> None:
    def job(context: Context) -> str:
        context.report_status("begun")
        context.resource_updated("test://data")
        return context.step("work", lambda: "done")

    made = tool_run(job)

    assert run(made, 45, does) == [does] * 8
    assert made.tasks.outcome(made.caller, made.task.id) == text("done")


@pytest.mark.parametrize("does", ["recall", "record", "finish"])
def test_a_run_whose_host_stays_unavailable_is_interrupted_after_a_minute(does: str) -> None:
    made = tool_run(working)
    began = made.clock.now()

    with pytest.raises(RunInterrupted):
        run(made, 3600, does)
    assert made.current().state is State.WORKING
    assert made.clock.now() - began == 55 * SECOND


def test_a_run_that_cannot_be_loaded_is_interrupted_at_once() -> None:
    made = tool_run(working)
    began = made.clock.now()

    with pytest.raises(RunInterrupted):
        run(made, 3600, "load")
    assert made.clock.now() == began


def test_reports_are_left_out_for_half_a_minute_each_and_the_run_completes() -> None:
    def job(context: Context) -> str:
        for done in range(100):
            context.report_progress(done)
            made.clock.sleep(SECOND)
        return "done"

    made = tool_run(job)

    assert len(run(made, 50, "progressed")) == 40
    assert made.tasks.outcome(made.caller, made.task.id) == text("done")


def test_a_check_between_two_attempts_of_a_step_is_left_out() -> None:
    def fails_once() -> str:
        failed.append(1)
        if len(failed) == 1:
            raise OSError
        return "done"

    failed: list[int] = []

    def job(context: Context) -> str:
        return context.step("work", fails_once, retries=1)

    made = tool_run(job)

    assert run(made, 3600, "check") == ["check"]
    assert made.tasks.outcome(made.caller, made.task.id) == text("done")
