"""Long work for clients that know no tasks: the id of the work, and two tools that take it."""

from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks import Caller, Context, Tool
from mcp_tasks.features.tools import BUILT_IN, INLINE_WAIT, Toolbox, failure
from mcp_tasks.handover import TASK_CANCEL, TASK_RESULT, built_in, handed_over, outcome_of
from mcp_tasks.runner import run_inline
from mcp_tasks.service import TaskService
from mcp_tasks.tasks.events import Progressed
from mcp_tasks.tasks.model import JSON, Faulted, Outcome, Progress, Returned, State, Task
from tests.deaf_journal import DEAF
from tests.kit import ADA, BOB, EVE, NOON, BusyWaiter, FixedClock, a_task
from tests.unit.jobs import DAY, DONE, job, progress, service
from tests.unit.workbench import text

HOLD = timedelta(seconds=25)


class Desk:
    """A task of Ada's that was handed over, and the two tools."""

    def __init__(self, *, hold: timedelta = HOLD, ttl: timedelta = DAY) -> None:
        self.clock = FixedClock()
        self.waiter = BusyWaiter(clock=self.clock)
        self.tasks: TaskService = service(clock=self.clock, waiter=self.waiter)
        self.task: Task = self.tasks.start(ADA, job, {}, ttl=ttl)
        self.tools: dict[str, Tool] = {tool.name: tool for tool in built_in(self.tasks, hold=hold)}

    def call(self, name: str, caller: Caller = ADA, **arguments: JSON) -> Outcome:
        given = arguments or {"task_id": self.task.id}
        return run_inline(self.tools[name], given, Context(caller=caller, journal=DEAF))

    def settle(self, outcome: Outcome) -> Task:
        return self.tasks.settle(ADA.scope, self.task.id, outcome)


def words(outcome: Outcome) -> str:
    """Return the one text of an outcome."""
    assert isinstance(outcome, Returned)
    (block,) = outcome.result["content"]
    return str(block["text"])


def test_the_two_tools_have_names_that_nobody_else_may_take() -> None:
    tools = built_in(service(), hold=HOLD)

    assert [tool.name for tool in tools] == [TASK_RESULT, TASK_CANCEL] == list(BUILT_IN)
    for tool in tools:
        with pytest.raises(ValueError, match=f"two tools are named {tool.name}"):
            Toolbox([tool])


def test_the_two_tools_are_never_tasks_and_take_an_id_and_nothing_else() -> None:
    for tool in built_in(service(), hold=HOLD):
        assert tool.tasks == "never"
        assert tool.description
        assert tool.work.output_schema is None
        assert tool.work.input_schema["required"] == ["task_id"]
        assert tool.work.input_schema["additionalProperties"] is False
        assert tool.work.input_schema["properties"]["task_id"]["type"] == "string"


def test_who_is_handed_the_work_reads_its_id_and_what_to_do_with_it() -> None:
    task = a_task(tool="crunch")

    returned = handed_over(task)

    assert not returned.is_error
    assert returned.result["structuredContent"] == {"task_id": task.id, "status": "working"}
    assert words(returned) == (
        "crunch is still working. This is no failure: do not call it again. "
        f"Call the tool task_result with task_id {task.id!r} to wait for the result, as often as it takes, "
        "or task_cancel to stop the work."
    )


def test_who_is_handed_the_work_reads_how_far_it_is() -> None:
    assert words(handed_over(a_task(tool="crunch", note="3 of 7"))).startswith("crunch is still working (3 of 7). This")


@pytest.mark.parametrize(
    "outcome",
    [text("done"), failure("no such region"), Returned(result={"content": [], "structuredContent": {"n": 1}})],
)
def test_the_result_of_work_that_ended_is_what_the_call_would_have_returned(outcome: Returned) -> None:
    desk = Desk()
    desk.settle(outcome)

    assert desk.call(TASK_RESULT) == outcome
    assert desk.waiter.pauses == 0


def test_a_fault_is_the_fault_that_the_call_would_have_been() -> None:
    desk = Desk()
    fault = Faulted(code=-32002, message="gone", data={"uri": "x"})
    desk.settle(fault)

    assert desk.call(TASK_RESULT) == fault


def test_whoever_asks_early_waits_until_the_work_ends() -> None:
    desk = Desk()
    desk.waiter.meanwhile = lambda: desk.waiter.pauses == 7 and desk.settle(text("done"))

    assert desk.call(TASK_RESULT) == text("done")
    assert desk.clock.now() - NOON == timedelta(seconds=7)


