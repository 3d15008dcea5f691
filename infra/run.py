"""The states of a tool's run: again on trouble that is not the tool's, and again for each answer of its client."""

from typing import Self

from aws_cdk import aws_stepfunctions as sfn
from aws_cdk.aws_lambda import IFunction
from constructs import Construct

from infra.task_call import INPUT, TaskCall

# Lambda's own trouble, ours, or a process that died: none is the tool's verdict.
TRANSIENT = [
    *("Lambda.ServiceException", "Lambda.AWSLambdaException", "Lambda.SdkClientException", "RunInterrupted"),
    *("Lambda.ClientExecutionTimeoutException", "Lambda.Unknown", "Runtime.ExitError", "Runtime.OutOfMemory"),
]

# All but States.Timeout: whatever fails here is ours to try again, and the end of the client's time is no failure.
ANY_TROUBLE = ["States.TaskFailed"]


class Run(sfn.StateMachineFragment):
    """The tool's own function, until its outcome is recorded; while it waits for its client, nothing runs."""

    def __init__(self, scope: Construct, construct_id: str, *, run_tool: IFunction, park_task: IFunction) -> None:
        super().__init__(scope, construct_id)
        limit = sfn.Timeout.jsonata(f"{{% {INPUT}.timeout %}}")
        attempt = {"attempt": "{% $states.context.State.RetryCount + 1 %}"}
        self._run = TaskCall(self, "Run", function=run_tool, payload=attempt, retry=TRANSIENT, timeout=limit)
        self._park = TaskCall(
            self,
            "Park",
            function=park_task,
            payload={"token": "{% $states.context.Task.Token %}"},
            retry=ANY_TROUBLE,
            timeout=sfn.Timeout.jsonata("{% $states.input.seconds %}"),
            pattern=sfn.IntegrationPattern.WAIT_FOR_TASK_TOKEN,
        )
        self._settled = sfn.Pass.jsonata(self, "Settled")
        asked = sfn.Choice.jsonata(self, "Asked?").when(sfn.Condition.jsonata("{% $states.input.asked %}"), self._park)
        self._run.next(asked.otherwise(self._settled))
        # That nobody answered in time is for the next run to tell the tool.
        self._park.add_catch(self._run, errors=["States.Timeout"]).next(self._run)

    @property
    def start_state(self) -> sfn.State:
        """The first state."""
        return self._run

    @property
    def end_states(self) -> list[sfn.INextable]:
        """The last state: it comes once the outcome is recorded."""
        return [self._settled]

    def add_catch(self, handler: sfn.IChainable) -> Self:
        """Go on there when a run or the wait for the client fails for good."""
        for state in (self._run, self._park):
            state.add_catch(handler)
        return self
