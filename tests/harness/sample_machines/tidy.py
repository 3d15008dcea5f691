"""Runs the tool in a branch, in which a state follows it, as another one does after the branches."""

from aws_cdk.aws_stepfunctions import Chain, IChainable, Parallel, Pass
from constructs import Construct

from infra.states import TaskFunctions


def work(scope: Construct, functions: TaskFunctions) -> IChainable:
    """Return a Parallel of the tool's run and of a state, each followed by a state."""
    swept = Chain.start(functions.run(scope)).next(Pass.jsonata(scope, "Sweep"))
    both = Parallel.jsonata(scope, "Both").branch(swept).branch(Pass.jsonata(scope, "Dust"))
    return both.next(Pass.jsonata(scope, "Leave"))
