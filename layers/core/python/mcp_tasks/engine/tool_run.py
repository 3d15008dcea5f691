"""Runs a tool's code once and returns how the run ended, as a value; control signals are caught nowhere else."""

import json
import logging
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple, TypeAlias

from mcp_tasks.authoring.context import Context
from mcp_tasks.authoring.control_signals import (
    BadInputResponse,
    ContinueAsTask,
    ControlSignal,
    InputNeeded,
    NonDeterminismError,
    Sleeping,
    TaskCancelled,
    is_from_context,
)
from mcp_tasks.authoring.errors import (
    BadArguments,
    BadResult,
    McpError,
    MissingCapability,
    ToolError,
    UrlElicitationRequired,
)
from mcp_tasks.authoring.wording import short
from mcp_tasks.engine.built_in_tools import BuiltInTool, FollowTask
from mcp_tasks.engine.current_run import running
from mcp_tasks.engine.operations import INTERNAL_ERROR
from mcp_tasks.engine.suspension import InputRequestsTooLarge, check_size
from mcp_tasks.engine.watched_journal import WatchedJournal
from mcp_tasks.features.results import failure
from mcp_tasks.features.tools import Tool, Work
from mcp_tasks.limits.tools import MAX_ERROR_CHARACTERS, MAX_RESULT_CHARACTERS
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON, Failed, InputRequest, Outcome, Returned

logger = logging.getLogger(__name__)


class AwaitsInput(NamedTuple):
    """The run ended at these input requests; once they have responses, the tool runs again."""

    input_requests: tuple[InputRequest, ...]


class Sleeps(NamedTuple):
    """The run ended at `Context.sleep`; at this time, the tool runs again."""

    wakes_at: datetime


class ContinuesAsTask(NamedTuple):
    """The run ended at `Context.continue_as_task`."""


class LacksCapability(NamedTuple):
    """The tool needs a capability that the client did not declare."""

    error: MissingCapability


class RejectsInput(NamedTuple):
    """A response of the client does not fit its input request."""

    error: BadInputResponse


RunEnd: TypeAlias = Outcome | AwaitsInput | Sleeps | ContinuesAsTask | FollowTask | LacksCapability | RejectsInput


class RunsElsewhere(ABC):
    """The `Work` of a tool whose code is in another process."""

    @abstractmethod
    def run(self, arguments: Mapping[str, JSON], context: Context) -> RunEnd:
        """Run the code once there, and return how that ended."""

    @abstractmethod
    def of(self, caller: Caller) -> Work:
        """Return the work with which arguments and outputs of a caller's are checked there."""


def work_of(tool: Tool, caller: Caller) -> Work:
    """Return a tool's work, to check arguments and outputs of a caller's."""
    return tool.work.of(caller) if isinstance(tool.work, RunsElsewhere) else tool.work


def run_tool(
    tool: Tool, arguments: Mapping[str, JSON], context: Context, *, started_under: str | None = None
) -> RunEnd:
    """Run a tool; raises `TaskCancelled` and `Interrupted`, by which a task's journal ends a run.

    Where what its task recorded does not fit the tool, which was `started_under` another version, the task ends as
    failed, whatever is made of a tool's error: nobody who calls can help it.
    """
    journal = WatchedJournal(context.journal)
    try:
        with running(tool.name, context.task_id):
            end = _outcome(tool, arguments, replace(context, journal=journal.watched), started_under)
        if journal.signal is not None:
            # The tool went on, and did not get what it asked for: what it made of that is no outcome.
            raise journal.signal
        return end
    except InputNeeded as signal:
        return _awaiting(tool, signal)
    except Sleeping as signal:
        return Sleeps(signal.wakes_at)
    except ContinueAsTask:
        return ContinuesAsTask()
    except MissingCapability as error:
        return LacksCapability(error)
    except BadInputResponse as error:
        return _changed(tool, started_under, error) or RejectsInput(error)
    except NonDeterminismError as error:
        logger.error("tool %s: %s", tool.name, error)
        changed = _changed(tool, started_under, f"it asked {error.before!r} before, and now asks {error.now!r}")
        return changed or failure(clipped(f"{tool.name} failed: {error}"))


def wrong_arguments(tool: Tool, arguments: Mapping[str, JSON], caller: Caller) -> Outcome | None:
    """Return the `isError` result for arguments that break the tool's input schema, or None if they fit."""
    try:
        work_of(tool, caller).check(arguments)
    except BadArguments as error:
        return _validation_error(tool, error)
    return None


def clipped(message: str) -> str:
    """Return an error message, cut at `MAX_ERROR_CHARACTERS`."""
    return short(message, MAX_ERROR_CHARACTERS)


