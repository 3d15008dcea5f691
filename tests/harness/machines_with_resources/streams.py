"""Brings a Kinesis stream, which cannot be made in moto here."""

from aws_cdk.aws_kinesis import Stream
from aws_cdk.aws_stepfunctions import IChainable, Pass
from constructs import Construct

from infra.states import TaskFunctions


def work(scope: Construct, functions: TaskFunctions) -> IChainable:
    """Return nothing of interest."""
    Stream(scope, "Items")
    return Pass.jsonata(scope, "Nothing")
