"""The state machine of `remind_me`: waits for as long as the caller asked, without compute, then runs the tool."""

from aws_cdk.aws_stepfunctions import IChainable, QueryLanguage, Wait, WaitTime
from constructs import Construct

from infra.states import TaskFunctions


def work(scope: Construct, functions: TaskFunctions) -> IChainable:
    """Return a Wait of the argument `after_seconds`, followed by the tool's run."""
    delay = WaitTime.seconds("{% $states.context.Execution.Input.arguments.after_seconds %}")
    return Wait(scope, "Wait", query_language=QueryLanguage.JSONATA, time=delay).next(functions.run(scope))
