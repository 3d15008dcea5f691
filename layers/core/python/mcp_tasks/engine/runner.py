"""Runs the tool of a task and records the outcome.

A tool's code runs at least once; its outcome is recorded exactly once.
"""

import logging
from dataclasses import dataclass, replace
from datetime import timedelta

from mcp_tasks.authoring.context import Context
from mcp_tasks.authoring.control_signals import Interrupted, TaskCancelled
from mcp_tasks.engine.journal import TaskJournal
from mcp_tasks.engine.operations import INTERNAL_ERROR, TaskOperations
from mcp_tasks.engine.suspension import Suspension
from mcp_tasks.engine.task_tools import FollowTask
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
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import IllegalTransition, TaskNotFound
from mcp_tasks.tasks.model import JSON, Failed, Returned, Task
from mcp_tasks.tasks.transitions import is_final

logger = logging.getLogger(__name__)


class RunInterrupted(Exception):
    """The run ended through no fault of the tool: the state machine retries it, by this name (`infra/run.py`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """Runs the tools of tasks."""

    tasks: TaskOperations
    tools: Toolbox

    def run(self, owner_key: str, task_id: str, *, attempt: int = 1, state_input: JSON = None) -> timedelta | None:
        """Run a task's tool and finish the task, or return for how long it is suspended: it sleeps, or awaits input.

        Does nothing for a task that is gone or final.  Raises `RunInterrupted`, after which the run is to be repeated.
        """
        try:
            return self._run(owner_key, task_id, attempt, state_input)
        except (TaskNotFound, TaskCancelled, IllegalTransition):
            # Cancelled, expired or finished meanwhile: the first outcome stays.
            logger.info("the outcome of task %s is not wanted any more", task_id)
            return None
        except (Exception, Interrupted) as error:
            raise RunInterrupted from error

    def _run(self, owner_key: str, task_id: str, attempt: int, state_input: JSON) -> timedelta | None:
        suspension = Suspension(tasks=self.tasks)
        task = suspension.expire(owner_key, task_id)
        if is_final(task):
            return None
        if (suspended := suspension.remaining(task)) is not None:
            # By a run that died then, or by the call before it was a task; or some responses are still missing.
            return suspended
        match self._run_tool(owner_key, task, attempt, state_input):
            case AwaitsInput(input_requests):
                return suspension.request_input(owner_key, task_id, input_requests)
            case Sleeps(wakes_at):
                return suspension.sleep(owner_key, task_id, wakes_at)
            case LacksCapability(error) | RejectsInput(error):
                self.tasks.finish(owner_key, task_id, failure(clipped(str(error))))
            case Returned() | Failed() as outcome:
                self.tasks.finish(owner_key, task_id, outcome)
            case ContinuesAsTask() | FollowTask() as other:
                raise TypeError(f"a task ended in {other}, which only a run within a request does")
        return None

    def _run_tool(self, owner_key: str, task: Task, attempt: int, state_input: JSON) -> RunEnd:
        tool = self.tools.find(task.tool)
        if tool is None:
            return Failed(code=INTERNAL_ERROR, message=f"There is no tool named {task.tool} any more.")
        arguments = self.tasks.arguments(owner_key, task.id)
        caller = replace(Caller.of_owner_key(owner_key), scopes=task.scopes)
        journal = TaskJournal(tasks=self.tasks, owner_key=owner_key, task=task)
        context = Context(caller=caller, journal=journal, task_id=task.id, attempt=attempt, state_input=state_input)
        return run_tool(tool, arguments, context)
