"""What machines are made of: run the task's tool, record what became of the task."""

from collections.abc import Mapping
from dataclasses import dataclass

from aws_cdk.aws_lambda import IFunction
from aws_cdk.aws_stepfunctions import Timeout
from constructs import Construct

from infra.task_call import INPUT, TaskCall

# Lambda's own trouble, ours, or a process that died: none is the tool's verdict.
TRANSIENT = [
    *("Lambda.ServiceException", "Lambda.AWSLambdaException", "Lambda.SdkClientException"),
    *("Lambda.ClientExecutionTimeoutException", "Lambda.Unknown", "Runtime.ExitError", "RunInterrupted"),
]


class Run(TaskCall):
    """The tool's own function, for as long as the task allows; it records its outcome itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFunctions:
    """What a machine may call, each as a state to be chained."""

    run_tool: IFunction
    record_outcome: IFunction

    def run(self, scope: Construct) -> Run:
        """Run the task's tool."""
        limit = Timeout.jsonata(f"{{% {INPUT}.timeout %}}")
        payload = {"attempt": "{% $states.context.State.RetryCount + 1 %}"}
        return Run(scope, "Run", function=self.run_tool, payload=payload, retry=TRANSIENT, timeout=limit)

    def record_return(self, scope: Construct) -> TaskCall:
        """Record the state's input as what the task returned, unless its outcome is known already."""
        return self._record(scope, "RecordReturn", {"output": "{% $states.input %}"})

    def record_failure(self, scope: Construct) -> TaskCall:
        """Record what was caught as the task's failure."""
        # Not every failure states a cause, and reading an absent field would be another failure.
        cause = "{% $exists($states.input.Cause) ? $states.input.Cause : '' %}"
        return self._record(scope, "RecordFailure", {"error": "{% $states.input.Error %}", "cause": cause})

    def _record(self, scope: Construct, construct_id: str, payload: Mapping[str, str]) -> TaskCall:
        return TaskCall(scope, construct_id, function=self.record_outcome, payload=payload, retry=["States.ALL"])
