"""What machines are made of: run the task's tool, record what became of the task."""

from collections.abc import Mapping
from dataclasses import dataclass

from aws_cdk.aws_lambda import IFunction
from constructs import Construct

from infra.run import Run
from infra.task_call import TaskCall


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFunctions:
    """What a machine may call, to be chained like states."""

    run_tool: IFunction
    suspend_task: IFunction
    record_outcome: IFunction

    def run(self, scope: Construct) -> Run:
        """Run the task's tool, and wait with no compute whenever it asks the client."""
        return Run(scope, "Run", run_tool=self.run_tool, suspend_task=self.suspend_task)

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
