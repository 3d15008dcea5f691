"""The default machine: run the tool, again if its process died."""

from aws_cdk import Duration
from aws_cdk.aws_stepfunctions import IChainable
from constructs import Construct

from infra.states import TaskFunctions

# Lambda ends an attempt after 15 minutes, and there are five of them at most.
TIMEOUT = Duration.minutes(80)


def work(scope: Construct, functions: TaskFunctions) -> IChainable:
    """Run the tool."""
    return functions.run(scope)
