"""Which errors of a step are retried, after how long, and where."""

import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks import Context, McpError, ToolError
from mcp_tasks.authoring.control_signals import ContinueAsTask, ControlSignal, Interrupted, TaskCancelled
from mcp_tasks.authoring.retries import Retries
from mcp_tasks.engine.inline_journal import InlineJournal
from mcp_tasks.limits.waits import LONGEST_INLINE_BACKOFF
from mcp_tasks.testing.journal import NULL_JOURNAL
from tests.kit import ADA

SECOND = timedelta(seconds=1)


class Failing:
    """A function that raises these errors, one at each call, and then returns."""

    def __init__(self, *errors: BaseException) -> None:
        self.errors = list(errors)
        self.calls = 0

    def __call__(self) -> str:
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return "done"


def retried(fn: Failing, step: str, retries: int, backoff: timedelta, wait: Callable[[timedelta], bool]) -> str:
    return Retries(step=step, most=retries, backoff=backoff, wait=wait).run(fn)


def delays(count: int, backoff: timedelta) -> list[timedelta]:
    waited: list[timedelta] = []

    def wait(delay: timedelta) -> bool:
        waited.append(delay)
        return True

    assert retried(Failing(*[OSError()] * count), "s", count, backoff, wait) == "done"
    return waited


@pytest.mark.parametrize(
    ("backoff", "full"),
    [
        (SECOND, [1, 2, 4, 8, 16, 32, 60, 60]),
        (40 * SECOND, [40, 60, 60]),
        (90 * SECOND, [90, 90, 90]),
        (timedelta(), [0, 0, 0]),
        (timedelta.max / 10**5, [(timedelta.max / 10**5).total_seconds()] * 40),
    ],
)
def test_the_wait_doubles_up_to_a_minute(backoff: timedelta, full: list[float]) -> None:
    for waited, longest in zip(delays(len(full), backoff), full, strict=True):
        assert longest / 2 <= waited.total_seconds() <= longest


def test_no_two_retries_wait_for_the_same_time() -> None:
    assert len({delays(1, SECOND)[0] for _ in range(20)}) > 1


@pytest.mark.parametrize(
    "error",
    [ToolError("no"), McpError(7, "no"), Interrupted(), TaskCancelled(), ContinueAsTask(), KeyboardInterrupt()],
    ids=lambda error: type(error).__name__,
)
def test_an_answer_of_the_tool_and_a_control_signal_are_not_retried(error: BaseException) -> None:
    failing = Failing(error)

    with pytest.raises(type(error)):
        retried(failing, "s", 3, SECOND, lambda delay: True)
    assert failing.calls == 1


def test_each_retry_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="mcp_tasks"):
        retried(Failing(OSError("full")), "save", 3, 10 * SECOND, lambda delay: True)

    (record,) = caplog.records
    assert "step save failed, retry 1 of 3 in " in record.message
    assert record.message.endswith("OSError('full')")


def test_a_backoff_that_is_no_duration_is_an_error_that_says_so() -> None:
    context: Any = Context(caller=ADA, journal=NULL_JOURNAL)

    with pytest.raises(TypeError, match=r"step s: backoff is a timedelta, such as timedelta\(seconds=10\), not 2"):
        context.step("s", Failing(), retries=1, backoff=2)


def step(journal: InlineJournal, fn: Callable[[], str], **options: Any) -> str:
    return Context(caller=ADA, journal=journal).step("s", fn, **options)


@pytest.mark.parametrize(
    ("name", "settings", "says"),
    [
        (7, {}, r"^the name of a step is a text, not 7: name each by what it works on, as in f"),
        (None, {}, r"^the name of a step is a text, not None"),
        ("s", {"retries": "3"}, r"^step s: retries is how often it is tried again, such as 3, not '3'$"),
        ("s", {"retries": -1}, r"^step s: retries is how often it is tried again, such as 3, not -1$"),
        (
            "s",
            {"retries": 1, "backoff": timedelta.max},
            r"^step s: backoff can be 36,500 days at most, not 999999999 days",
        ),
    ],
)
def test_a_mistake_in_a_step_is_told_before_the_step_runs(name: Any, settings: Any, says: str) -> None:
    context = Context(caller=ADA, journal=NULL_JOURNAL)
    failing = Failing(OSError())

    with pytest.raises((TypeError, ValueError), match=says):
        context.step(name, failing, **settings)
    assert failing.calls == 0


def test_within_a_request_a_step_is_retried_as_long_as_the_request_may_wait() -> None:
    slept: list[timedelta] = []

    assert step(InlineJournal(pause=slept.append), Failing(OSError(), OSError()), retries=2) == "done"
    assert len(slept) == 2

    slept.clear()
    with pytest.raises(OSError, match="again"):
        step(InlineJournal(pause=slept.append), Failing(*[OSError("again")] * 99), retries=99)
    assert timedelta(seconds=7) < sum(slept, timedelta()) <= LONGEST_INLINE_BACKOFF


def test_a_call_that_may_be_a_task_is_retried_there() -> None:
    slept: list[timedelta] = []
    failing = Failing(OSError())

    with pytest.raises(ControlSignal) as signal:
        step(InlineJournal(pause=slept.append, may_become_task=True), failing, retries=1)
    assert (type(signal.value), failing.calls, slept) == (ContinueAsTask, 1, [])
