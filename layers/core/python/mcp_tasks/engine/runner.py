"""Runs the tool of a task and has its host record the outcome.

A tool's code runs at least once; its outcome is recorded exactly once.
"""

import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import timedelta
from typing import TypeAlias

from mcp_tasks.authoring.context import Context
from mcp_tasks.authoring.control_signals import Interrupted, TaskCancelled
from mcp_tasks.engine.built_in_tools import FollowTask
from mcp_tasks.engine.current_run import traced
from mcp_tasks.engine.journal import TaskJournal
from mcp_tasks.engine.operations import INTERNAL_ERROR
from mcp_tasks.engine.suspension import InputRequestsTooLarge, check_requested
from mcp_tasks.engine.tool_run import (
    AwaitsInput,
    ContinuesAsTask,
    LacksCapability,
    RejectsInput,
    RunEnd,
    Sleeps,
    clipped,
    run_tool,
)
from mcp_tasks.features.results import failure
from mcp_tasks.features.tools import Toolbox
from mcp_tasks.ports.clock import Clock
from mcp_tasks.ports.run_host import LoadedRun, RunHost, RunNotWanted, TicketRevoked
from mcp_tasks.records import record
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import Unavailable
from mcp_tasks.tasks.model import DIRECT_MACHINE, JSON, Failed, InputRequest, Returned

logger = logging.getLogger(__name__)

CANNOT_SUSPEND = (
    f"with machine={DIRECT_MACHINE!r} a tool can neither request input nor sleep, since nothing would resume it: "
    "leave out machine="
)


class RunInterrupted(Exception):
    """The host of the run was unavailable: the state machine repeats the run as long as its task has time.

    State machines know it by this name, which is also that of `RunBroken` to those of earlier releases.
    """


class RunBroken(RunInterrupted):
    """The run ended through no fault of the tool, for a reason that may not pass: it is repeated a few times."""


Keeping: TypeAlias = Callable[[RunHost, LoadedRun], AbstractContextManager[None]]
"""Keeps the lease of a run, and ends its task when its time is over, as long as the context lasts."""


@record
class Runner:
    """Runs the tools of tasks; `keeping` is for runs that hold a lease."""

    tools: Toolbox
    clock: Clock
    keeping: Keeping = lambda host, run: nullcontext()

    def run(self, host: RunHost, task_id: str, *, attempt: int = 1, state_input: JSON = None) -> timedelta | None:
        """Run a task's tool and finish the task, or return for how long it is suspended: it sleeps, or awaits input.

        Does nothing for a task that is gone or final.  `task_id` is for the log.  Raises `RunInterrupted` and
        `RunBroken`, after which the run is to be repeated, and `TicketRevoked`, after which it is to be repeated with
        another ticket.
        """
        try:
            return self._run(host, attempt, state_input)
        except (RunNotWanted, TaskCancelled):
            # Cancelled, expired or finished meanwhile: the first outcome stays.
            logger.info("the outcome of the run is not wanted any more", extra={"task": task_id})
            return None
        except TicketRevoked:
            extra = {"task": task_id, "fallback": "ticket_revoked"}
            logger.info("the key of the run's ticket was retired: it is repeated with another ticket", extra=extra)
            raise
        except (Exception, Interrupted) as error:
            if not isinstance(error.__cause__ if isinstance(error, Interrupted) else error, Unavailable):
                raise RunBroken from error
            extra = {"task": task_id, "fallback": "run_interrupted"}
            logger.warning("the host of a run is unavailable: the run is repeated", extra=extra)
            raise RunInterrupted from error

    def _run(self, host: RunHost, attempt: int, state_input: JSON) -> timedelta | None:
        loaded = host.load()
        if isinstance(loaded, timedelta):
            return loaded
        with traced(loaded.trace), self.keeping(host, loaded) if loaded.attempt is not None else nullcontext():
            end = self._run_tool(host, loaded, loaded.attempt or attempt, state_input)
        match end:
            case AwaitsInput() | Sleeps() if loaded.attempt is not None:
                host.finish(failure(f"{loaded.tool} failed: {CANNOT_SUSPEND}."))
            case AwaitsInput(input_requests):
                return _request_input(host, loaded, input_requests)
            case Sleeps(wakes_at):
                return host.sleep(wakes_at)
            case LacksCapability(error) | RejectsInput(error):
                host.finish(failure(clipped(str(error))))
            case Returned() | Failed() as outcome:
                host.finish(outcome)
            case ContinuesAsTask() | FollowTask() as other:
                raise TypeError(f"a task ended in {other}, which only a run within a request does")
        return None

    def _run_tool(self, host: RunHost, run: LoadedRun, attempt: int, state_input: JSON) -> RunEnd:
        # First: what the run was told is left of its time counts from here.
        journal = TaskJournal(host=host, run=run, clock=self.clock)
        tool = self.tools.find(run.tool)
        if attempt > 1:
            host.status_reported(f"The server could not finish the work so far: attempt {attempt} has begun.")
        if tool is None:
            return Failed(code=INTERNAL_ERROR, message=f"There is no tool named {run.tool} any more.")
        caller = replace(Caller.of_owner_key(run.owner_key), scopes=run.scopes, actor=run.actor)
        context = Context(caller=caller, journal=journal, task_id=run.task_id, attempt=attempt, state_input=state_input)
        return run_tool(tool, run.arguments, context, started_under=run.tool_version)


def _request_input(host: RunHost, run: LoadedRun, input_requests: Sequence[InputRequest]) -> timedelta | None:
    """Send the input requests, or end the task as failed where its host would not keep them."""
    try:
        check_requested(run.requested, input_requests)
    except InputRequestsTooLarge as error:
        host.finish(failure(clipped(f"{run.tool} failed: {error}.")))
        return None
    return host.request_input(input_requests)
