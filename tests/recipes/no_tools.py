"""No tools: what is synthesised for AWS are the state machines of the recipes."""

from mcp_tasks.features.tools import Tool

TOOLS: list[Tool] = []
