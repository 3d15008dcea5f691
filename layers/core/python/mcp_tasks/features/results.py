"""Results of tools that are text, as the protocol has them."""

from mcp_tasks.authoring.text import sendable
from mcp_tasks.tasks.model import JSON, Returned


def failure(message: str) -> Returned:
    """Return the result that tells a model that the tool failed, and why."""
    return Returned(result=content(message), is_error=True)


def content(text: str) -> dict[str, JSON]:
    """Return a result whose only content is this text."""
    return {"content": [{"type": "text", "text": sendable(text)}]}
