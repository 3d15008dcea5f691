"""The tools for bills."""

from mcp_tasks import tool


@tool()
def total(amounts: list[int]) -> int:
    """Add the amounts of a bill up."""
    return sum(amounts)


TOOLS = [total]
