"""What becomes of a `tools/call`, as values: what a revision decides, and what comes of that when `tool_calls` did it.

    decision          done                                                  what comes of it
    RunInline         the tool runs within the request                      Completed, AwaitsInput, ...
                      ... and, where it goes on as a task, `then` is done   as below
    StartTask         a task is started                                     Started
    StartForHandle    ... and waited for a moment                           Started, Completed by then, TaskGone
    StartAndWait      ... and waited for                                    Waited, TaskGone
    ResumeWait        a task's input requests are answered, and it is       Waited, RejectsInput, TaskGone
                      waited for

They are named tuples since every cold start defines them: a frozen dataclass takes six times as long.
"""

from collections.abc import Callable, Mapping, Sequence
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
    `can_answer` an input request of the task.
    """

    caller: Caller
    tool: Tool
    arguments: Mapping[str, JSON]
    max_hold: timedelta
    can_answer: Callable[[Task], bool]


class TaskOptions(NamedTuple):
    """How the call starts a task, if it does; see `TaskService.start`."""

    ttl: timedelta | None = None
    progress_token: str | int | None = None
    session: str | None = None
    key: str | None = None
    joins: bool = False
    client_capabilities: frozenset[str] = frozenset()


class StartTask(NamedTuple):
    """Start a task and return it as it began: the client asked for one."""

    options: TaskOptions


class StartForHandle(NamedTuple):
    """Start a task and return it, unless the tool allows tasks and has a result in a moment, `longest` at most."""

    options: TaskOptions
    longest: timedelta


class StartAndWait(NamedTuple):
    """Start a task and wait for it: the client wants the result."""

    options: TaskOptions


Start: TypeAlias = StartTask | StartForHandle | StartAndWait


class ResumeWait(NamedTuple):
    """Answer what the task behind an earlier call asked, and wait for it."""

    task_id: str
    responses: Mapping[str, InputResponse]


class RunInline(NamedTuple):
    """Run the tool within the request, and `then` start a task where the run goes on as one.

    What the run asks is returned where the response `can_ask`; anywhere else the task asks it, and a capability that
    the client lacks is a failure of the tool.
    """

    journal: InlineJournal
    then: Start | None = None
    can_ask: bool = False


Decision: TypeAlias = RunInline | Start | ResumeWait


class Completed(NamedTuple):
    """The call has its outcome; `progress` was seen while a task was waited for."""

    outcome: Outcome
    progress: Sequence[Progress] = ()


class Started(NamedTuple):
    """The call is a task."""

    task: Task


class Waited(NamedTuple):
    """A task that was waited for from `began` on, final or not; `timeout` is what its client would bear.

    It `is_own` where this call started or joined it.
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
