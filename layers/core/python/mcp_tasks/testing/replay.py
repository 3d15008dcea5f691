"""Replays what a live task recorded against the code of its tool, as it is here, and writes nothing.

The replay ends where the last record was given, before the code does anything that no run of the task did yet: no
step is run, and nothing is asked.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Final

from mcp_tasks.authoring.context import Context
from mcp_tasks.authoring.control_signals import Interrupted
from mcp_tasks.authoring.input_responses import check
from mcp_tasks.authoring.replay_log import ReplayLog
from mcp_tasks.authoring.text import Level
from mcp_tasks.engine.operations import TaskOperations
from mcp_tasks.engine.tool_run import LacksCapability, RejectsInput, RunEnd, run_tool, wrong_arguments
from mcp_tasks.features.tools import Tool, Toolbox
from mcp_tasks.security.credentials import Credentials
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON, Failed, InputRequest, InputResponse, Progress, Returned, Task
from mcp_tasks.testing.side_effects import allowed, none_allowed

NOBODYS: Final = Credentials(access_key="none", secret_key="none", session_token=None)


@dataclass(slots=True, kw_only=True)
class RecordedJournal:
    """A `Journal` of what a task recorded; it raises `Interrupted` after the last record, and where there is none."""

    tasks: TaskOperations
    owner_key: str
    task: Task
    _steps: Mapping[str, str | None] = field(init=False)
    _reached: set[str] = field(default_factory=set, init=False)
    _replay_log: ReplayLog[InputResponse] = field(init=False)

    def __post_init__(self) -> None:
        """Read how much is recorded, and all responses."""
        self._steps = self.tasks.step_names(self.owner_key, self.task.id)
        found = {key: self.tasks.response(self.owner_key, self.task.id, key) for key in self.task.requested}
        responses = {key: response for key, response in found.items() if response is not None}
        self._replay_log = ReplayLog(requested=list(self.task.requested), responses=responses)

    @property
    def is_over(self) -> bool:
        """Whether all that is recorded was given."""
        return len(self._reached) >= len(self._steps) and not self._replay_log.asks_again

    @property
    def client_capabilities(self) -> frozenset[str]:
        """The capabilities of the client that created the task."""
        return self.task.client_capabilities

    def progressed(self, progress: Progress) -> None:
        """Ignore a report of progress."""

    def status_reported(self, status_message: str) -> None:
        """Ignore a status message."""

    def expected(self, duration: timedelta) -> None:
        """Ignore when the work will be done."""

    def continue_as_task(self) -> None:
        """Do nothing, as in any run of a task."""

    def logged(self, level: Level, data: JSON, logger: str | None) -> None:
        """Ignore a log message."""

    def updated(self, uri: str) -> None:
        """Ignore the change of a resource."""

    def step(self, name: str, run: Callable[[], JSON]) -> JSON:
        """Return what is recorded."""
        recorded = self._recall(name)
        if recorded is None or self.is_over:
            raise Interrupted
        return recorded[0]

    def patched(self, name: str) -> bool:
        """Return True where that is recorded, since the run is not yet where it could be."""
        recorded = self._recall(name)
        if self.is_over:
            raise Interrupted
        return recorded is not None and bool(recorded[0])

    def sleep(self, duration: timedelta, step: Callable[[Callable[[], str]], str]) -> None:
        """Return if the task slept before."""
        step(str)

    def wait_to_retry(self, step: str, delay: timedelta) -> bool:
        """End the replay: no recorded step is retried."""
        raise Interrupted

    def tenant_credentials(self) -> Credentials:
        """Return what no service accepts; a run that uses it ends there."""
        return NOBODYS

    def request_input(self, input_requests: Sequence[InputRequest]) -> Sequence[InputResponse]:
        """Return the responses, once each of them fits its input request."""
        responses = self._replay_log.request_input(input_requests)
        for input_request, response in zip(input_requests, responses, strict=True):
            if response.result is not None:
                check(input_request, response.result)
        if self.is_over:
            raise Interrupted
        return responses

    def _recall(self, name: str) -> tuple[JSON] | None:
        with allowed():
            recorded = self.tasks.recorded_step(self.owner_key, self.task.id, name)
        if recorded is not None:
            self._reached.add(name)
        return recorded


def why_broken(tasks: TaskOperations, tools: Toolbox, owner_key: str, task: Task) -> str | None:
    """Return why a live task would fail under these tools, or None where nothing says that it would.

    Raises `TaskNotFound` for a task that is gone by now.
    """
    tool = tools.find(task.tool)
    if tool is None:
        return f"There is no tool named {task.tool} any more."
    arguments = tasks.arguments(owner_key, task.id)
    caller = replace(Caller.of_owner_key(owner_key), scopes=task.scopes, actor=task.actor)
    journal = RecordedJournal(tasks=tasks, owner_key=owner_key, task=task)
    if journal.is_over:
        # Nothing is recorded, and so there is nothing that a run would have to repeat.
        return _why(wrong_arguments(tool, arguments, caller))
    context = Context(caller=caller, journal=journal, task_id=task.id)
    return _why(_replayed(tool, arguments, context, task))


def _replayed(tool: Tool, arguments: Mapping[str, JSON], context: Context, task: Task) -> RunEnd | None:
    """Return how the run ended, or None if the replay came to its end before."""
    try:
        with none_allowed() as reached:
            end = run_tool(tool, arguments, context, started_under=task.tool_version)
    except Interrupted:
        return None
    # What the code makes of the error in its way is no outcome.
    return None if reached else end


def _why(end: RunEnd | None) -> str | None:
    match end:
        case LacksCapability(error) | RejectsInput(error):
            return str(error)
        case Failed(message=message):
            return message
        case Returned(is_error=True, result={"content": [{"text": str(text)}, *_]}):
            return text
        case _:
            return None
