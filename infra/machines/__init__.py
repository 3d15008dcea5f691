"""State machines, one in each file: `TIMEOUT` limits an execution as a whole, `work` returns its states."""

from collections.abc import Mapping
from typing import Protocol

from aws_cdk import Duration
from aws_cdk.aws_stepfunctions import IChainable
from constructs import Construct

from infra import default_machine
from infra.machines import remind_me
from infra.states import TaskFunctions


class Machine(Protocol):
    """What a module in this folder defines."""

    @property
    def TIMEOUT(self) -> Duration:
        """The longest that an execution may take, retries and waits included."""

    def work(self, scope: Construct, functions: TaskFunctions) -> IChainable:
        """Return the states; the output of the last one is the tool's result."""


MACHINES: Mapping[str, Machine] = {
    "run_tool": default_machine,
    "remind_me": remind_me,
}
