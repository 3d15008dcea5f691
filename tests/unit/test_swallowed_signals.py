"""A control signal ends the run also where the tool's code catches it, and goes on."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Thread

import pytest

from mcp_tasks import Context, ToolError
from mcp_tasks.authoring.control_signals import TaskCancelled
from tests.unit.contexts import EVERYTHING, Name, accepted
from tests.unit.tool_run import text, tool_run

HOUR = timedelta(hours=1)


def caught(context: Context) -> str:
    try:
        context.sleep(HOUR)
    except BaseException:  # noqa: BLE001  # as some tools do
        return "awake too early"
    return "rested"


def caught_and_raised_anew(context: Context) -> str:
    try:
        context.sleep(HOUR)
    except BaseException as error:  # as some tools do
        raise ToolError("awake too early") from error
    return "rested"


async def gathered(context: Context) -> str:
    async def sleep() -> None:
        context.sleep(HOUR)

    results = await asyncio.gather(sleep(), return_exceptions=True)
    return "awake too early" if results[0] else "rested"


def in_a_thread(context: Context) -> str:
    slept: list[None] = []
    thread = Thread(target=lambda: slept.append(context.sleep(HOUR)))  # type: ignore[func-returns-value]  # None
    thread.start()
    thread.join()
    return "rested" if slept else "awake too early"


def in_a_pool(context: Context) -> str:
    with ThreadPoolExecutor() as pool:
        return "awake too early" if pool.submit(context.sleep, HOUR).exception() else "rested"


@pytest.mark.parametrize("job", [caught, caught_and_raised_anew, gathered, in_a_thread, in_a_pool])
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_tool_that_keeps_its_sleep_from_ending_the_run_sleeps(job: Callable[[Context], str]) -> None:
    made = tool_run(job)

    assert made.run_once() == HOUR
    made.clock.advance(HOUR)
    assert made.run() == text("rested")


def test_a_run_that_asked_asks_nothing_more() -> None:
    def job(context: Context) -> str:
        answers = []
        for key in ("first", "second"):
            try:
                answers.append(context.elicit("Who?", Name, key=key))
            except BaseException:  # noqa: BLE001  # as some tools do
                continue
        return str(len(answers))

    made = tool_run(job, client_capabilities=EVERYTHING).wait()
    assert [each.key for each in made.current().input_requests] == ["first"]
    made.answer(first=accepted(name="Ada"))
    made.wait()
    assert [each.key for each in made.current().input_requests] == ["second"]
    made.answer(second=accepted(name="Bob"))
    assert made.run() == text("2")


def test_a_run_that_has_to_end_for_two_reasons_ends_for_the_first() -> None:
    def job(context: Context) -> str:
        try:
            name = context.elicit("Who?", Name, key="who")
        except BaseException:  # noqa: BLE001  # as some tools do
            name = None
        try:
            context.sleep(HOUR)
        except BaseException:  # noqa: BLE001  # as some tools do
            return "awake too early"
        return "never asked" if name is None else "asked and rested"

    made = tool_run(job, client_capabilities=EVERYTHING).wait()
    assert [each.key for each in made.current().input_requests] == ["who"]
    assert made.current().wakes_at is None
    made.answer(who=accepted(name="Ada"))
    assert made.run_once() == HOUR
    made.clock.advance(HOUR)
    assert made.run() == text("asked and rested")


def test_a_signal_that_a_step_raised_itself_is_still_a_failure_of_the_tool() -> None:
    def cancel() -> None:
        raise TaskCancelled

    def job(context: Context) -> str:
        try:
            context.step("cancel", cancel)
        except TaskCancelled:
            return "went on"
        return "never"

    assert tool_run(job).run() == text("went on")
