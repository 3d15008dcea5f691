"""The CDK entry: one stack, for the stage named by the context (`-c stage=prod`)."""

import json
from pathlib import Path

from aws_cdk import App, Validations
from cdk_nag import AwsSolutionsChecks

from infra.settings import Settings
from infra.stack import TaskServerStack

# Read here, because only the CDK CLI would do it for us; what the CLI passes wins.
app = App(context=json.loads(Path(__file__).with_name("cdk.json").read_text())["context"])
settings = Settings.from_context(app.node)
TaskServerStack(app, f"McpTaskServer-{settings.stage}", settings=settings)
if not settings.local:
    Validations.of(app).add_plugins(AwsSolutionsChecks())
app.synth()
