"""The state that runs a tool for executions whose first state could not."""

from collections.abc import Mapping
from typing import Any

from aws_cdk import aws_stepfunctions as sfn
from aws_cdk.aws_lambda import IFunction
from constructs import Construct

from .retries import REVOKED, REVOKED_CALLS
from .suspend import Suspend
from .task_call import TaskCall


class RunWithoutTicket(TaskCall):
    """Invokes `run_without_ticket`, and then suspends the task, or is finished.

    It is for executions of 0.3, which have no ticket, for those whose ticket was signed with a key that was retired,
    and for those whose function returned that the task is suspended, as functions of an earlier release do.
    """

    def __init__(
        self, scope: Construct, *, function: IFunction, payload: Mapping[str, Any], suspend: Suspend, **limits: Any
    ) -> None:
        super().__init__(scope, "RunWithoutTicket", function=function, payload=payload, **limits)
        self.add_retry(errors=[REVOKED], max_attempts=REVOKED_CALLS)
        self.finished = sfn.Pass.jsonata(scope, "Finished")
        asked = sfn.Condition.jsonata("{% $states.input.asked %}")
        self.next(sfn.Choice.jsonata(scope, "InputNeeded?").when(asked, suspend).otherwise(self.finished))