def _changed(tool: Tool, before: str | None, what: object) -> Failed | None:
    """Return the outcome of a task that the tool's code does not fit any more, or None if that is of the same version.

    The versions are known of tasks of this release, and of tools whose source is in a file.
    """
    if before is None or tool.version is None or before == tool.version:
        return None
    said = f"{tool.name} was changed while this task was in flight, from version {before} to version {tool.version}"
    logger.error("%s, and does not fit it any more", said)
    return Failed(code=INTERNAL_ERROR, message=clipped(f"{said}, and the task cannot go on: {what}"))


def _outcome(tool: Tool, arguments: Mapping[str, JSON], context: Context, started_under: str | None) -> RunEnd:
    try:
        if isinstance(tool.work, BuiltInTool):
            return tool.work.answer(arguments, context)
        return _within_bounds(tool, tool.work.call(arguments, context))
    except McpError as error:
        return _failed(tool, error, context.journal.client_capabilities)
    except (BadArguments, BadResult) as error:
        return _validation_error(tool, error, started_under)
    except (MissingCapability, KeyboardInterrupt):
        raise
    except ControlSignal as signal:
        return _of_signal(tool, signal)
    except ToolError as error:
        return failure(clipped(_message_of(error)))
    except BaseException as error:  # noqa: BLE001 - `sys.exit()` too, and its client must get a result
        return _crashed(tool, error)


def _crashed(tool: Tool, error: BaseException) -> Outcome:
    """Return the result of a tool that raised what none should; raises it again where the tool is built in.

    That is the server's own failure, and no client is told what AWS said.
    """
    if isinstance(tool.work, BuiltInTool):
        raise error
    logger.exception("tool %s failed", tool.name)
    return failure(clipped(f"{tool.name} failed: {type(error).__name__}: {_message_of(error)}"))


def _of_signal(tool: Tool, signal: ControlSignal) -> Outcome:
    """Return the outcome of a tool that raised a control signal itself; raises one that its context raised."""
    if is_from_context(signal):
        raise signal
    logger.error("tool %s raised a control signal itself", tool.name, exc_info=signal)
    if isinstance(signal, TaskCancelled):
        return failure(f"{tool.name} failed: it raised TaskCancelled, but was not cancelled.")
    name = type(signal).__name__
    return failure(f"{tool.name} failed: it raised {name}, which only the methods of its context may raise")


def _message_of(error: BaseException) -> str:
    """Return the message of an error, whose `__str__` may be an adopter's and fail."""
    try:
        return str(error)
    except Exception:  # noqa: BLE001  # an adopter's code may raise anything
        return "its message cannot be read"


def _awaiting(tool: Tool, signal: InputNeeded) -> AwaitsInput | Outcome:
    """Return the run's input requests, or an `isError` result if they are too large to be stored."""
    if not tool.approvals and any(each.approval for each in signal.input_requests):
        # Nobody would be offered the inbox that it is in.
        return failure(f"{tool.name} failed: it asks others than its caller, so declare it with @tool(approvals=True).")
    try:
        check_size(signal.input_requests)
    except InputRequestsTooLarge as error:
        return failure(f"{tool.name} failed: {error}.")
    return AwaitsInput(signal.input_requests)


def _within_bounds(tool: Tool, returned: Returned) -> Outcome:
    size = len(json.dumps(returned.result))
    if size <= MAX_RESULT_CHARACTERS:
        return returned
    return failure(
        f"{tool.name} returned {size:,} characters; a client can be given {MAX_RESULT_CHARACTERS:,} at most."
    )


def _failed(tool: Tool, error: McpError, client_capabilities: frozenset[str]) -> Failed | LacksCapability:
    """Return the outcome of a protocol error, without its data where that could be neither stored nor sent."""
    if isinstance(error, UrlElicitationRequired) and "elicitation.url" not in client_capabilities:
        return LacksCapability(MissingCapability("elicitation.url"))
    try:
        fits = len(json.dumps(error.data, allow_nan=False)) <= MAX_RESULT_CHARACTERS
    except (TypeError, ValueError, RecursionError):
        fits = False
    if not fits:
        logger.error("tool %s raised an error whose data is no JSON or too large: it is left out", tool.name)
    return Failed(code=error.code, message=clipped(error.message), data=error.data if fits else None)


def _validation_error(tool: Tool, error: BadArguments | BadResult, started_under: str | None = None) -> Outcome:
    if isinstance(error, BadArguments):
        if changed := _changed(tool, started_under, f"its arguments do not fit: {error}"):
            return changed
        return failure(clipped(f"{tool.name} was called with wrong arguments: {error}"))
    what = "cannot be sent" if tool.work.output_schema is None else "its output schema does not allow"
    logger.error("tool %s returned what %s: %s", tool.name, what, error)
    return failure(clipped(f"{tool.name} returned what {what}: {error}"))
