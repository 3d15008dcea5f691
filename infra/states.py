"""The states that state machines are built of: one runs the task's tool, others record its outcome."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aws_cdk.aws_lambda import IFunction
from aws_cdk.aws_stepfunctions import IChainable, Parallel, Pass, QueryLanguage
from constructs import Construct

from .report import Report
from .retries import ANY_ERROR
from .run import Run
from .task_call import TaskCall


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFunctions:
    """The functions that a state machine may invoke; each method returns a state that does."""

    run_tool: IFunction
    suspend_task: IFunction
    record_outcome: IFunction
    report_function: IFunction

    def run(self, scope: Construct, *, state_input: Any = None) -> IChainable:
        """Return the states that run the task's tool, and wait without compute while the task is suspended.

        The tool has the value of `state_input` as `context.state_input`: `"{% $states.input %}"`, for example, is what
        the state before returned.
        """
        more = {} if state_input is None else {"state_input": "{% $stateInput %}"}
        run = Run(scope, "Run", run_tool=self.run_tool, suspend_task=self.suspend_task, more=more)
        if state_input is None:
            return run
        # In a variable, because a run that follows a suspension has another input.
        return Pass.jsonata(scope, "HandOver", assign={"stateInput": state_input}).next(run)

    def report_progress(
        self,
        scope: Construct,
        construct_id: str = "Report",
        *,
        message: Any = None,
        progress: Any = None,
        total: Any = None,
    ) -> Report:
        """Return states that report progress, and output their input; each value is JSON or a JSONata expression.

        Without `progress`, it is one more than before: each item of a Map counts.
        """
        given = {"message": message, "progress": progress, "total": total}
        payload = {name: value for name, value in given.items() if value is not None}
        return Report(scope, construct_id, function=self.report_function, payload=payload)

    def recorded(self, scope: Construct, work: IChainable) -> IChainable:
        """Return the work with states that record its outcome: a tool's run does that itself, but for its failures."""
        if isinstance(work, Run):
            return work.add_catch(self._record_failure(scope))
        whole = Parallel(scope, "Work", query_language=QueryLanguage.JSONATA, outputs="{% $states.result[0] %}")
        return whole.branch(work).add_catch(self._record_failure(scope)).next(self._record_return(scope))

    def _record_return(self, scope: Construct) -> TaskCall:
        """Return a state that records its input as the tool's result, unless the task has an outcome."""
        return self._record(scope, "RecordReturn", {"output": "{% $states.input %}"})

    def _record_failure(self, scope: Construct) -> TaskCall:
        """Return a state that records the caught error as the task's failure, unless the task has an outcome."""
        # Not every error has a Cause, and JSONata fails on an output that is undefined.
        cause = "{% $exists($states.input.Cause) ? $states.input.Cause : '' %}"
        return self._record(scope, "RecordFailure", {"error": "{% $states.input.Error %}", "cause": cause})

    def _record(self, scope: Construct, construct_id: str, payload: Mapping[str, str]) -> TaskCall:
        return TaskCall(scope, construct_id, function=self.record_outcome, payload=payload, retry=ANY_ERROR)
