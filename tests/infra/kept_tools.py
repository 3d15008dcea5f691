"""A tool whose tasks are to be kept for a day."""

from datetime import timedelta

from mcp_tasks import tool


@tool(tasks="always", ttl=timedelta(days=1))
def kept() -> str:
    """Be kept."""
    raise NotImplementedError


TOOLS = [kept]
