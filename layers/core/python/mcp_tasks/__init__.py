"""All that the author of a tool may import."""

from mcp_tasks.context import Context, TaskCancelled
from mcp_tasks.errors import McpError, ToolError
from mcp_tasks.tenancy import Caller
from mcp_tasks.tools import Tool, tool

__all__ = ["Caller", "Context", "McpError", "TaskCancelled", "Tool", "ToolError", "tool"]