def test_progress_does_not_end_the_wait_but_is_told_when_it_ends() -> None:
    desk = Desk()
    told = Progressed(progress=Progress(progress=1, message="half way"))
    desk.waiter.meanwhile = lambda: desk.waiter.pauses == 2 and desk.tasks.apply(ADA.scope, desk.task.id, told)

    assert words(desk.call(TASK_RESULT)).startswith("job is still working (half way).")
    assert desk.clock.now() - NOON == INLINE_WAIT


@pytest.mark.parametrize(
    ("hold", "waited"),
    [(timedelta(seconds=5), timedelta(seconds=5)), (timedelta(), timedelta()), (timedelta(minutes=5), INLINE_WAIT)],
)
def test_nobody_waits_longer_than_the_gateway_holds(hold: timedelta, waited: timedelta) -> None:
    desk = Desk(hold=hold)

    assert desk.call(TASK_RESULT) == handed_over(desk.task)
    assert desk.clock.now() - NOON == waited


def test_work_that_was_cancelled_has_no_result() -> None:
    desk = Desk()
    desk.tasks.cancel(ADA, desk.task.id)

    assert desk.call(TASK_RESULT) == failure("The task was cancelled: there is no result.")


def test_work_that_is_cancelled_while_somebody_waits_ends_the_wait() -> None:
    desk = Desk()
    desk.waiter.meanwhile = lambda: desk.waiter.pauses == 1 and desk.tasks.cancel(ADA, desk.task.id)

    assert desk.call(TASK_RESULT) == failure("The task was cancelled: there is no result.")
    assert desk.waiter.pauses == 1


def test_cancelling_stops_the_work() -> None:
    desk = Desk()

    outcome = desk.call(TASK_CANCEL)

    assert outcome == text("The task is cancelled, and its work is being stopped.")
    assert desk.tasks.look(ADA, desk.task.id).state is State.CANCELLED
    executor: Any = desk.tasks.ports.executor
    assert list(executor.stopped) == [desk.task.id]


def test_what_has_ended_cannot_be_cancelled() -> None:
    ended, cancelled = Desk(), Desk()
    ended.settle(DONE)
    cancelled.call(TASK_CANCEL)

    for desk in (ended, cancelled):
        assert desk.call(TASK_CANCEL) == failure("The task has ended already: there is nothing to stop.")
    assert ended.call(TASK_RESULT) == DONE


@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.parametrize("caller", [BOB, EVE])
def test_somebody_elses_task_looks_like_one_that_never_was(name: str, caller: Caller) -> None:
    desk = Desk()

    foreign = desk.call(name, caller)
    unknown = desk.call(name, ADA, task_id="0" * 36)

    assert words(foreign) == f"There is no task {desk.task.id!r}: it never was, or its time has passed."
    assert words(foreign).replace(desk.task.id, "") == words(unknown).replace("0" * 36, "")
    assert desk.tasks.look(ADA, desk.task.id) == desk.task


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_task_whose_time_has_passed_is_gone(name: str) -> None:
    desk = Desk()
    desk.clock.advance(2 * DAY)

    assert words(desk.call(name)).startswith("There is no task")


def test_a_task_that_goes_while_somebody_waits_is_gone() -> None:
    desk = Desk(ttl=timedelta(), hold=DAY)
    desk.waiter.pace = DAY
    desk.clock.advance(desk.task.ttl - timedelta(seconds=1))

    assert words(desk.call(TASK_RESULT)).startswith("There is no task")


@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.parametrize(
    "arguments",
    [{"id": "x"}, {"task_id": 7}, {"task_id": None}, {"task_id": ["x"]}, {"task_id": {}}, {"task_id": "x", "more": 1}],
)
def test_what_is_no_id_is_refused(name: str, arguments: dict[str, JSON]) -> None:
    assert words(Desk().call(name, **arguments)) == (
        f"{name} was called with wrong arguments: give task_id, a string, and nothing else"
    )


@pytest.mark.parametrize("task_id", ["", " ", "x" * 100_000, "../../etc", "a#b", "\0", "\ud800", "é"])
def test_an_id_that_no_task_has_is_no_tasks(task_id: str) -> None:
    told = words(Desk().call(TASK_RESULT, task_id=task_id))

    assert told.startswith("There is no task")
    assert len(told) <= 1_000


def test_what_becomes_of_a_call_is_told_by_the_state_of_its_task() -> None:
    desk = Desk()
    running = progress(desk.tasks, desk.task, 1)
    assert outcome_of(desk.tasks, ADA, running) == handed_over(running)

    desk.settle(text("done"))
    assert outcome_of(desk.tasks, ADA, desk.tasks.look(ADA, desk.task.id)) == text("done")
