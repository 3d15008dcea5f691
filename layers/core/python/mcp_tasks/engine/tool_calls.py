"""Performs what a revision decided about a `tools/call`, in the same way for all revisions, and returns the result."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from datetime import timedelta

from mcp_tasks.authoring.context import Context
from mcp_tasks.authoring.control_signals import BadInputResponse
from mcp_tasks.authoring.errors import URL_REQUIRED
from mcp_tasks.engine.built_in_tools import FollowTask
from mcp_tasks.engine.call_decisions import (
    Completed,
    Decision,
    Result,
    ResumeWait,
    RunInline,
    Start,
    StartAndWait,
    Started,
    StartForHandle,
    TaskGone,
    ToolCall,
    Waited,
)
from mcp_tasks.engine.current_call import note_outcome
from mcp_tasks.engine.lifecycle import NO_INITIAL_STATE, InitialState, TaskService
from mcp_tasks.engine.suspension import Suspension
from mcp_tasks.engine.tool_run import (
    AwaitsInput,
    ContinuesAsTask,
    LacksCapability,
    RejectsInput,
    RunEnd,
    RunsElsewhere,
    Sleeps,
    run_tool,
    wrong_arguments,
)
from mcp_tasks.features.results import failure
from mcp_tasks.features.tools import Tool
from mcp_tasks.tasks.errors import TaskNotFound, Unavailable, Unfinished
from mcp_tasks.tasks.model import COMMON_MACHINES, JSON, Failed, Outcome, OutcomeKind, Progress, Returned, State, Task
from mcp_tasks.tasks.transitions import is_final


def perform(tasks: TaskService, call: ToolCall, decision: Decision) -> Result:
    """Run the tool or start, resume and wait for its task; raises `TooManyTasks`, `KeyReused`, `ArgumentsTooLarge`."""
    result = _perform(tasks, _without_extra(call), decision)
    note_outcome(_named(result), result.task if isinstance(result, Started | Waited) else None)
    return result


def _without_extra(call: ToolCall) -> ToolCall:
    """Return the call without the arguments that its tool ignores, which a host may make anew for each call."""
    if call.tool.extra_arguments != "ignore":
        return call
    known = call.tool.work.input_schema["properties"]
    return call._replace(arguments={name: value for name, value in call.arguments.items() if name in known})


def _named(result: Result) -> str:
    """Return what became of a call, in a word."""
    match result:
        case Completed(outcome=Failed()) | Waited(task=Task(outcome_kind=OutcomeKind.FAILED)):
            return "failed"
        case Completed(outcome=Returned(is_error=is_error)):
            return OutcomeKind.RETURNED_ERROR if is_error else OutcomeKind.RETURNED
        case Started():
            return "started"
        case Waited(task=task):
            return task.outcome_kind or task.state
        case TaskGone():
            return "gone"
        case AwaitsInput():
            return "input_required"
        case _:
            return "rejected"


def _perform(tasks: TaskService, call: ToolCall, decision: Decision) -> Result:
    match decision:
        case RunInline():
            return _run(tasks, call, decision)
        case ResumeWait(task_id=task_id, responses=responses):
            try:
                task = Suspension(tasks=tasks).answer(call.caller, task_id, responses)
            except TaskNotFound:
                return TaskGone(task_id)
            except BadInputResponse as error:
                return RejectsInput(error)
            return _wait(tasks, call, task, call.tool.inline_wait, is_own=False)
        case _:
            # Before a state machine of the tool's own, no function checks the arguments.
            own = call.tool.machine not in COMMON_MACHINES
            return _start(tasks, call, decision, outcome=_wrong_arguments(call) if own else None)


def _wrong_arguments(call: ToolCall) -> Outcome | None:
    return wrong_arguments(call.tool, call.arguments, call.caller)


def _run(tasks: TaskService, call: ToolCall, decision: RunInline) -> Result:
    journal = decision.journal
    ended = _run_code(call.tool, call.arguments, Context(caller=call.caller, journal=journal))
    with nullcontext() if isinstance(ended, FollowTask) else after_work():
        return _ended(tasks, call, decision, ended)


def _ended(tasks: TaskService, call: ToolCall, decision: RunInline, ended: RunEnd) -> Result:
    journal = decision.journal
    outcome: Outcome | None = None
    match ended:
        case FollowTask(task=task, timeout=timeout):
            return _wait(tasks, call, task, timeout, is_own=False)
        case AwaitsInput() | LacksCapability() | RejectsInput() if decision.can_request_input:
            return ended
        case AwaitsInput(input_requests):
            initial_state = journal.initial_state(input_requests)
        case ContinuesAsTask():
            initial_state = journal.initial_state()
        case LacksCapability(error) | RejectsInput(error):
            initial_state, outcome = journal.initial_state(), failure(str(error))
        case Sleeps():
            raise TypeError("a run within a request sleeps, which only that of a task does")
        case _:
            initial_state, outcome = journal.initial_state(), tasks.fitting(call.caller.owner_key, ended)
    if decision.then is None or (outcome is not None and _answers_call(call.tool, outcome)):
        assert outcome is not None, "only a run that may become a task ends without an outcome"
        return Completed(outcome)
    # If the process dies before the outcome is written, the task runs from this state and repeats no step.
    return _start(tasks, call, decision.then, initial_state, outcome)


@contextmanager
def after_work() -> Iterator[None]:
    """Run what follows something that must not be done again: raises `Unfinished` where that is `Unavailable`."""
    try:
        yield
    except Unavailable as error:
        raise Unfinished from error


def _run_code(tool: Tool, arguments: Mapping[str, JSON], context: Context) -> RunEnd:
    if isinstance(tool.work, RunsElsewhere):
        return tool.work.run(arguments, context)
    return run_tool(tool, arguments, context)


def _start(
    tasks: TaskService,
    call: ToolCall,
    decision: Start,
    initial_state: InitialState = NO_INITIAL_STATE,
    outcome: Outcome | None = None,
) -> Result:
    tool = call.tool
    options = decision.options._asdict()
    task = tasks.start(call.caller, tool, call.arguments, **options, outcome=outcome, initial_state=initial_state)
    match decision:
        case StartAndWait():
            return _wait(tasks, call, task, tool.inline_wait, is_own=True)
        case StartForHandle(longest=longest) if tool.tasks == "allowed" or outcome is not None:
            return _wait_for_handle(tasks, call, task, longest)
        case _:
            return Started(task)


def _wait_for_handle(
    tasks: TaskService, call: ToolCall, task: Task, longest: timedelta
) -> Completed | Started | TaskGone:
    tool = call.tool
    quick = tool.tasks == "allowed" and tool.machine in COMMON_MACHINES
    timeout = min(tool.handle_after, longest) if quick else timedelta()
    try:
        task, progress = _follow(tasks, call, task, timeout, lambda seen: bool(seen.open_input_requests))
        if tool.tasks == "allowed" and task.state is State.FINISHED:
            with suppress(Unavailable):
                return Completed(tasks.outcome(call.caller, task.id), progress)
    except TaskNotFound:
        return TaskGone(task.id)
    return Started(task)


def _wait(tasks: TaskService, call: ToolCall, task: Task, timeout: timedelta, *, is_own: bool) -> Waited | TaskGone:
    began = tasks.now()
    try:
        task, progress = _follow(tasks, call, task, min(timeout, call.max_hold), call.can_answer)
    except TaskNotFound:
        return TaskGone(task.id)
    return Waited(task=task, progress=progress, began=began, timeout=timeout, is_own=is_own)


def _follow(
    tasks: TaskService, call: ToolCall, task: Task, timeout: timedelta, until: Callable[[Task], bool]
) -> tuple[Task, list[Progress]]:
    """Wait until a task is final, `until` is true of it, or `timeout`; return it, and the progress seen meanwhile.

    It does not wait where the tenant holds as many connections as it may: the call is answered as after `timeout`.
    Raises `TaskNotFound` where the task expires first.
    """
    seen = [task.progress] if task.progress else []
    known = len(seen)

    def observe(now: Task) -> bool:
        if now.progress is not None and (not seen or now.progress.progress > seen[-1].progress):
            seen.append(now.progress)
        return until(now)

    waits = timeout > timedelta() and not is_final(task)
    # The task is there, read or written a moment ago: it is what the call is answered with.
    with suppress(Unavailable), call.hold() if waits else nullcontext(False) as is_held:
        timeout = timeout if is_held else timedelta()
        task = tasks.wait(call.caller, task.id, timeout=timeout, until=observe)
    # `wait` does not call `until` with a task that is final.
    observe(task)
    return task, seen[known:]


def _answers_call(tool: Tool, outcome: Outcome) -> bool:
    """Return whether the outcome of an inline run answers the call, instead of being the outcome of a task.

    A required URL elicitation always does: after it, the client repeats the call, and a task cannot be repeated.
    """
    return tool.tasks != "always" or (isinstance(outcome, Failed) and outcome.code == URL_REQUIRED)
