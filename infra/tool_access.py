"""The AWS permissions of the tools' own code, beyond the tasks themselves: yours to edit, one grant a line."""

from aws_cdk import RemovalPolicy
from constructs import Construct

from infra.function import TaskServerFunction


class ToolAccess(Construct):
    """What each function that runs tools may do.

    Tools run in `run_tool`.  Prompts, resources, tools that are never tasks, and the part of a tool that starts inline
    which comes before its task run in `run_inline`.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        run_tool: TaskServerFunction,
        run_inline: TaskServerFunction,
        removal: RemovalPolicy,
    ) -> None:
        super().__init__(scope, construct_id)
        # run_tool.allow("s3:GetObject", on=["arn:aws:s3:::my-bucket/*"], because="Any of the files may be asked for.")
