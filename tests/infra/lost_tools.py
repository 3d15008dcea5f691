"""A tool for a machine that nobody has built."""

from mcp_tasks import tool


@tool(tasks="always", machine="nowhere")
def lost() -> str:
    """Get lost."""
    raise NotImplementedError


TOOLS = [lost]
