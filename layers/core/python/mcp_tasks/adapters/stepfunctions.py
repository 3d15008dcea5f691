"""The executor on Step Functions: one Standard execution a task, named by the task's id."""

import json
import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from botocore.exceptions import BotoCoreError, ClientError, ParamValidationError

from mcp_tasks.limits.aws import MAX_CAUSE_CHARACTERS
from mcp_tasks.ports.executor import Execution, ExecutorUnavailable
from mcp_tasks.tasks.model import JSON, Task

logger = logging.getLogger(__name__)

DEFAULT_MACHINE: Final = "run_tool"
RUNNING: Final = frozenset({"RUNNING", "PENDING_REDRIVE"})

# Somebody else let the work go on, or it could not be waited for any longer.  A token of which Step Functions knows
# nothing at all will not do next time either, and the work goes on when its own time to wait is over.
NOT_PARKED: Final = ("TaskTimedOut", "TaskDoesNotExist", "InvalidToken")

# The request itself is wrong, so repeating it is no use.
OUR_MISTAKES: Final = frozenset({"InvalidArn", "InvalidExecutionInput", "InvalidName", "ValidationException"})


class UnknownMachine(Exception):
    """A tool names a state machine that is not deployed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFunctionsExecutor:
    """The executor; `machines` has the ARN of each state machine by its name.  See `Executor`.

    Work whose state machine is not deployed (any more) cannot run: it cannot be started, has ended, and is stopped.
    """

    client: Any
    machines: Mapping[str, str]

    def start(self, owner_key: str, task: Task, arguments: Mapping[str, JSON]) -> None:
        """Start the work; see `Executor`, and raises `UnknownMachine`."""
        if task.machine not in self.machines:
            raise UnknownMachine(f"no state machine named {task.machine!r} is deployed")
        self._call(
            "start_execution",
            stateMachineArn=self.machines[task.machine],
            name=task.id,
            input=_input(owner_key, task, arguments),
            harmless=("ExecutionAlreadyExists",),
        )

    def stop(self, task: Task, reason: str) -> None:
        """Stop the work; see `Executor`."""
        if task.machine in self.machines:
            self._call(
                "stop_execution",
                executionArn=self._execution(task),
                cause=reason[:MAX_CAUSE_CHARACTERS],
                harmless=("ExecutionDoesNotExist",),
            )

    def resume(self, task: Task) -> None:
        """Let suspended work go on; see `Executor`."""
        for token in task.tokens:
            self._call("send_task_success", taskToken=token, output="{}", harmless=NOT_PARKED)

    def describe(self, task: Task) -> Execution:
        """Tell whether the work runs; see `Executor`."""
        if task.machine not in self.machines:
            logger.error("task %s needs the state machine %s, which is not deployed", task.id, task.machine)
            return Execution.ENDED
        found = self._call(
            "describe_execution", executionArn=self._execution(task), harmless=("ExecutionDoesNotExist",)
        )
        if found is None:
            return Execution.ABSENT
        return Execution.RUNNING if found["status"] in RUNNING else Execution.ENDED

    def _execution(self, task: Task) -> str:
        machine = self.machines[task.machine]
        return f"{machine.replace(':stateMachine:', ':execution:')}:{task.id}"

    def _call(self, operation: str, *, harmless: Sequence[str], **request: Any) -> Mapping[str, Any] | None:
        try:
            answer: Mapping[str, Any] = getattr(self.client, operation)(**request)
        except ClientError as error:
            code = error.response["Error"]["Code"]
            if code in harmless:
                return None
            if code in OUR_MISTAKES:
                raise
            raise ExecutorUnavailable(code) from error
        except ParamValidationError:
            raise
        except BotoCoreError as error:
            raise ExecutorUnavailable(type(error).__name__) from error
        return answer


def _input(owner_key: str, task: Task, arguments: Mapping[str, JSON]) -> str:
    """Return the execution's input, the same to the byte whenever the work is started again.

    Only a machine of the tool's own reads arguments; `run_tool` loads them from the store, however large they are.
    """
    timeout = max(1, math.ceil(task.timeout.total_seconds()))
    # Executions in flight were started, and hand on to functions, with these names: they outlive a deploy.
    request: dict[str, JSON] = {"scope": owner_key, "task": task.id, "timeout": timeout}
    if task.machine != DEFAULT_MACHINE:
        request["arguments"] = arguments
    return json.dumps(request, sort_keys=True, separators=(",", ":"))
