"""An app that embeds the server: the example tools, their state machine, and a bucket that they read and write."""

import json
from pathlib import Path

from aws_cdk import App, CfnOutput, Validations
from aws_cdk.aws_s3 import BlockPublicAccess, Bucket, BucketEncryption
from cdk_nag import AwsSolutionsChecks

from infra import Tools
from infra.findings import acknowledge
from infra.settings import StageSettings
from infra.stage_stack import StageStack
from infra.tenant_access import TENANT

HERE = Path(__file__).parent

app = App(context=json.loads((HERE / "cdk.json").read_text())["context"])
settings = StageSettings.from_context(app.node)
tools = Tools(HERE, settings.tools_module)
stack = StageStack(app, f"McpTaskExamples-{settings.stage}", settings=settings, tools=tools)
run, inline = stack.server.run_tool, stack.server.run_inline

# Each file is below the prefix of its caller's tenant: IAM holds tools to it, and code holds resources to it.
data = Bucket(
    stack,
    "Data",
    block_public_access=BlockPublicAccess.BLOCK_ALL,
    encryption=BucketEncryption.S3_MANAGED,
    enforce_ssl=True,
    removal_policy=settings.server.removal,
)
acknowledge(data, "S1", "CloudTrail's data events record access, if the account wants to pay for them.")
# Tools run in run_tool; prompts, resources and tools that are never tasks run in run_inline.
for function in (run, inline):
    function.add_environment("DATA_BUCKET", data.bucket_name)
run.per_tenant.allow("s3:GetObject", "s3:PutObject", on=[data.arn_for_objects(f"{TENANT}/*")])
inline.allow(
    "s3:GetObject",
    on=[data.arn_for_objects("*")],
    because="Keys begin with the tenant, and tenants are not known at deployment.",
)

CfnOutput(stack, "DataBucket", value=data.bucket_name)
if not settings.local:
    Validations.of(app).add_plugins(AwsSolutionsChecks())
app.synth()
