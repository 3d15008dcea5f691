"""The stack of one stage: a server of the tools in `layers/tools`, and what their code may access."""

from pathlib import Path

from constructs import Construct

from .settings import StageSettings
from .stage_stack import StageStack
from .tool_access import ToolAccess
from .tools import Tools

TOOLS = Path(__file__).parents[1] / "layers" / "tools"


class TaskServerStack(StageStack):
    """One stage of the server."""

    def __init__(self, scope: Construct, construct_id: str, *, settings: StageSettings) -> None:
        super().__init__(scope, construct_id, settings=settings, tools=Tools(TOOLS, settings.tools_module))
        run, inline, removal = self.server.run_tool, self.server.run_inline, settings.server.removal
        ToolAccess(self, "ToolAccess", run_tool=run, run_inline=inline, removal=removal)
