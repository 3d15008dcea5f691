"""The stack of one stage: a server of the tools in `layers/tools`, and what their code may access."""

from pathlib import Path

from aws_cdk import CfnOutput, Stack, Tags
from constructs import Construct

from .checks import refuse_placeholders
from .server import TaskServer
from .settings import StageSettings
from .tool_access import ToolAccess
from .tools import Tools

TOOLS = Path(__file__).parents[1] / "layers" / "tools"


class TaskServerStack(Stack):
    """One stage of the server."""

    def __init__(self, scope: Construct, construct_id: str, *, settings: StageSettings) -> None:
        super().__init__(scope, construct_id, env=settings.environment)
        refuse_placeholders(self, settings)
        server = TaskServer(
            self,
            # This id, and no other, leaves the logical ids of what is inside as they were before there was a construct.
            "Default",
            tools=Tools(TOOLS, settings.tools_module),
            tokens=settings.tokens,
            settings=settings.server,
            machines=settings.machines_module,
            name=self.stack_name,
            local=settings.local,
        )
        if settings.local:
            # The emulator takes the API's id from this tag, so that the address stays the same when it starts again.
            Tags.of(server.rest_api).add("ms-custom-id", "tasks")
        run, serve, removal = server.run_tool, server.serve_mcp, settings.server.removal
        ToolAccess(self, "ToolAccess", run_tool=run, serve_mcp=serve, removal=removal)
        outputs = {"Url": server.url, "ApiId": server.rest_api.rest_api_id, "TableName": server.table.name}
        for name, value in {**outputs, "PayloadBucket": server.payloads.name}.items():
            CfnOutput(self, name, value=value)
