"""The CDK app: one stack, for the stage that the context names (`-c stage=prod`)."""

import json
from pathlib import Path

from aws_cdk import App, Validations
from cdk_nag import AwsSolutionsChecks

from infra.settings import StageSettings
from infra.stack import TaskServerStack

# The CDK CLI reads cdk.json by itself, but tests and `make stack` run without it; the CLI's context takes precedence.
app = App(context=json.loads(Path(__file__).with_name("cdk.json").read_text())["context"])
settings = StageSettings.from_context(app.node)
TaskServerStack(app, f"McpTaskServer-{settings.stage}", settings=settings)
if not settings.local:
    Validations.of(app).add_plugins(AwsSolutionsChecks())
app.synth()
