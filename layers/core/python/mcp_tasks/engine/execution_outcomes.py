"""Executions that ended -> outcomes of tasks.

A tool that ran has recorded its own outcome, and then nothing here changes it.  What is left: a machine that does the
work without the tool's function, work that failed, and executions that were stopped or ran out of time.
"""

import logging
from dataclasses import dataclass

from mcp_tasks.authoring.errors import BadResult
from mcp_tasks.engine.operations import TaskOperations
from mcp_tasks.features.tools import Toolbox
from mcp_tasks.tasks.errors import IllegalTransition, TaskNotFound
from mcp_tasks.tasks.model import JSON
from mcp_tasks.tasks.transitions import is_final

logger = logging.getLogger(__name__)

# A process that dies is `Lambda.Unknown` where Lambda gives the error no type, and that type where it does; one that
# ran out of memory may be any of the three.
# docs.aws.amazon.com/step-functions/latest/dg/bp-lambda-serviceexception.html
REASONS = {
    "States.Timeout": "The work did not end in time.",
    "Sandbox.Timedout": "The work did not end in time.",
    "Lambda.Unknown": "The process that did the work died.",
    "Runtime.ExitError": "The process that did the work died.",
    "Runtime.OutOfMemory": "The process that did the work ran out of memory.",
    "TIMED_OUT": "The work did not end in time.",
    "ABORTED": "The work was stopped.",
    "FAILED": "The work failed.",
    "SUCCEEDED": "The work ended without a result.",
}

# Of these only the event tells; otherwise the machine itself was to record what became of the work.
KNOWN_FROM_EVENT_ONLY = frozenset({"TIMED_OUT", "ABORTED"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionOutcomes:
    """What to make of the end of an execution; each method is harmless when the task is final or gone."""

    tasks: TaskOperations
    tools: Toolbox

    def returned(self, owner_key: str, task_id: str, output: JSON) -> None:
        """Take the output of a machine for the result of its tool."""
        try:
            task = self.tasks.read(owner_key, task_id)
            if is_final(task):
                return
            tool = self.tools.find(task.tool)
            if tool is None:
                self.tasks.fail(owner_key, task_id, "There is no such tool any more.")
            else:
                self.tasks.finish(owner_key, task_id, tool.work.returned(output))
        except BadResult:
            self.tasks.fail(owner_key, task_id, "The work returned what the tool's schema does not allow.")
        except (TaskNotFound, IllegalTransition):
            return

    def failed(self, owner_key: str, task_id: str, error: str) -> None:
        """Take the name of an error for the reason; what it says in detail belongs into the log."""
        self.tasks.fail(owner_key, task_id, REASONS.get(error, f"The work failed: {error}."))

    def closed(self, owner_key: str, task_id: str, status: str) -> None:
        """Take the status of a closed execution for the reason, if nobody gave a better one."""
        failed = self.tasks.fail(owner_key, task_id, REASONS[status])
        if failed and status not in KNOWN_FROM_EVENT_ONLY:
            said = {"task": task_id, "fallback": "ended_by_event"}
            logger.warning("an execution did not record its end", extra=said)
