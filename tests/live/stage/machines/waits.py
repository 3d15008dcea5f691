"""Waits for an hour, then runs the tool: an execution that works for as long as a test needs one."""

from aws_cdk import Duration
from aws_cdk.aws_stepfunctions import IChainable, QueryLanguage, Wait, WaitTime
from constructs import Construct

from infra.states import TaskFunctions


def work(scope: Construct, functions: TaskFunctions) -> IChainable:
    """Return a Wait of an hour, followed by the tool's run."""
    hour = WaitTime.duration(Duration.hours(1))
    return Wait(scope, "Wait", query_language=QueryLanguage.JSONATA, time=hour).next(functions.run(scope))
