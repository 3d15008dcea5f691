"""Tool results that are one text."""

from mcp_tasks.authoring.text import sendable
from mcp_tasks.tasks.model import JSON, Returned


def failure(message: str) -> Returned:
    """Return a result with `isError`, by which a model reads that the tool failed and why."""
    return Returned(result=content(message), is_error=True)


def content(text: str) -> dict[str, JSON]:
    """Return a `CallToolResult` whose only content is this text."""
    return {"content": [{"type": "text", "text": sendable(text)}]}
