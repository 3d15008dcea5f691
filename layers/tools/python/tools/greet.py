"""The smallest tool: it returns at once and never becomes a task."""

from mcp_tasks import tool


@tool(tasks="never")
def greet(name: str) -> str:
    """Greet somebody by name."""
    return f"Hello, {name}!"
