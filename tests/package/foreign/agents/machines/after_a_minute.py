"""Waits for a minute, then runs the tool."""

from aws_cdk import Duration
from aws_cdk.aws_stepfunctions import IChainable, Wait, WaitTime
from constructs import Construct
from mcp_tasks.infra.states import TaskFunctions


def work(scope: Construct, functions: TaskFunctions) -> IChainable:
    """Return the states."""
    return Wait(scope, "Wait", time=WaitTime.duration(Duration.minutes(1))).next(functions.run(scope))
