"""The stage that live tests look at: a server with their tools, and a bucket and a table of which tenants have parts.

Its settings are those of a stage in the `cdk.json` of the root, and `-c name=value`.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Final

from aws_cdk import App, CfnOutput, RemovalPolicy, Validations
from aws_cdk.aws_dynamodb import Attribute, AttributeType, Billing, PointInTimeRecoverySpecification, TableV2
from aws_cdk.aws_s3 import BlockPublicAccess, Bucket, BucketEncryption
from cdk_nag import AwsSolutionsChecks

from infra import Tools
from infra.findings import acknowledge
from infra.settings import StageSettings
from infra.stage_stack import StageStack
from infra.tenant_access import OWN_ITEMS, TENANT

HERE: Final = Path(__file__).parent
CONTEXT: Final = json.loads((HERE.parents[2] / "cdk.json").read_text())["context"]

app = App(context=CONTEXT)
given, said = StageSettings.from_context(app.node), app.node.try_get_context
settings = replace(
    given,
    tools_module="live_tools",
    machines_module="tests.live.stage.machines",
    # What the stage has an address and a table for is another stack, beside which this one is tested and destroyed.
    domain=given.domain if said("domain") else {},
    table={},
    server=replace(given.server, public_url=said("public_url") or "", keep_data=False),
)
stack = StageStack(app, f"McpTaskLive-{settings.stage}", settings=settings, tools=Tools(HERE, settings.tools_module))

data = Bucket(
    stack,
    "Data",
    block_public_access=BlockPublicAccess.BLOCK_ALL,
    encryption=BucketEncryption.S3_MANAGED,
    enforce_ssl=True,
    removal_policy=RemovalPolicy.DESTROY,
)
acknowledge(data, "S1", "It has the notes of tests.")
items = TableV2(
    stack,
    "Items",
    partition_key=Attribute(name="PK", type=AttributeType.STRING),
    billing=Billing.on_demand(),
    point_in_time_recovery_specification=PointInTimeRecoverySpecification(point_in_time_recovery_enabled=True),
    removal_policy=RemovalPolicy.DESTROY,
)
access = stack.server.run_tool.per_tenant
access.allow("s3:GetObject", "s3:PutObject", on=[data.arn_for_objects(f"{TENANT}/*")])
access.allow(
    *("dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:Scan"), on=[items.table_arn], when=OWN_ITEMS
)

for name, value in {"DataBucket": data.bucket_name, "ItemsTable": items.table_name}.items():
    CfnOutput(stack, name, value=value)
if not settings.local:
    Validations.of(app).add_plugins(AwsSolutionsChecks())
app.synth()
