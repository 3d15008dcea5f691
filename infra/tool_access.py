"""The AWS permissions of the tools' own code, beyond the tasks themselves: yours to edit, one grant a line."""

from aws_cdk import RemovalPolicy
from constructs import Construct

from infra.function import TaskServerFunction
from infra.tenant_access import OWN_ITEMS, TENANT  # noqa: F401  # for the lines below
from infra.tool_function import ToolFunction


class ToolAccess(Construct):
    """What each function that runs tools may do.

    Tools run in `run_tool`.  Prompts, resources, tools that are never tasks, and the part of a tool that starts inline
    which comes before its task run in `run_inline`.  What `per_tenant` allows is reached by `context.aws`, in tasks.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        run_tool: ToolFunction,
        run_inline: TaskServerFunction,
        removal: RemovalPolicy,
    ) -> None:
        super().__init__(scope, construct_id)
        # The same for all tenants:
        # run_tool.allow("s3:GetObject", on=["arn:aws:s3:::my-bucket/*"], because="Any of the files may be asked for.")
        # For each tenant, its own:
        # run_tool.per_tenant.allow("s3:GetObject", "s3:PutObject", on=[f"arn:aws:s3:::my-bucket/{TENANT}/*"])
        # run_tool.per_tenant.allow("dynamodb:GetItem", "dynamodb:Query", on=[table.table_arn], when=OWN_ITEMS)
