"""A second stack of the server on the emulator: of nobody's tenant, with an address of its own."""

import json
from pathlib import Path

from aws_cdk import App, Tags

from infra.settings import StageSettings
from infra.stage_stack import StageStack
from infra.tools import Tools

ROOT = Path(__file__).parents[3]

app = App(context=json.loads((ROOT / "cdk.json").read_text())["context"])
settings = StageSettings.from_context(app.node)
tools = Tools(ROOT / "layers" / "tools", settings.tools_module)
stack = StageStack(app, f"Apart-{settings.stage}", settings=settings, tools=tools)
# Above the one that each stack of the server has on the emulator.
Tags.of(stack.server.rest_api).add("ms-custom-id", "apart", priority=200)
app.synth()
