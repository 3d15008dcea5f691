"""Run one tool, and turn whatever happens into an outcome.

A tool's code runs at least once; its outcome is recorded exactly once.
"""

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from mcp_tasks.context import Context, Journal, TaskCancelled
from mcp_tasks.errors import BadArguments, McpError, ToolError
from mcp_tasks.service import INTERNAL_ERROR, TaskService
from mcp_tasks.tasks.errors import IllegalMove, StaleTask, TaskNotFound
from mcp_tasks.tasks.events import Progressed
from mcp_tasks.tasks.machine import is_final
from mcp_tasks.tasks.model import JSON, Faulted, Outcome, Progress, Returned, Task
from mcp_tasks.tenancy import Caller
from mcp_tasks.tools import Tool, Toolbox, failure

logger = logging.getLogger(__name__)

LONGEST_MESSAGE = 1_000
LARGEST_RESULT = 2_500_000
"""Characters of JSON: Lambda answers with 6 MB at most, and escaping JSON within JSON may double it."""

BETWEEN_REPORTS = timedelta(seconds=1)


def run_inline(tool: Tool, arguments: Mapping[str, JSON], caller: Caller, journal: Journal) -> Outcome:
    """Run a tool for a caller who waits."""
    try:
        return _outcome(tool, arguments, Context(caller=caller, journal=journal))
    except TaskCancelled:
        return failure(f"{tool.name} gave up.")


def refusal(tool: Tool, arguments: Mapping[str, JSON]) -> Outcome | None:
    """Return what a tool would answer to arguments that do not fit it, or None if they fit."""
    try:
        tool.work.check(arguments)
    except BadArguments as error:
        return _misfit(tool, error)
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """Runs the tools of tasks."""

    tasks: TaskService
    tools: Toolbox

    def run(self, scope: str, task_id: str, *, attempt: int = 1) -> None:
        """Run a task's tool and settle the task; does nothing for a task that is gone or final."""
        store = self.tasks.ports.tasks
        try:
            task = store.read(scope, task_id)
            if is_final(task):
                return
            outcome = self._outcome(scope, task, store.arguments(scope, task_id), attempt)
            self.tasks.settle(scope, task_id, outcome)
        except (TaskNotFound, TaskCancelled, IllegalMove):
            # Cancelled, expired or settled meanwhile: nobody waits for this outcome, and the first one stays.
            logger.info("the outcome of task %s is not wanted any more", task_id)

    def _outcome(self, scope: str, task: Task, arguments: Mapping[str, JSON], attempt: int) -> Outcome:
        tool = self.tools.find(task.tool)
        if tool is None:
            return Faulted(code=INTERNAL_ERROR, message=f"There is no tool named {task.tool} any more.")
        caller = replace(Caller.of_scope(scope), scopes=task.scopes)
        journal = TaskJournal(tasks=self.tasks, scope=scope, task=task)
        return _outcome(tool, arguments, Context(caller=caller, journal=journal, task_id=task.id, attempt=attempt))


def _outcome(tool: Tool, arguments: Mapping[str, JSON], context: Context) -> Outcome:
    try:
        return _within_bounds(tool, tool.work.call(arguments, context))
    except McpError as error:
        return _faulted(tool, error)
    except BadArguments as error:
        return _misfit(tool, error)
    except ToolError as error:
        return failure(_clipped(str(error)))
    except (TaskCancelled, KeyboardInterrupt):
        raise
    except BaseException as error:  # a tool may raise anything, `sys.exit()` too, and its caller must hear of it
        logger.exception("tool %s failed", tool.name)
        return failure(_clipped(f"{tool.name} failed: {type(error).__name__}: {error}"))


def _within_bounds(tool: Tool, returned: Returned) -> Outcome:
    size = len(json.dumps(returned.result))
    if size <= LARGEST_RESULT:
        return returned
    return failure(f"{tool.name} returned {size:,} characters; a client can be given {LARGEST_RESULT:,} at most.")


def _faulted(tool: Tool, error: McpError) -> Faulted:
    """Keep the error, but not data that could neither be stored nor sent."""
    try:
        fits = len(json.dumps(error.data, allow_nan=False)) <= LARGEST_RESULT
    except (TypeError, ValueError, RecursionError):
        fits = False
    if not fits:
        logger.error("tool %s raised an error whose data is no JSON or too large: it is left out", tool.name)
    return Faulted(code=error.code, message=_clipped(error.message), data=error.data if fits else None)


def _misfit(tool: Tool, error: BadArguments) -> Outcome:
    return failure(f"{tool.name} was called with wrong arguments: {error}")


def _clipped(message: str) -> str:
    return message if len(message) <= LONGEST_MESSAGE else message[: LONGEST_MESSAGE - 1] + "…"


@dataclass(slots=True, kw_only=True)
class TaskJournal:
    """The journal of a run that belongs to a task: kept in the store, and the place where a run learns of its end."""

    tasks: TaskService
    scope: str
    task: Task
    _written: datetime | None = field(default=None, init=False)

    def progressed(self, progress: Progress) -> None:
        """Write rising progress, at most once a second."""
        now = self.tasks.ports.clock.now()
        if self._written is not None and now - self._written < BETWEEN_REPORTS:
            return
        known = self.task.progress
        self._written = now
        # A second attempt reports from the top again, and the protocol wants progress to rise.
        if known is not None and progress.progress <= known.progress:
            self._still_wanted()
            return
        try:
            self.task = self.tasks.apply(self.scope, self.task.id, Progressed(progress=progress))
        except (IllegalMove, TaskNotFound) as error:
            raise TaskCancelled from error
        except StaleTask:
            logger.info("a report of task %s is left out, the next one will do", self.task.id)

    def step(self, name: str, run: Callable[[], JSON]) -> JSON:
        """Return what the step recorded, or run it and keep what it gave."""
        store = self.tasks.ports.tasks
        try:
            recorded = store.recall(self.scope, self.task.id, name)
            if recorded is not None:
                return recorded[0]
            self._still_wanted()
            return store.record(self.scope, self.task, name, _as_json(run(), name))
        except TaskNotFound as error:
            raise TaskCancelled from error

    def _still_wanted(self) -> None:
        try:
            wanted = not is_final(self.tasks.ports.tasks.read(self.scope, self.task.id))
        except TaskNotFound:
            wanted = False
        if not wanted:
            raise TaskCancelled


def _as_json(value: object, step: str) -> JSON:
    """Return the value as it will be replayed, so that the first run sees no other."""
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise TypeError(f"step {step} must return JSON: {error}") from error
