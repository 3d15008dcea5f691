"""Records the outcome of a task from the end of its execution, where the run of its tool did not.

That is so for tools whose own state machine does the work, and for executions that failed, were stopped or timed out.
An outcome that a run recorded is never changed here.
"""

import logging

from mcp_tasks.authoring.errors import BadResult
from mcp_tasks.engine.operations import TaskOperations
from mcp_tasks.engine.tool_run import clipped, work_of
from mcp_tasks.features.tools import Toolbox
from mcp_tasks.records import record
from mcp_tasks.security.tenancy import Caller
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
    "States.DataLimitExceeded": "The work handed over more than the 256 KiB that a state may.",
    "Lambda.Unknown": "The process that did the work died.",
    "Runtime.ExitError": "The process that did the work died.",
    "Runtime.OutOfMemory": "The process that did the work ran out of memory.",
    "RunInterrupted": "The work was interrupted, since the server failed, and was not repeated in time.",
    "RunBroken": "The server failed at each attempt to do the work.",
    "Unavailable": "The server failed for longer than it tries again.",
    "Lambda.TooManyRequestsException": "There was no room to do the work for longer than the server waits.",
    "TIMED_OUT": "The work did not end in time.",
    "ABORTED": "The work was stopped.",
    "FAILED": "The work failed.",
    "SUCCEEDED": "The work ended without a result.",
}

# Only EventBridge reports these; all other ends the state machine should have recorded itself.
KNOWN_FROM_EVENT_ONLY = frozenset({"TIMED_OUT", "ABORTED"})


@record
class ExecutionOutcomes:
    """Finishes tasks whose execution ended; each method does nothing if the task is final or gone."""

    tasks: TaskOperations
    tools: Toolbox

    def returned(self, owner_key: str, task_id: str, output: JSON) -> None:
        """Record the output of a state machine as what its tool returned; one that does not fit fails the task."""
        try:
            task = self.tasks.read(owner_key, task_id)
            if is_final(task):
                return
            tool = self.tools.find(task.tool)
            if tool is None:
                self.tasks.fail(owner_key, task_id, "There is no such tool any more.")
            else:
                self.tasks.finish(owner_key, task_id, work_of(tool, Caller.of_owner_key(owner_key)).returned(output))
        except BadResult as error:
            reason = f"The work returned what the tool's output schema does not allow: {error}"
            self.tasks.fail(owner_key, task_id, clipped(reason))
        except (TaskNotFound, IllegalTransition):
            return

    def failed(self, owner_key: str, task_id: str, error: str) -> None:
        """Record a failure by its Step Functions error name; the cause is logged and not shown to clients."""
        self.tasks.fail(owner_key, task_id, REASONS.get(error, f"The work failed: {error}."))

    def ended(self, owner_key: str, task_id: str, status: str) -> None:
        """Record the end of an execution by its status, if no outcome was recorded before."""
        failed = self.tasks.fail(owner_key, task_id, REASONS[status])
        if failed and status not in KNOWN_FROM_EVENT_ONLY:
            logger.warning("an execution did not record its end", extra={"task": task_id, "fallback": "ended_by_event"})
