"""The states that report a task's progress."""

from collections.abc import Mapping
from typing import Any

from aws_cdk import aws_stepfunctions as sfn
from aws_cdk.aws_lambda import IFunction
from constructs import Construct

from .retries import ANY_ERROR
from .task_call import TaskCall

INPUT = "{% $states.input %}"


class Report(sfn.StateMachineFragment):
    """Reports progress, and outputs its input; a report that fails is left out, and the work goes on."""

    def __init__(self, scope: Construct, construct_id: str, *, function: IFunction, payload: Mapping[str, Any]) -> None:
        super().__init__(scope, construct_id)
        # No report is worth a wait of hours for a function that is throttled.
        self._call = TaskCall(
            self, construct_id, function=function, payload=payload, retry=ANY_ERROR, passing_calls=4, outputs=INPUT
        )
        self._left_out = sfn.Pass.jsonata(self, f"{construct_id}LeftOut")
        self._call.add_catch(self._left_out, errors=ANY_ERROR, outputs=INPUT)

    @property
    def start_state(self) -> sfn.State:
        """The state that calls the function."""
        return self._call

    @property
    def end_states(self) -> list[sfn.INextable]:
        """The same state, and the one after a report that failed."""
        return [self._call, self._left_out]
