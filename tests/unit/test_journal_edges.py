"""What a run asks of its host, and no more than that; and how long it may sleep, retry, and record."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.authoring.control_signals import InputNeeded, Interrupted, Sleeping, TaskCancelled
from mcp_tasks.authoring.errors import ToolError
from mcp_tasks.engine.journal import TaskJournal
from mcp_tasks.engine.task_host import TaskHost
from mcp_tasks.limits.tools import MAX_STEP_CHARACTERS
from mcp_tasks.limits.waits import KEPT, LONGEST_RUN
from mcp_tasks.ports.run_host import LoadedRun
from mcp_tasks.tasks.model import JSON, Progress
from tests.contract.process import Fuse
from tests.kit import ADA, NOON, Differing
from tests.unit.jobs import BLUE, COLOUR, DAY, RED, ROOTS, SIZE
from tests.unit.one_task import OneTask, one_task, suspended

HOUR, MINUTE, MOMENT = timedelta(hours=1), timedelta(minutes=1), timedelta(microseconds=1)


class Run:
    """A run of a task, and which calls it makes to its host; some of what is recorded was too large to be loaded."""

    def __init__(
        self, made: OneTask, *, unloaded: Sequence[str] = (), ahead: timedelta = timedelta(), **loaded: Any
    ) -> None:
        host = TaskHost(tasks=made.tasks, owner_key=ADA.owner_key, task_id=made.task.id)
        run = host.load()
        assert isinstance(run, LoadedRun), "the task is suspended"
        responses = {key: each for key, each in run.responses.items() if key not in unloaded}
        run = replace(run, **{"responses": responses} | loaded)
        self.fuse = Fuse()
        self.journal = TaskJournal(host=self.fuse.around(host), run=run, clock=Differing(made.clock, ahead))


def answered() -> OneTask:
    made = suspended(COLOUR, SIZE)
    made.answer(colour=RED, size=BLUE)
    return made


def fails() -> JSON:
    raise AssertionError("the step runs again")


# --- what it asks


def test_a_response_that_was_loaded_is_not_asked_for_and_one_that_was_not_is_once() -> None:
    run = Run(answered())
    assert run.journal.request_input([COLOUR, SIZE]) == [RED, BLUE]
    assert run.fuse.calls == []

    run = Run(answered(), unloaded=["size"])
    with pytest.raises(InputNeeded) as needed:
        run.journal.request_input([COLOUR, SIZE, ROOTS])
    assert needed.value.input_requests == (ROOTS,)
    assert run.fuse.calls == ["response"]
    assert run.journal.request_input([COLOUR, SIZE])[1:] == [BLUE]
    assert run.fuse.calls == ["response"]


def test_what_was_asked_and_has_no_response_is_asked_again() -> None:
    run = Run(one_task(), requested=("colour",))

    with pytest.raises(InputNeeded) as needed:
        run.journal.request_input([COLOUR])
    assert needed.value.input_requests == (COLOUR,)


def test_a_step_that_was_recorded_does_not_run_again_whether_it_was_loaded_or_not() -> None:
    made = one_task()
    assert Run(made).journal.step("draw", lambda: [7]) == [7]

    for run, calls in ((Run(made), []), (Run(made, steps={}), ["recall"])):
        assert run.journal.step("draw", fails) == [7]
        assert run.fuse.calls == calls


def test_a_task_that_has_come_to_its_last_step_takes_the_new_path() -> None:
    run = Run(one_task())
    for name in ("draw", "cut"):
        run.journal.step(name, lambda: 1)

    assert run.journal.patched("change")


def test_a_task_that_asked_before_takes_the_old_path_until_it_has_asked_again() -> None:
    made = suspended(COLOUR)
    made.answer(colour=RED)
    run = Run(made)

    assert not run.journal.patched("before")
    run.journal.request_input([COLOUR])
    assert run.journal.patched("after")


def fail() -> None:
    raise ConnectionError


ASKS: dict[str, Callable[[TaskJournal], object]] = {
    "progressed": lambda journal: journal.progressed(Progress(progress=1)),
    "status_reported": lambda journal: journal.status_reported("half"),
    "expected": lambda journal: journal.expected(HOUR),
    "recall": lambda journal: journal.step("draw", lambda: 1),
    "check": lambda journal: journal.wait_to_retry("draw", MOMENT),
    "tenant_credentials": lambda journal: journal.tenant_credentials(),
    "published": lambda journal: journal.updated("report://2026"),
    "response": lambda journal: journal.request_input([SIZE]),
}


@pytest.mark.parametrize("asks", ASKS)
def test_a_call_to_its_host_that_fails_once_is_no_error_that_the_tool_could_take_for_its_own(asks: str) -> None:
    run = Run(answered(), unloaded=["colour", "size"])
    run.fuse.number, run.fuse.burn = 0, fail

    with pytest.raises(Interrupted) as interrupted:
        ASKS[asks](run.journal)
    assert isinstance(interrupted.value.__cause__, ConnectionError)
    assert run.fuse.calls == [asks]


# --- how long, and how large


def test_a_task_sleeps_as_long_as_its_outcome_can_be_kept_and_no_longer() -> None:
    run = Run(one_task(ttl=DAY))
    with pytest.raises(Sleeping) as sleeping:
        run.journal.sleep(DAY - KEPT, lambda wakes_at: wakes_at())
    assert sleeping.value.wakes_at == NOON + DAY - KEPT

    with pytest.raises(ToolError) as error:
        run.journal.sleep(DAY - KEPT + MOMENT, lambda wakes_at: wakes_at())
    assert str(error.value) == (
        "The task cannot sleep for 23:55:00.000001: it is kept for 1 day, 0:00:00 after its creation. "
        "Its tool needs a longer ttl."
    )


@pytest.mark.parametrize("ahead", [10 * MINUTE, -10 * MINUTE, 400 * DAY])
def test_a_run_whose_clock_differs_counts_by_that_of_its_host(ahead: timedelta) -> None:
    made = one_task(ttl=DAY)
    run = Run(made, ahead=ahead)
    made.clock.advance(MINUTE)

    run.journal.expected(5 * MINUTE)
    assert made.current().expected_at == NOON + 6 * MINUTE
    with pytest.raises(Sleeping) as sleeping:
        run.journal.sleep(HOUR, lambda wakes_at: wakes_at())
    assert sleeping.value.wakes_at == NOON + MINUTE + HOUR
    run.journal.sleep(HOUR, lambda wakes_at: (NOON + MINUTE).isoformat())
    with pytest.raises(ToolError, match="cannot sleep"):
        run.journal.sleep(DAY - KEPT, lambda wakes_at: wakes_at())


def test_a_run_whose_host_is_of_an_earlier_release_counts_by_its_own_clock() -> None:
    run = Run(one_task(ttl=DAY), ahead=10 * MINUTE, left=None)

    with pytest.raises(Sleeping) as sleeping:
        run.journal.sleep(HOUR, lambda wakes_at: wakes_at())
    assert sleeping.value.wakes_at == NOON + 10 * MINUTE + HOUR


def test_a_run_retries_until_its_task_is_due() -> None:
    made = one_task(ttl=DAY)
    run = Run(made)

    assert not run.journal.wait_to_retry("draw", made.task.timeout)
    assert made.clock.now() == NOON
    assert run.journal.wait_to_retry("draw", made.task.timeout - MOMENT)
    assert made.clock.now() == NOON + made.task.timeout - MOMENT


def test_a_run_of_a_task_that_lasts_longer_retries_as_long_as_a_run_lasts() -> None:
    made = one_task(ttl=DAY)
    run = Run(made, due_at=NOON + HOUR, left=HOUR)

    assert not run.journal.wait_to_retry("draw", LONGEST_RUN)
    assert run.journal.wait_to_retry("draw", LONGEST_RUN - MOMENT)


def test_a_run_that_waited_to_retry_learns_that_it_was_cancelled() -> None:
    made = one_task()
    run = Run(made)
    made.cancel()

    with pytest.raises(TaskCancelled):
        run.journal.wait_to_retry("draw", MOMENT)


def test_a_step_records_as_much_as_it_may_and_says_what_to_do_with_more() -> None:
    run = Run(one_task())
    most = "x" * (MAX_STEP_CHARACTERS - len('""'))
    assert run.journal.step("large", lambda: most) == most

    with pytest.raises(ValueError, match="is the most") as error:
        run.journal.step("larger", lambda: f"{most}x")
    assert str(error.value) == (
        f"step larger returned {MAX_STEP_CHARACTERS + 1:,} characters of JSON, and {MAX_STEP_CHARACTERS:,} is the "
        "most: store them elsewhere, and return where"
    )
