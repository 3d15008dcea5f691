"""The executor on Step Functions: one Standard execution a task, named by the task's id."""

import json
import logging
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from botocore.exceptions import BotoCoreError, ClientError

from mcp_tasks.adapters.aws_failures import OVERLOADED
from mcp_tasks.limits.aws import MAX_CAUSE_CHARACTERS, MAX_LISTED_AT_ONCE
from mcp_tasks.ports.executor import Execution, ExecutorThrottled, ExecutorUnavailable
from mcp_tasks.records import record
from mcp_tasks.security.tickets import Tickets
from mcp_tasks.tasks.model import COMMON_MACHINES, JSON, Task

logger = logging.getLogger(__name__)

RUNNING: Final = frozenset({"RUNNING", "PENDING_REDRIVE"})

# The execution was resumed already, or its wait timed out.  A token that Step Functions does not know will not be
# accepted at the next attempt either, and the execution goes on when the state's own timeout ends.
NOT_SUSPENDED: Final = ("TaskTimedOut", "TaskDoesNotExist", "InvalidToken")

# Where AWS has nothing to stop, or says so of an execution that has ended: its documentation does not say what it does
# then.  What we send is valid, so that it is said of nothing else.
NOTHING_TO_STOP: Final = ("ExecutionDoesNotExist", "ValidationException")

# The request itself is wrong, so a retry would fail in the same way.
OUR_MISTAKES: Final = frozenset(
    {
        *("InvalidArn", "InvalidExecutionInput", "InvalidName"),
        *("InvalidParameterValueException", "SerializationException", "ValidationException"),
    }
)


class UnknownMachine(Exception):
    """A tool names a state machine that is not deployed."""


@record
class StepFunctionsExecutor:
    """The `Executor` on Step Functions; `machines` has the ARN of each state machine by its name.

    `client` makes the client of Step Functions, and is called only when there is something to do.
    An execution is given the start ticket of its task, which its runs need to reach the task.

    The execution of a task whose state machine is not deployed (any more) cannot be started, and counts as ended.
    """

    client: Callable[[], Any]
    machines: Mapping[str, str]
    tickets: Tickets
    page_size: int = MAX_LISTED_AT_ONCE

    def start(self, owner_key: str, task: Task, arguments: Mapping[str, JSON]) -> None:
        """Start the execution named by the task's id, so that a retry is harmless.

        Raises `UnknownMachine` besides `ExecutorUnavailable`.
        """
        if task.machine not in self.machines:
            raise UnknownMachine(f"no state machine named {task.machine!r} is deployed")
        call(
            self.client(),
            "start_execution",
            stateMachineArn=self.machines[task.machine],
            name=task.id,
            input=self._input(owner_key, task, arguments),
            harmless=("ExecutionAlreadyExists",),
        )

    def stop(self, task: Task, reason: str) -> None:
        """Stop the execution; `reason` is its cause, for those who read the console."""
        if task.machine in self.machines:
            call(
                self.client(),
                "stop_execution",
                executionArn=self._execution(task),
                cause=reason[:MAX_CAUSE_CHARACTERS],
                harmless=NOTHING_TO_STOP,
            )

    def resume(self, task: Task) -> None:
        """Send success with each of the task's tokens: only the one of the state that waits has an effect."""
        for token in task.tokens:
            call(self.client(), "send_task_success", taskToken=token, output="{}", harmless=NOT_SUSPENDED)

    def describe(self, task: Task) -> Execution:
        """Return whether the execution runs, by DescribeExecution; one that waits for a redrive counts as running."""
        if task.machine not in self.machines:
            logger.error("task %s needs the state machine %s, which is not deployed", task.id, task.machine)
            return Execution.ENDED
        found = call(
            self.client(),
            "describe_execution",
            executionArn=self._execution(task),
            harmless=("ExecutionDoesNotExist",),
        )
        if found is None:
            return Execution.ABSENT
        return Execution.RUNNING if found["status"] in RUNNING else Execution.ENDED

    def running(self) -> Iterator[list[str]]:
        """Yield the names of running executions, page by page, of each state machine by ListExecutions."""
        for machine in self.machines.values():
            request: dict[str, Any] = {
                "stateMachineArn": machine,
                "statusFilter": "RUNNING",
                "maxResults": self.page_size,
            }
            while page := call(self.client(), "list_executions", **request):
                yield [execution["name"] for execution in page["executions"]]
                if not page.get("nextToken"):
                    break
                request["nextToken"] = page["nextToken"]

    def _input(self, owner_key: str, task: Task, arguments: Mapping[str, JSON]) -> str:
        """Return the execution's input, the same at every start of a month, after which its ticket is signed anew.

        An execution that was started with another input is not started again either.  Only a state machine of the
        tool's own is given the arguments; a run loads them from the store, where they may be larger than an input.
        """
        timeout = max(1, math.ceil(task.timeout.total_seconds()))
        ticket = self.tickets.for_start(owner_key, task.id, until=task.expires_at)
        # Executions in flight were started with these names and pass them to the functions: they outlive a deploy.
        request: dict[str, JSON] = {"scope": owner_key, "task": task.id, "timeout": timeout, "ticket": ticket}
        if task.machine not in COMMON_MACHINES:
            request["arguments"] = arguments
        return json.dumps(request, sort_keys=True, separators=(",", ":"))

    def _execution(self, task: Task) -> str:
        machine = self.machines[task.machine]
        return f"{machine.replace(':stateMachine:', ':execution:')}:{task.id}"


def call(client: Any, operation: str, *, harmless: Sequence[str] = (), **request: Any) -> Mapping[str, Any] | None:
    """Return the answer of AWS, None where its error is `harmless`; raises `ExecutorUnavailable` and our mistakes."""
    try:
        answer: Mapping[str, Any] = getattr(client, operation)(**request)
    except ClientError as error:
        code = error.response["Error"]["Code"]
        if code in harmless:
            return None
        if code in OUR_MISTAKES:
            raise
        raise (ExecutorThrottled if code in OVERLOADED else ExecutorUnavailable)(code) from error
    except BotoCoreError as error:
        raise ExecutorUnavailable(type(error).__name__) from error
    return answer
