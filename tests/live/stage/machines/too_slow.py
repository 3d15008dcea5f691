"""Takes longer than the whole execution may: it ends as `TIMED_OUT`, and no state of it is there to say so."""

from aws_cdk import Duration
from aws_cdk.aws_stepfunctions import IChainable, QueryLanguage, Wait, WaitTime
from constructs import Construct

from infra.states import TaskFunctions

TIMEOUT = Duration.seconds(30)


def work(scope: Construct, functions: TaskFunctions) -> IChainable:
    """Return a Wait of a minute, followed by the tool's run."""
    minute = WaitTime.duration(Duration.minutes(1))
    return Wait(scope, "Wait", query_language=QueryLanguage.JSONATA, time=minute).next(functions.run(scope))
