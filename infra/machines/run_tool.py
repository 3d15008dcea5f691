"""The default machine: run the tool, again if its process died, and again for each answer of its client."""

from aws_cdk import Duration
from aws_cdk.aws_stepfunctions import IChainable
from constructs import Construct

from infra.states import TaskFunctions

# Longer than any task is kept, since a client may take that long to answer.
TIMEOUT = Duration.days(8)


def work(scope: Construct, functions: TaskFunctions) -> IChainable:
    """Run the tool."""
    return functions.run(scope)
