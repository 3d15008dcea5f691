"""The states that state machines are built of: one runs the task's tool, others record its outcome."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from aws_cdk import Duration
from aws_cdk.aws_lambda import IFunction
from aws_cdk.aws_stepfunctions import IChainable, Parallel, Pass, QueryLanguage
from constructs import Construct

from .function import TaskServerFunction
from .function_defaults import FunctionDefaults
from .functions import Functions
from .report import Report
from .retries import ANY_ERROR
from .run import Run
from .task_call import INPUT, TaskCall

# For JSONata, as in f"{{% {ARGUMENTS}.day %}}".  A distributed Map's items are executions without these.
ARGUMENTS = f"{INPUT}.arguments"
TIME_LIMIT = f"{INPUT}.timeout"
# The owner key begins with the tenant, quoted as the keys of S3 have it.
TENANT = f"$substringBefore({INPUT}.scope, '#')"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFunctions:
    """The functions that a state machine may invoke; each method returns a state that does."""

    run_tool: IFunction
    run_without_ticket: IFunction
    suspend_task: IFunction
    record_outcome: IFunction
    report_function: IFunction
    defaults: FunctionDefaults

    @classmethod
    def of(cls, functions: Functions) -> Self:
        """Take those of a server."""
        return cls(
            run_tool=functions.runner,
            run_without_ticket=functions.run_without_ticket,
            suspend_task=functions.suspend_task,
            record_outcome=functions.record_outcome,
            report_function=functions.report_progress,
            defaults=functions.defaults,
        )

    def run(self, scope: Construct, *, state_input: Any = None) -> IChainable:
        """Return the states that run the task's tool, and wait without compute while the task is suspended.

        The tool has the value of `state_input` as `context.state_input`: `"{% $states.input %}"`, for example, is what
        the state before returned.
        """
        more = {} if state_input is None else {"state_input": "{% $stateInput %}"}
        run = Run(
            scope,
            "Run",
            run_tool=self.run_tool,
            run_without_ticket=self.run_without_ticket,
            suspend_task=self.suspend_task,
            more=more,
        )
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

    def function(
        self,
        scope: Construct,
        construct_id: str,
        *,
        handler: str,
        environment: Mapping[str, str] | None = None,
        timeout: Duration | None = None,
        memory: int = 512,
    ) -> TaskServerFunction:
        """Return a Lambda function of the machine's own, for states of it to invoke; its `allow` permits what it needs.

        The handler is a function of the tools' layer, such as `tools.nightly_export.export_shard`.  It has a minute
        unless `timeout` says otherwise.
        """
        return TaskServerFunction(
            scope,
            construct_id,
            defaults=self.defaults,
            handler=handler,
            environment=environment or {},
            timeout=timeout or Duration.minutes(1),
            memory=memory,
        )

    def recorded(self, scope: Construct, work: IChainable) -> IChainable:
        """Return the work with states that record its outcome: a tool's run does that itself, but for its failures."""
        if isinstance(work, Run):
            return work.add_catch(self._record_failure(scope))
        # Of JSONPath, since states inside may be of either language then; around them JSONata leaves no choice.
        whole = Parallel(scope, "Work", query_language=QueryLanguage.JSON_PATH, output_path="$[0]")
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
