"""A tool whose task is final is interrupted, and nothing that it reports then is stored."""

import logging
from collections.abc import Callable

import pytest

from mcp_tasks import Context, TaskCancelled, ToolError
from mcp_tasks.tasks.errors import TaskNotFound
from mcp_tasks.tasks.model import State
from tests.kit import ADA
from tests.unit.tool_run import SECOND, tool_run


def test_a_task_that_is_gone_or_final_is_not_run_and_the_log_names_it(caplog: pytest.LogCaptureFixture) -> None:
    def job() -> None:
        raise AssertionError("must not run")

    made = tool_run(job)
    made.cancel()
    caplog.set_level(logging.INFO, "mcp_tasks.engine.runner")

    made.runner.run(ADA.owner_key, made.task.id)
    made.runner.run(ADA.owner_key, "no such task")
    made.clock.sleep(made.task.ttl)
    made.runner.run(ADA.owner_key, made.task.id)

    named = [record.__dict__["task"] for record in caplog.records if "not wanted any more" in record.message]
    assert named == [made.task.id, "no such task", made.task.id]


@pytest.mark.parametrize("outcome_kind", [None, "ToolError"])
def test_an_outcome_that_comes_after_the_cancel_is_dropped(outcome_kind: str | None) -> None:
    def job() -> str:
        made.cancel()
        if outcome_kind:
            raise ToolError(outcome_kind)
        return "too late"

    made = tool_run(job)
    made.runner.run(ADA.owner_key, made.task.id)

    assert (made.current().state, made.current().version) == (State.CANCELLED, 2)
    with pytest.raises(TaskNotFound):
        made.tasks.outcome(ADA, made.task.id)


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
    made = tool_run(job)
    made.runner.run(ADA.owner_key, made.task.id)

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
    made = tool_run(job)
    made.runner.run(ADA.owner_key, made.task.id)

    assert story == ["cancelled"]
    assert made.current().state is State.CANCELLED
