"""Each decision about a call is performed, and its result is a value."""

from contextlib import nullcontext
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks import Context, ElicitUrl, McpError, MissingCapability, Tool, tool
from mcp_tasks.authoring.errors import UrlElicitationRequired
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
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.engine.tool_calls import perform
from mcp_tasks.engine.tool_run import AwaitsInput, LacksCapability, RunEnd, RunsElsewhere
from mcp_tasks.features.results import failure
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import Failed, Returned, State
from tests.kit import ADA, BusyWaiter, FixedClock
from tests.unit.contexts import EVERYTHING, Name
from tests.unit.jobs import job, progress, service
from tests.unit.tool_run import text

SECOND = timedelta(seconds=1)
START = TaskOptions(client_capabilities=EVERYTHING)


@tool(tasks="never")
def ask(context: Context) -> str:
    """Ask for a name."""
    return str(context.elicit("Who?", Name, key="name"))


@tool(tasks="allowed", starts_inline=True)
def go_on(context: Context) -> str:
    """Report a status, then continue as a task."""
    context.report_status("halfway")
    context.continue_as_task()
    return "done"


@tool(tasks="always", starts_inline=True)
def at_once() -> str:
    """Return before the run would continue as a task."""
    return "done"


@tool(tasks="always", machine="slow")
def strict(size: int) -> str:
    """Take a number."""
    return str(size)


@pytest.fixture
def waiter() -> BusyWaiter:
    return BusyWaiter(clock=FixedClock())


@pytest.fixture
def tasks(waiter: BusyWaiter) -> TaskService:
    return service(clock=waiter.clock, waiter=waiter)


def came_of(tasks: TaskService, of: Tool, decision: Decision, **arguments: Any) -> Result:
    """Return what came of a call."""
    max_hold, can_answer = 5 * SECOND, lambda task: bool(task.open_input_requests)
    call = ToolCall(
        caller=ADA,
        tool=of,
        arguments=arguments,
        max_hold=max_hold,
        hold=lambda: nullcontext(True),
        can_answer=can_answer,
    )
    return perform(tasks, call, decision)


def journal(**settings: Any) -> InlineJournal:
    return InlineJournal(client_capabilities=EVERYTHING, **settings)


def test_what_is_asked_where_the_response_can_ask_is_returned(tasks: TaskService) -> None:
    result = came_of(tasks, ask, RunInline(journal=journal(), can_request_input=True))

    assert isinstance(result, AwaitsInput)
    assert [each.key for each in result.input_requests] == ["name"]


def test_what_is_asked_where_the_response_cannot_ask_is_asked_by_a_task(tasks: TaskService) -> None:
    result = came_of(tasks, ask, RunInline(journal=journal(), then=StartAndWait(START)))

    assert isinstance(result, Waited)
    assert result.is_own
    assert [each.key for each in result.task.input_requests] == ["name"]


def test_what_the_client_lacks_is_returned_where_the_response_can_say_it(tasks: TaskService) -> None:
    result = came_of(tasks, ask, RunInline(journal=InlineJournal(), can_request_input=True))

    assert isinstance(result, LacksCapability)
    assert result.error.capability == "elicitation.form"


def test_what_the_client_lacks_is_elsewhere_a_failure_of_the_tool(tasks: TaskService) -> None:
    result = came_of(tasks, ask, RunInline(journal=InlineJournal(), then=StartAndWait(START)))

    assert isinstance(result, Completed)
    assert isinstance(result.outcome, Returned)
    assert result.outcome.is_error


def test_a_run_that_continues_as_a_task_passes_on_its_records(tasks: TaskService) -> None:
    result = came_of(tasks, go_on, RunInline(journal=journal(may_become_task=True), then=StartTask(START)))

    assert isinstance(result, Started)
    assert (result.task.tool, result.task.status_message) == ("go_on", "halfway")


def test_a_result_of_what_is_always_a_task_is_the_tasks(tasks: TaskService) -> None:
    decision = RunInline(journal=journal(may_become_task=True), then=StartForHandle(START, SECOND))

    result = came_of(tasks, at_once, decision)

    assert isinstance(result, Started)
    assert result.task.state is State.FINISHED
    assert tasks.outcome(ADA, result.task.id) == text("done")


def test_wrong_arguments_end_a_task_that_no_function_would_check(tasks: TaskService) -> None:
    result = came_of(tasks, strict, StartForHandle(START, SECOND))

    assert isinstance(result, Started)
    assert tasks.outcome(ADA, result.task.id) == failure("strict was called with wrong arguments: size is missing")


