"""What becomes of a `tools/call`, as values: a revision makes a decision, and `tool_calls.perform` returns a result.

    decision          what is done                                          result
    RunInline         the tool runs within the request                      Completed, AwaitsInput, ...
                      ... and, if it goes on as a task, `then` is done      as below
    StartTask         a task is started                                     Started
    StartForHandle    ... and waited for a moment                           Started, Completed by then, TaskGone
    StartAndWait      ... and waited for                                    Waited, TaskGone
    ResumeWait        a task's input requests are answered, and it is       Waited, RejectsInput, TaskGone
                      waited for

They are named tuples since every cold start defines them: a frozen dataclass takes six times as long.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from typing import NamedTuple, TypeAlias

from mcp_tasks.engine.inline_journal import InlineJournal
from mcp_tasks.engine.tool_run import AwaitsInput, LacksCapability, RejectsInput
from mcp_tasks.features.tools import Tool
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON, InputResponse, Outcome, Progress, Task


class ToolCall(NamedTuple):
    """A call, with what both revisions know of it.

    While a task is waited for, the response is held for `max_hold` at most, and it is sent as soon as the client
    `can_answer` an input request of the task.  It is not held where `hold` says that the tenant may hold no more.
    """

    caller: Caller
    tool: Tool
    arguments: Mapping[str, JSON]
    max_hold: timedelta
    hold: Callable[[], AbstractContextManager[bool]]
    can_answer: Callable[[Task], bool]


class TaskOptions(NamedTuple):
    """The arguments of `TaskService.start` that depend on the request and its revision."""

    ttl: timedelta | None = None
    progress_token: str | int | None = None
    session: str | None = None
    key: str | None = None
    joins: bool = False
    client_capabilities: frozenset[str] = frozenset()


class StartTask(NamedTuple):
    """Start a task and return it at once: the client asked for one."""

    options: TaskOptions


class StartForHandle(NamedTuple):
    """Start a task, and return it unless it finishes within the tool's `handle_after`, or within `longest` if less."""

    options: TaskOptions
    longest: timedelta


class StartAndWait(NamedTuple):
    """Start a task and wait for it: the client wants the result."""

    options: TaskOptions


Start: TypeAlias = StartTask | StartForHandle | StartAndWait


class ResumeWait(NamedTuple):
    """Give the task behind an earlier call its input responses, by key, and wait for it."""

    task_id: str
    responses: Mapping[str, InputResponse]


class RunInline(NamedTuple):
    """Run the tool within the request, and `then` start a task if the run goes on as one.

    Where the response `can_request_input`, the run's input requests are returned, and so is a capability that the
    client lacks.  Anywhere else the task makes the input requests, and a missing capability is an error of the tool.
    """

    journal: InlineJournal
    then: Start | None = None
    can_request_input: bool = False


Decision: TypeAlias = RunInline | Start | ResumeWait


class Completed(NamedTuple):
    """The outcome of the call, and the progress that its task, if there is one, made meanwhile."""

    outcome: Outcome
    progress: Sequence[Progress] = ()


class Started(NamedTuple):
    """The call became this task, which the client is to poll."""

    task: Task


class Waited(NamedTuple):
    """A task that was waited for, final or not.

    The wait began at `began`; `timeout` is how long it may last in all, over further connections where the revision
    has such.  The task `is_own` where this call started or joined it.
    """

    task: Task
    progress: Sequence[Progress]
    began: datetime
    timeout: timedelta
    is_own: bool


class TaskGone(NamedTuple):
    """There is no task of that id any more: its ttl passed before the call came, or while it waited."""

    task_id: str


Result: TypeAlias = Completed | Started | Waited | AwaitsInput | LacksCapability | RejectsInput | TaskGone
