"""One file a state machine: `TIMEOUT` for an execution as a whole, and `work`, the states that do it."""

from collections.abc import Mapping
from typing import Protocol

from aws_cdk import Duration
from aws_cdk.aws_stepfunctions import IChainable
from constructs import Construct

from infra.machines import remind_me, run_tool
from infra.states import TaskFunctions


class Machine(Protocol):
    """What a module in this folder holds."""

    @property
    def TIMEOUT(self) -> Duration:
        """The longest an execution may take, retries included."""

    def work(self, scope: Construct, functions: TaskFunctions) -> IChainable:
        """Build the states; what the last one puts out is the tool's result."""


MACHINES: Mapping[str, Machine] = {
    "run_tool": run_tool,
    "remind_me": remind_me,
}
