"""Tools for the sample state machines."""

from mcp_tasks import tool


@tool(machine="by_arn")
def load(day: str) -> dict[str, int]:
    """Load a day into a warehouse."""
    raise NotImplementedError("another team's state machine returns the result")


TOOLS = [load]
