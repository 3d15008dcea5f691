"""An app that embeds the server: the example tools, their state machine, and a bucket that they read and write."""

import json
from pathlib import Path

from aws_cdk import App, CfnOutput, Stack, Tags, Validations
from aws_cdk.aws_s3 import BlockPublicAccess, Bucket, BucketEncryption
from cdk_nag import AwsSolutionsChecks

from infra import TaskServer, Tools
from infra.checks import refuse_placeholders
from infra.findings import acknowledge
from infra.settings import StageSettings

HERE = Path(__file__).parent

app = App(context=json.loads((HERE / "cdk.json").read_text())["context"])
settings = StageSettings.from_context(app.node)
stack = Stack(app, f"McpTaskExamples-{settings.stage}", env=settings.environment)
refuse_placeholders(stack, settings)
server = TaskServer(
    stack,
    "Default",
    tools=Tools(HERE, settings.tools_module),
    tokens=settings.tokens,
    settings=settings.server,
    machines=settings.machines_module,
    name=stack.stack_name,
    local=settings.local,
)

# Each file is below the prefix of its caller's tenant.
data = Bucket(
    stack,
    "Data",
    block_public_access=BlockPublicAccess.BLOCK_ALL,
    encryption=BucketEncryption.S3_MANAGED,
    enforce_ssl=True,
    removal_policy=settings.server.removal,
)
acknowledge(data, "S1", "CloudTrail's data events record access, if the account wants to pay for them.")
# Tools run in run_tool; prompts, resources and tools that are never tasks run in serve_mcp.
for function, actions in ((server.run_tool, ["s3:GetObject", "s3:PutObject"]), (server.serve_mcp, ["s3:GetObject"])):
    function.add_environment("DATA_BUCKET", data.bucket_name)
    function.allow(
        *actions,
        on=[data.arn_for_objects("*")],
        because="Keys begin with the tenant, and tenants are not known at deployment.",
    )

outputs = {"Url": server.url, "ApiId": server.rest_api.rest_api_id, "TableName": server.table.name}
for name, value in {**outputs, "PayloadBucket": server.payloads.name, "DataBucket": data.bucket_name}.items():
    CfnOutput(stack, name, value=value)
if settings.local:
    # The emulator takes the API's id from this tag, so that the address stays the same when it starts again.
    Tags.of(server.rest_api).add("ms-custom-id", "tasks")
else:
    Validations.of(app).add_plugins(AwsSolutionsChecks())
app.synth()
