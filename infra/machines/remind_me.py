"""Wait as long as the caller asked, with no compute, then run the tool."""

from aws_cdk import Duration
from aws_cdk.aws_stepfunctions import IChainable, QueryLanguage, Wait, WaitTime
from constructs import Construct

from infra.states import TaskFunctions

# Longer than any task is kept, since a client may take that long to answer.
TIMEOUT = Duration.days(8)


def work(scope: Construct, functions: TaskFunctions) -> IChainable:
    """Wait `after_seconds`, then run the tool."""
    delay = WaitTime.seconds("{% $states.context.Execution.Input.arguments.after_seconds %}")
    return Wait(scope, "Wait", query_language=QueryLanguage.JSONATA, time=delay).next(functions.run(scope))
