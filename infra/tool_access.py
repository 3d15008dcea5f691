"""The AWS permissions of the tools' own code, beyond the tasks themselves: yours to edit, one grant a line."""

from aws_cdk import RemovalPolicy
from aws_cdk.aws_s3 import BlockPublicAccess, Bucket, BucketEncryption
from constructs import Construct

from infra.findings import acknowledge
from infra.function import TaskServerFunction


class ToolAccess(Construct):
    """What each function that runs tools may do.

    Tools run in `run_tool`.  Prompts, resources, tools that are never tasks, and the part of a tool that starts inline
    which comes before its task run in `serve_mcp`.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        run_tool: TaskServerFunction,
        serve_mcp: TaskServerFunction,
        removal: RemovalPolicy,
    ) -> None:
        super().__init__(scope, construct_id)
        # The example tools read files and write reports here, each below the prefix of its caller's tenant.
        self.data = Bucket(
            self,
            "Data",
            block_public_access=BlockPublicAccess.BLOCK_ALL,
            encryption=BucketEncryption.S3_MANAGED,
            enforce_ssl=True,
            removal_policy=removal,
        )
        acknowledge(self.data, "S1", "CloudTrail's data events record access, if the account wants to pay for them.")
        for function, actions in ((run_tool, ["s3:GetObject", "s3:PutObject"]), (serve_mcp, ["s3:GetObject"])):
            function.add_environment("DATA_BUCKET", self.data.bucket_name)
            function.allow(
                *actions,
                on=[self.data.arn_for_objects("*")],
                because="Keys begin with the tenant, and tenants are not known at deployment.",
            )
