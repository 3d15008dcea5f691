"""The states that run a tool: retried on failures that are not the tool's, and run again after each suspension."""

from typing import Any, Self

from aws_cdk import aws_stepfunctions as sfn
from aws_cdk.aws_lambda import IFunction
from constructs import Construct

from .retries import BROKEN, REVOKED, SUSPENDED
from .run_without_ticket import RunWithoutTicket
from .suspend import ENDED, IN_THE_ERROR, Suspend
from .task_call import INPUT, TICKETED, TaskCall


class Run(sfn.StateMachineFragment):
    """Invokes `run_tool` until the task's outcome is recorded; while the task is suspended, nothing runs."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        run_tool: IFunction,
        run_without_ticket: IFunction,
        suspend_task: IFunction,
        more: dict[str, str],
    ) -> None:
        """Invoke `run_tool` with `more` than what identifies the task and the attempt."""
        super().__init__(scope, construct_id)
        given = {"attempt": "{% $states.context.State.RetryCount + 1 %}", "broken": "error", **more}
        limits: dict[str, Any] = {"retry": BROKEN, "timeout": sfn.Timeout.jsonata(f"{{% {INPUT}.timeout %}}")}
        self._suspend = Suspend(self, "Suspend", function=suspend_task)
        # A Choice and a Pass after it would double what an execution costs.
        sent = {**given, "suspension": "error"}
        self._run = TaskCall(self, "Run", function=run_tool, task=TICKETED, payload=sent, outputs=ENDED, **limits)
        self._run.add_catch(self._suspend, errors=[SUSPENDED], outputs=IN_THE_ERROR)
        self._without_ticket = RunWithoutTicket(
            self, function=run_without_ticket, payload=given, suspend=self._suspend, **limits
        )
        self._run.add_catch(self._without_ticket, errors=["States.QueryEvaluationError", REVOKED])
        # The next run gives the tool no response, since its timeout is over, or goes on after a sleep.
        self._suspend.add_catch(self._run, errors=["States.Timeout"]).next(self._run)

    @property
    def start_state(self) -> sfn.State:
        """The first state."""
        return self._run

    @property
    def end_states(self) -> list[sfn.INextable]:
        """The states after which the outcome is recorded."""
        return [self._run, self._without_ticket.finished]

    def add_catch(self, handler: sfn.IChainable) -> Self:
        """Add a Catch, for when a run or a suspension fails after its retries."""
        for state in (self._run, self._without_ticket, self._suspend):
            state.add_catch(handler)
        return self