def test_a_client_that_waits_is_sent_rising_progress_only(tasks: TaskService, waiter: BusyWaiter) -> None:
    def work() -> None:
        (task,), _ = tasks.page(ADA, before=None, limit=1)
        progress(tasks, task, 1) if not task.progress else tasks.finish(ADA.owner_key, task.id, text("done"))

    waiter.meanwhile = work

    result = came_of(tasks, job, StartAndWait(START))

    assert isinstance(result, Waited)
    assert ([each.progress for each in result.progress], result.task.state) == ([1], State.FINISHED)


def test_a_response_is_held_no_longer_than_it_may_be(tasks: TaskService, waiter: BusyWaiter) -> None:
    began = tasks.now()
    slow = tool(inline_wait=60 * SECOND)(job.work.function)

    result = came_of(tasks, slow, StartAndWait(START))

    assert isinstance(result, Waited)
    assert (result.timeout, result.began, tasks.now() - began) == (60 * SECOND, began, 5 * SECOND)


def test_a_task_that_is_gone_is_said_to_be(tasks: TaskService) -> None:
    assert came_of(tasks, job, ResumeWait(task_id="gone", responses={})) == TaskGone("gone")


@pytest.mark.parametrize("decision", [StartAndWait(START), StartForHandle(START, 5 * SECOND)])
def test_a_task_that_expires_while_it_is_waited_for_is_gone(
    tasks: TaskService, waiter: BusyWaiter, decision: Decision
) -> None:
    gone: list[str] = []

    def expire() -> None:
        (task,), _ = tasks.page(ADA, before=None, limit=1)
        gone.append(task.id)
        waiter.clock.sleep(task.ttl)

    waiter.meanwhile = expire

    result = came_of(tasks, tool(tasks="allowed")(job.work.function), decision)

    assert result == TaskGone(*gone)


def test_a_url_that_has_to_be_opened_first_answers_a_call_and_any_other_error_is_its_tasks(tasks: TaskService) -> None:
    def raising(error: McpError) -> Tool:
        @tool(tasks="always", starts_inline=True)
        def fails() -> None:
            """Fail."""
            raise error

        return fails

    decision = RunInline(journal=journal(may_become_task=True), then=StartTask(START))
    required = UrlElicitationRequired("Log in first", ElicitUrl("Log in", "https://example.com"))
    answered = came_of(tasks, raising(required), decision)
    assert answered == Completed(Failed(code=required.code, message="Log in first", data=required.data))

    started = came_of(tasks, raising(McpError(7, "no")), decision)
    assert isinstance(started, Started)
    assert tasks.outcome(ADA, started.task.id) == Failed(code=7, message="no")


def test_a_capability_that_is_missing_is_named_in_the_failure(tasks: TaskService) -> None:
    result = came_of(tasks, ask, RunInline(journal=InlineJournal()))

    assert result == Completed(failure(str(MissingCapability("elicitation.form"))))


def test_progress_that_was_made_before_a_wait_is_not_sent_again(tasks: TaskService, waiter: BusyWaiter) -> None:
    task = tasks.start(ADA, job, {})
    progress(tasks, task, 1)
    waiter.meanwhile = lambda: waiter.pauses == 2 and progress(tasks, task, 2)

    result = came_of(tasks, job, ResumeWait(task.id, {}))
    assert isinstance(result, Waited)
    assert [each.progress for each in result.progress] == [2]


def test_a_task_is_started_with_what_its_tool_is_called_with_and_noted(tasks: TaskService) -> None:
    with noting() as noted:
        result = came_of(tasks, job, StartTask(START), name=7)

    # Its function checks that.
    assert isinstance(result, Started)
    task = tasks.get(ADA, result.task.id)
    assert (task.state, task.client_capabilities) == (State.WORKING, EVERYTHING)
    assert tasks.arguments(ADA.owner_key, result.task.id) == {"name": 7}
    assert noted == {"outcome": "started", "task": result.task.id}


def test_arguments_that_no_function_would_check_are_checked_for_their_caller(tasks: TaskService) -> None:
    class Elsewhere(RunsElsewhere):
        input_schema = strict.work.input_schema

        def run(self, arguments: Any, context: Context) -> RunEnd:
            raise AssertionError("a state machine does the work")

        def of(self, caller: Caller) -> Any:
            assert caller == ADA
            return strict.work

    work: Any = Elsewhere()
    result = came_of(tasks, replace(strict, work=work), StartTask(START))
    assert isinstance(result, Started)
    assert tasks.outcome(ADA, result.task.id) == failure("strict was called with wrong arguments: size is missing")
