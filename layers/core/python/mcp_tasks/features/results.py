"""Tool results that are one text, perhaps with the same as JSON."""

from collections.abc import Mapping

from mcp_tasks.authoring.text import sendable
from mcp_tasks.tasks.model import JSON, Returned


def failure(message: str) -> Returned:
    """Return a result with `isError`, by which a model reads that the tool failed and why."""
    return Returned(result=content(message), is_error=True)


def content(text: str) -> dict[str, JSON]:
    """Return a `CallToolResult` whose only content is this text."""
    return {"content": [{"type": "text", "text": sendable(text)}]}


def and_more(said: str, tool: str, cursor: str | None) -> str:
    """Return what a page says, and how to go on where another one follows."""
    return said if cursor is None else f"{said}\nThere may be more: call {tool} again, with the cursor {cursor}."


def and_left_out(said: str, count: int) -> str:
    """Return what a page says, and how many items it leaves out because they cannot be shown."""
    return said if count == 0 else f"{said}\n{count} more cannot be shown: the server's log names them."


def counted(count: int) -> dict[str, JSON]:
    """Return the field of a page for how many items it leaves out, nothing where it has all."""
    return {} if count == 0 else {"left_out": count}


def structured(text: str, value: Mapping[str, JSON]) -> Returned:
    """Return a result that says the same in words and as JSON, because some hosts show a model only one of them.

    The words are for people, too, who see in them what else would hide; the JSON is as it was written.
    """
    # Saves a module of every cold start: few calls are of built-in tools.
    from mcp_tasks.tasks.visible import visible

    return Returned(result=content(visible(text)) | {"structuredContent": value})
