"""Replays what a live task recorded against the code of its tool, as it is here, and writes nothing.

The replay ends where the last record was given, before the code does anything that no run of the task did yet: no
step is run, and nothing is asked.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Final, NamedTuple

from mcp_tasks.authoring.context import Context
from mcp_tasks.authoring.control_signals import BadInputResponse, InputNeeded, Interrupted
from mcp_tasks.authoring.input_responses import check
from mcp_tasks.authoring.replay_log import ReplayLog, next_key
from mcp_tasks.authoring.text import Level
from mcp_tasks.authoring.wording import listed
from mcp_tasks.engine.operations import TaskOperations
from mcp_tasks.engine.tool_run import LacksCapability, RejectsInput, RunEnd, run_tool, wrong_arguments
from mcp_tasks.features.tools import Tool, Toolbox
from mcp_tasks.security.credentials import Credentials
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.hashing import hashed
from mcp_tasks.tasks.model import JSON, Failed, InputRequest, InputResponse, Progress, Returned, Task
from mcp_tasks.testing.side_effects import allowed, none_allowed

WITHOUT_SIDE_EFFECT: Final = re.compile(r"sleep \d+|patched .*", re.DOTALL)
"""Names of records that the context makes itself."""

NOBODYS: Final = Credentials(access_key="none", secret_key="none", session_token=None)


@dataclass(slots=True, kw_only=True)
class RecordedJournal:
    """A `Journal` of what a task recorded; it raises `Interrupted` after the last record, and where there is none.

    `changes` is what the code does otherwise than the runs of the task did, without failing.  Where it `is_same_code`,
    a step before recorded ones is no new one: it failed, or has not ended.
    """

    tasks: TaskOperations
    owner_key: str
    task: Task
    is_same_code: bool
    changes: list[str] = field(default_factory=list, init=False)
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
        if recorded is None:
            self._note_new_step(name)
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
        """Return the responses, and note what changed of the input requests."""
        try:
            responses = self._replay_log.request_input(input_requests)
        except InputNeeded:
            self._note_changed(input_requests)
            raise
        self._note_changed(input_requests)
        if self.is_over:
            raise Interrupted
        return responses

    def _recall(self, name: str) -> tuple[JSON] | None:
        with allowed():
            recorded = self.tasks.recorded_step(self.owner_key, self.task.id, name)
        if recorded is not None:
            self._reached.add(hashed(name))
        return recorded

    def _note_new_step(self, name: str) -> None:
        """Note a step that runs although others are recorded, one of which may be the same step by another name."""
        left = (kept for key, kept in self._steps.items() if key not in self._reached)
        said = {
            "steps whose names were not kept" if kept is None else repr(kept)
            for kept in left
            if kept is None or not WITHOUT_SIDE_EFFECT.fullmatch(kept)
        }
        if said and not self.is_same_code and not WITHOUT_SIDE_EFFECT.fullmatch(name):
            recorded = listed(sorted(said), str)
            self.changes.append(f"step {name!r} runs anew; recorded and not asked for before it: {recorded}")

    def _note_changed(self, input_requests: Sequence[InputRequest]) -> None:
        """Note input requests whose response does not fit any more, or which are open and have another form."""
        asked = {each.key: _form_of(each) for each in self.task.input_requests}
        for each in input_requests:
            response = self._replay_log.responses.get(each.key)
            try:
                if response is not None and response.result is not None:
                    check(each, response.result)
            except BadInputResponse as error:
                if next_key(each.key) not in self.task.requested:
                    self.changes.append(f"{error}; it is asked for again")
            if asked.get(each.key, _form_of(each)) != _form_of(each):
                changed = f"the form of the open question {each.key!r} changed"
                self.changes.append(f"{changed}; an answer that does not fit is asked for again")


class Verdict(NamedTuple):
    """Why a task would fail, if it would, and what the code does otherwise than the task's runs did."""

    why: str | None
    changes: Sequence[str] = ()


def verdict(tasks: TaskOperations, tools: Toolbox, owner_key: str, task: Task) -> Verdict:
    """Return what becomes of a live task under these tools, as far as its records say.

    Raises `TaskNotFound` for a task that is gone by now.
    """
    tool = tools.find(task.tool)
    if tool is None:
        return Verdict(f"There is no tool named {task.tool} any more.")
    arguments = tasks.arguments(owner_key, task.id)
    caller = replace(Caller.of_owner_key(owner_key), scopes=task.scopes, actor=task.actor)
    is_same_code = tool.version is not None and tool.version == task.tool_version
    journal = RecordedJournal(tasks=tasks, owner_key=owner_key, task=task, is_same_code=is_same_code)
    if journal.is_over:
        # Nothing is recorded, and so there is nothing that a run would have to repeat.
        return Verdict(_why(wrong_arguments(tool, arguments, caller)))
    context = Context(caller=caller, journal=journal, task_id=task.id)
    return Verdict(_why(_replayed(tool, arguments, context, task)), journal.changes)


def _form_of(input_request: InputRequest) -> JSON:
    params = input_request.params
    return [input_request.method, params.get("mode"), params.get("requestedSchema")]


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
