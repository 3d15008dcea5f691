"""Run one tool, and turn whatever happens into an outcome.

A tool's code runs at least once; its outcome is recorded exactly once.
"""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta

from mcp_tasks.authoring.context import Context
from mcp_tasks.authoring.control_signals import (
    BadInputResponse,
    ControlSignal,
    InputNeeded,
    Interrupted,
    NonDeterminismError,
    TaskCancelled,
)
from mcp_tasks.authoring.errors import BadArguments, McpError, MissingCapability, ToolError, UrlElicitationRequired
from mcp_tasks.engine.journal import TaskJournal
from mcp_tasks.engine.operations import INTERNAL_ERROR, TaskOperations
from mcp_tasks.engine.suspension import InputRequestsTooLarge, Parking, check_size
from mcp_tasks.features.results import failure
from mcp_tasks.features.tools import Tool, Toolbox
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import IllegalMove, TaskNotFound
from mcp_tasks.tasks.model import JSON, Faulted, Outcome, Returned, Task
from mcp_tasks.tasks.transitions import is_final

logger = logging.getLogger(__name__)

LONGEST_MESSAGE = 1_000
LARGEST_RESULT = 2_500_000
"""Characters of JSON: Lambda answers with 6 MB at most, and escaping JSON within JSON may double it."""


def run_inline(tool: Tool, arguments: Mapping[str, JSON], context: Context) -> Outcome:
    """Run a tool for a caller who waits.

    Raises `MissingCapability` where the tool does without nothing that the client lacks, and what ends runs that ask:
    `InputNeeded` and `BadInputResponse`.
    """
    try:
        return _outcome(tool, arguments, context)
    except TaskCancelled:
        return failure(f"{tool.name} gave up.")


def refusal(tool: Tool, arguments: Mapping[str, JSON]) -> Outcome | None:
    """Return what a tool would answer to arguments that do not fit it, or None if they fit."""
    try:
        tool.work.check(arguments)
    except BadArguments as error:
        return _misfit(tool, error)
    return None


class RunInterrupted(Exception):
    """The run broke off by no fault of the tool; `infra/states.py` knows this name, and tries again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """Runs the tools of tasks."""

    tasks: TaskOperations
    tools: Toolbox

    def run(self, owner_key: str, task_id: str, *, attempt: int = 1) -> timedelta | None:
        """Run a task's tool and settle the task, or return how long to wait for answers to what the tool asked.

        Does nothing for a task that is gone or final.  Raises `RunInterrupted`: then run it again.
        """
        try:
            return self._run(owner_key, task_id, attempt)
        except (TaskNotFound, TaskCancelled, IllegalMove):
            # Cancelled, expired or settled meanwhile: nobody waits for this outcome, and the first one stays.
            logger.info("the outcome of task %s is not wanted any more", task_id)
            return None
        except (Exception, Interrupted) as error:
            raise RunInterrupted from error

    def _run(self, owner_key: str, task_id: str, attempt: int) -> timedelta | None:
        parking = Parking(tasks=self.tasks)
        task = parking.expire(owner_key, task_id)
        if is_final(task):
            return None
        if task.input_requests:
            # Asked by a run that died then, or by the call before it was a task; or some answers are still missing.
            return parking.patience(task)
        try:
            outcome = self._outcome(owner_key, task, attempt)
        except InputNeeded as needed:
            return parking.request_input(owner_key, task_id, needed.input_requests)
        self.tasks.settle(owner_key, task_id, outcome)
        return None

    def _outcome(self, owner_key: str, task: Task, attempt: int) -> Outcome:
        tool = self.tools.find(task.tool)
        if tool is None:
            return Faulted(code=INTERNAL_ERROR, message=f"There is no tool named {task.tool} any more.")
        arguments = self.tasks.arguments(owner_key, task.id)
        caller = replace(Caller.of_owner_key(owner_key), scopes=task.scopes)
        journal = TaskJournal(tasks=self.tasks, owner_key=owner_key, task=task)
        try:
            return _outcome(tool, arguments, Context(caller=caller, journal=journal, task_id=task.id, attempt=attempt))
        except (MissingCapability, BadInputResponse) as error:
            return failure(_clipped(str(error)))


def _outcome(tool: Tool, arguments: Mapping[str, JSON], context: Context) -> Outcome:
    try:
        return _within_bounds(tool, tool.work.call(arguments, context))
    except McpError as error:
        return _faulted(tool, error, context.journal.client_capabilities)
    except BadArguments as error:
        return _misfit(tool, error)
    except NonDeterminismError as error:
        logger.error("tool %s: %s", tool.name, error)
        return failure(_clipped(f"{tool.name} failed: {error}"))
    except InputNeeded as needed:
        return _too_much(tool, needed)
    except (MissingCapability, ControlSignal, KeyboardInterrupt):
        raise
    except ToolError as error:
        return failure(_clipped(_said(error)))
    except BaseException as error:  # a tool may raise anything, `sys.exit()` too, and its caller must hear of it
        logger.exception("tool %s failed", tool.name)
        return failure(_clipped(f"{tool.name} failed: {type(error).__name__}: {_said(error)}"))


def _said(error: BaseException) -> str:
    """Return what an error says of itself, if it can: an adopter's may fail at that, too."""
    try:
        return str(error)
    except Exception:  # noqa: BLE001  # it is the adopter's code that failed, and may raise anything
        return "it has no message that could be told"


def _too_much(tool: Tool, needed: InputNeeded) -> Outcome:
    """Let a run ask, unless it asks more than can be kept."""
    try:
        check_size(needed.input_requests)
    except InputRequestsTooLarge as error:
        return failure(f"{tool.name} failed: {error}.")
    raise needed


def _within_bounds(tool: Tool, returned: Returned) -> Outcome:
    size = len(json.dumps(returned.result))
    if size <= LARGEST_RESULT:
        return returned
    return failure(f"{tool.name} returned {size:,} characters; a client can be given {LARGEST_RESULT:,} at most.")


def _faulted(tool: Tool, error: McpError, client_capabilities: frozenset[str]) -> Faulted:
    """Keep the error, but not data that could neither be stored nor sent; raises `MissingCapability`."""
    if isinstance(error, UrlElicitationRequired) and "elicitation.url" not in client_capabilities:
        raise MissingCapability("elicitation.url") from error
    try:
        fits = len(json.dumps(error.data, allow_nan=False)) <= LARGEST_RESULT
    except (TypeError, ValueError, RecursionError):
        fits = False
    if not fits:
        logger.error("tool %s raised an error whose data is no JSON or too large: it is left out", tool.name)
    return Faulted(code=error.code, message=_clipped(error.message), data=error.data if fits else None)


def _misfit(tool: Tool, error: BadArguments) -> Outcome:
    return failure(_clipped(f"{tool.name} was called with wrong arguments: {error}"))


def _clipped(message: str) -> str:
    return message if len(message) <= LONGEST_MESSAGE else message[: LONGEST_MESSAGE - 1] + "…"
