"""What is noted of a call, how long it is held, and what of its run a task is given."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks import Context, McpError, Tool, tool
from mcp_tasks.engine.built_in_tools import READS, BuiltInTool, FollowTask, built_in_tool, schema
from mcp_tasks.engine.call_decisions import (
    Completed,
    Decision,
    Result,
    ResumeWait,
    RunInline,
    StartAndWait,
    Started,
    StartForHandle,
    StartTask,
    TaskGone,
    TaskOptions,
    ToolCall,
    Waited,
)
from mcp_tasks.engine.current_call import noting
from mcp_tasks.engine.inline_journal import InlineJournal
from mcp_tasks.engine.suspension import Suspension
from mcp_tasks.engine.tool_calls import perform
from mcp_tasks.engine.tool_run import RejectsInput, RunEnd, RunsElsewhere, Sleeps
from mcp_tasks.features.results import failure
from mcp_tasks.tasks.model import JSON, Failed, InputResponse, Progress, State, Task
from tests.kit import ADA, NOON, BusyWaiter, FixedClock
from tests.unit.contexts import EVERYTHING, Name
from tests.unit.jobs import COLOUR, DONE, RED, job, progress, service
from tests.unit.tool_run import text

SECOND = timedelta(seconds=1)
START = TaskOptions(client_capabilities=EVERYTHING)
quick = replace(job, handle_after=2 * SECOND, inline_wait=4 * SECOND)


class Desk:
    """Calls, and what came of them; `held` counts the connections that are held, of which there are enough or none."""

    def __init__(self, *, may_hold: bool = True) -> None:
        self.clock = FixedClock()
        self.waiter = BusyWaiter(clock=self.clock)
        self.tasks = service(clock=self.clock, waiter=self.waiter)
        self.may_hold, self.held = may_hold, 0

    @contextmanager
    def hold(self) -> Iterator[bool]:
        self.held += 1
        yield self.may_hold

    def came_of(self, of: Tool, decision: Decision, max_hold: timedelta = 5 * SECOND, **arguments: JSON) -> Result:
        call = ToolCall(
            caller=ADA,
            tool=of,
            arguments=arguments,
            max_hold=max_hold,
            hold=self.hold,
            can_answer=lambda task: bool(task.open_input_requests),
        )
        self.began = self.clock.now()
        return perform(self.tasks, call, decision)

    @property
    def waited(self) -> timedelta:
        return self.clock.now() - self.began

    def suspended(self) -> Task:
        task = self.tasks.start(ADA, quick, {})
        suspension = Suspension(tasks=self.tasks)
        suspension.request_input(ADA.owner_key, task.id, [COLOUR])
        suspension.suspend(ADA.owner_key, task.id, "token")
        return task

    def ends(self, outcome: Any = DONE, after: int = 1) -> None:
        """Have the only task end after so many pauses."""

        def end() -> None:
            if self.waiter.pauses == after:
                ((task,), _) = self.tasks.page(ADA, before=None, limit=1)
                self.tasks.finish(ADA.owner_key, task.id, outcome)

        self.waiter.meanwhile = end


def journal(**settings: Any) -> InlineJournal:
    return InlineJournal(client_capabilities=EVERYTHING, **settings)


# --- what is noted


def run_of(raises: BaseException | None = None) -> Tool:
    @tool(tasks="never", name="job")
    def work() -> str:
        """Work."""
        if raises:
            raise raises
        return "done"

    return work


@pytest.mark.parametrize(
    ("raises", "noted"),
    [(None, "returned"), (ValueError("no"), "returned_error"), (McpError(7, "no"), "failed")],
)
def test_what_became_of_a_call_without_a_task_is_noted_in_a_word(raises: BaseException | None, noted: str) -> None:
    with noting() as record:
        Desk().came_of(run_of(raises), RunInline(journal=journal()))
    assert record == {"outcome": noted}


@pytest.mark.parametrize(
    ("outcome", "noted"),
    [
        (DONE, "returned"),
        (failure("no"), "returned_error"),
        (Failed(code=7, message="no"), "failed"),
        (None, "working"),
    ],
)
def test_what_became_of_a_task_that_was_waited_for_is_noted_with_it(outcome: Any, noted: str) -> None:
    desk = Desk()
    if outcome:
        desk.ends(outcome)
    with noting() as record:
        waited = desk.came_of(quick, StartAndWait(START))

    assert isinstance(waited, Waited)
    assert (record["outcome"], record["task"]) == (noted, waited.task.id)


def test_what_else_may_become_of_a_call_is_noted_too() -> None:
    @tool(tasks="never")
    def ask(context: Context) -> str:
        """Ask."""
        return str(context.elicit("Who?", Name, key="name"))

    desk = Desk()
    task = desk.suspended()
    wrong = ResumeWait(task.id, {"colour": InputResponse(result={"action": "accept", "content": {"value": "green"}})})
    words: list[object] = []
    for of, decision in (
        (job, StartTask(START)),
        (job, ResumeWait("0" * 36, {})),
        (ask, RunInline(journal=journal(), can_request_input=True)),
        (quick, wrong),
    ):
        with noting() as record:
            desk.came_of(of, decision)
        words.append(record["outcome"])
    assert words == ["started", "gone", "input_required", "rejected"]


# --- how long a call is held


def test_a_call_that_waits_is_held_as_long_as_its_tool_says_and_the_task_is_its_own() -> None:
    desk = Desk()
    waited = desk.came_of(quick, StartAndWait(START))

    assert isinstance(waited, Waited)
    assert (waited.began, waited.timeout, waited.is_own) == (NOON, 4 * SECOND, True)
    assert (desk.waited, desk.held) == (4 * SECOND, 1)


def test_a_call_for_a_handle_is_held_as_long_as_both_its_tool_and_its_request_allow() -> None:
    for longest, waits in ((SECOND, SECOND), (9 * SECOND, 2 * SECOND), (timedelta(), timedelta())):
        desk = Desk()
        assert isinstance(desk.came_of(quick, StartForHandle(START, longest)), Started)
        assert (desk.waited, desk.held) == (waits, int(bool(waits)))


@pytest.mark.parametrize(
    "made", [replace(job, machine="slow"), replace(job, tasks="always")], ids=["machine", "always"]
)
def test_a_call_for_the_handle_of_what_is_never_quick_is_not_held(made: Tool) -> None:
    desk = Desk()

    assert isinstance(desk.came_of(made, StartForHandle(START, 9 * SECOND)), Started)
    assert (desk.waited, desk.held) == (timedelta(), 0)


def test_a_task_that_ends_while_its_handle_is_waited_for_is_the_result_with_its_progress() -> None:
    desk = Desk()

    def work() -> None:
        ((task,), _) = desk.tasks.page(ADA, before=None, limit=1)
        progress(desk.tasks, task, 1)
        desk.tasks.finish(ADA.owner_key, task.id, DONE)

    desk.waiter.meanwhile = work
    assert desk.came_of(quick, StartForHandle(START, 9 * SECOND)) == Completed(DONE, [Progress(progress=1)])


def test_a_handle_is_given_at_once_for_a_task_that_asks() -> None:
    desk = Desk()

    def ask() -> None:
        ((task,), _) = desk.tasks.page(ADA, before=None, limit=1)
        suspension = Suspension(tasks=desk.tasks)
        suspension.request_input(ADA.owner_key, task.id, [COLOUR])
        suspension.suspend(ADA.owner_key, task.id, "token")

    desk.waiter.meanwhile = ask
    started = desk.came_of(quick, StartForHandle(START, 9 * SECOND))
    assert isinstance(started, Started)
    assert (started.task.state, desk.waited) == (State.INPUT_REQUIRED, SECOND)


def test_where_a_tenant_holds_as_many_connections_as_it_may_a_call_is_answered_at_once() -> None:
    desk = Desk(may_hold=False)
    waited = desk.came_of(quick, StartAndWait(START))

    assert isinstance(waited, Waited)
    assert (waited.task.state, desk.waited, desk.held) == (State.WORKING, timedelta(), 1)


def test_what_has_ended_holds_no_connection() -> None:
    desk = Desk()
    task = desk.tasks.start(ADA, quick, {})
    desk.tasks.finish(ADA.owner_key, task.id, DONE)

    assert isinstance(desk.came_of(follows(desk, task, 9 * SECOND), RunInline(journal=journal())), Waited)
    assert (desk.waited, desk.held) == (timedelta(), 0)


# --- tasks that another call started


def follows(desk: Desk, task: Task, timeout: timedelta) -> Tool:
    """Return a built-in tool that waits for a task."""
    work = BuiltInTool(
        function=lambda caller, arguments: FollowTask(desk.tasks.get(ADA, task.id), timeout),
        input_schema=schema({}),
        fit=lambda arguments: True,
        wants="nothing",
    )
    return built_in_tool("follow", "Follow", "Follow a task.", work, READS)


def test_a_task_that_another_call_started_is_waited_for_as_long_as_this_one_says() -> None:
    desk = Desk()
    task = desk.tasks.start(ADA, job, {})

    waited = desk.came_of(follows(desk, task, 3 * SECOND), RunInline(journal=journal()))
    assert isinstance(waited, Waited)
    assert (waited.task.id, waited.timeout, waited.is_own) == (task.id, 3 * SECOND, False)
    assert desk.waited == 3 * SECOND


def test_a_task_that_is_answered_is_waited_for_and_not_the_callers_own() -> None:
    desk = Desk()
    task = desk.suspended()

    waited = desk.came_of(quick, ResumeWait(task.id, {"colour": RED}))
    assert isinstance(waited, Waited)
    assert (waited.task.state, waited.timeout, waited.is_own) == (State.WORKING, 4 * SECOND, False)


def test_an_answer_that_does_not_fit_and_one_to_no_task_are_said_to_be() -> None:
    desk = Desk()
    task = desk.suspended()

    wrong = InputResponse(result={"action": "accept", "content": {"value": "green"}})
    rejected = desk.came_of(quick, ResumeWait(task.id, {"colour": wrong}))
    assert isinstance(rejected, RejectsInput)
    assert rejected.error.key == "colour"
    assert desk.came_of(quick, ResumeWait("0" * 36, {})) == TaskGone("0" * 36)


# --- code elsewhere


def test_code_in_another_process_is_run_there_with_what_was_called() -> None:
    class Elsewhere(RunsElsewhere):
        def run(self, arguments: Mapping[str, JSON], context: Context) -> RunEnd:
            return Sleeps(NOON) if arguments.get("sleeps") else text(f"{context.caller.subject} {arguments}")

        def of(self, caller: Any) -> Any:
            raise AssertionError("nothing is checked")

    work: Any = Elsewhere()
    made = replace(run_of(), work=work)
    assert Desk().came_of(made, RunInline(journal=journal()), a=1) == Completed(text("ada {'a': 1}"))
    with pytest.raises(TypeError, match=r"^a run within a request sleeps, which only that of a task does$"):
        Desk().came_of(made, RunInline(journal=journal()), sleeps=True)
