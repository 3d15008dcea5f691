"""The smallest tool: it returns at once and never becomes a task."""

from mcp_tasks import tool


@tool(title="Greet", tasks="never", annotations={"readOnlyHint": True, "openWorldHint": False})
def greet(name: str) -> str:
    """Greet somebody by name."""
    return f"Hello, {name}!"
