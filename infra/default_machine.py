"""The default state machine: runs the tool, again if its process died, and again after each suspension."""

from aws_cdk import Duration
from aws_cdk.aws_stepfunctions import IChainable
from constructs import Construct

from .states import TaskFunctions

# The `DEFAULT_MACHINE` of mcp_tasks.
NAME = "run_tool"

# Longer than any task is kept (`infra/server_checks.py` sees to it), since a client may take that long to answer.
TIMEOUT = Duration.days(8)


def work(scope: Construct, functions: TaskFunctions) -> IChainable:
    """Return the states of the tool's run."""
    return functions.run(scope)
