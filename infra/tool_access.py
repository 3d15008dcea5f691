"""What the tools' code may touch, beyond the tasks themselves: yours to edit, one grant a line."""

from collections.abc import Sequence

from aws_cdk import RemovalPolicy
from aws_cdk.aws_s3 import BlockPublicAccess, Bucket, BucketEncryption
from constructs import Construct

from infra.findings import acknowledge
from infra.function import TaskServerFunction


class ToolAccess(Construct):
    """Tools run in `run_tool`; those that are never tasks, prompts and resources run in `serve_mcp`."""

    def __init__(
        self, scope: Construct, construct_id: str, *, functions: Sequence[TaskServerFunction], removal: RemovalPolicy
    ) -> None:
        super().__init__(scope, construct_id)
        # profile_csv and dataset read their callers' files here, each from below its own tenant's prefix.
        self.data = Bucket(
            self,
            "Data",
            block_public_access=BlockPublicAccess.BLOCK_ALL,
            encryption=BucketEncryption.S3_MANAGED,
            enforce_ssl=True,
            removal_policy=removal,
        )
        acknowledge(self.data, "S1", "Who read what is CloudTrail's to say, if the account wants to pay for it.")
        for function in functions:
            function.add_environment("DATA_BUCKET", self.data.bucket_name)
            function.allow(
                "s3:GetObject",
                on=[self.data.arn_for_objects("*")],
                because="Tenants, and so their prefixes, come and go.",
            )
