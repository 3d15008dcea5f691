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

    def __init__(self, scope: Construct, construct_id: str, *, run_tool: IFunction, suspend_task: IFunction) -> None:
        super().__init__(scope, construct_id)
        limit = sfn.Timeout.jsonata(f"{{% {INPUT}.timeout %}}")
        attempt = {"attempt": "{% $states.context.State.RetryCount + 1 %}"}
        self._run = TaskCall(self, "Run", function=run_tool, payload=attempt, retry=TRANSIENT, timeout=limit)
        self._suspend = TaskCall(
            self,
            "Suspend",
            function=suspend_task,
            payload={"token": "{% $states.context.Task.Token %}"},
            retry=ANY_TROUBLE,
            timeout=sfn.Timeout.jsonata("{% $states.input.seconds %}"),
            pattern=sfn.IntegrationPattern.WAIT_FOR_TASK_TOKEN,
        )
        self._finished = sfn.Pass.jsonata(self, "Finished")
        asked = sfn.Condition.jsonata("{% $states.input.asked %}")
        needed = sfn.Choice.jsonata(self, "InputNeeded?").when(asked, self._suspend)
        self._run.next(needed.otherwise(self._finished))
        # That nobody answered in time is for the next run to tell the tool.
        self._suspend.add_catch(self._run, errors=["States.Timeout"]).next(self._run)

    @property
    def start_state(self) -> sfn.State:
        """The first state."""
        return self._run

    @property
    def end_states(self) -> list[sfn.INextable]:
        """The last state: it comes once the outcome is recorded."""
        return [self._finished]

    def add_catch(self, handler: sfn.IChainable) -> Self:
        """Go on there when a run or the wait for the client fails for good."""
        for state in (self._run, self._suspend):
            state.add_catch(handler)
        return self
