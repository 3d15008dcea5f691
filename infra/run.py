"""The states that run a tool: retried on failures that are not the tool's, and run again after each suspension."""

from typing import Self

from aws_cdk import aws_stepfunctions as sfn
from aws_cdk.aws_lambda import IFunction
from constructs import Construct

from .retries import ANY_FAILURE, TRANSIENT
from .task_call import INPUT, TICKETED, TaskCall


class Run(sfn.StateMachineFragment):
    """Invokes `run_tool` until the task's outcome is recorded; while the task is suspended, nothing runs."""

    def __init__(
        self, scope: Construct, construct_id: str, *, run_tool: IFunction, suspend_task: IFunction, more: dict[str, str]
    ) -> None:
        """Invoke `run_tool` with `more` than what identifies the task and the attempt."""
        super().__init__(scope, construct_id)
        limit = sfn.Timeout.jsonata(f"{{% {INPUT}.timeout %}}")
        payload = {"attempt": "{% $states.context.State.RetryCount + 1 %}", **more}
        self._run = TaskCall(
            self, "Run", function=run_tool, task=TICKETED, payload=payload, retry=TRANSIENT, timeout=limit
        )
        self._suspend = TaskCall(
            self,
            "Suspend",
            function=suspend_task,
            payload={"token": "{% $states.context.Task.Token %}"},
            retry=ANY_FAILURE,
            timeout=sfn.Timeout.jsonata("{% $states.input.seconds %}"),
            pattern=sfn.IntegrationPattern.WAIT_FOR_TASK_TOKEN,
        )
        self._finished = sfn.Pass.jsonata(self, "Finished")
        asked = sfn.Condition.jsonata("{% $states.input.asked %}")
        needed = sfn.Choice.jsonata(self, "InputNeeded?").when(asked, self._suspend)
        self._run.next(needed.otherwise(self._finished))
        # The next run gives the tool no response, since its timeout is over, or goes on after a sleep.
        self._suspend.add_catch(self._run, errors=["States.Timeout"]).next(self._run)

    @property
    def start_state(self) -> sfn.State:
        """The first state."""
        return self._run

    @property
    def end_states(self) -> list[sfn.INextable]:
        """The last state, which is reached once the outcome is recorded."""
        return [self._finished]

    def add_catch(self, handler: sfn.IChainable) -> Self:
        """Add a Catch to both states, for when a run or a suspension fails after its retries."""
        for state in (self._run, self._suspend):
            state.add_catch(handler)
        return self
