"""What a client is told about a request while it waits: the same words in both revisions."""

from mcp_tasks.tasks.model import JSON, Progress
from mcp_tasks.toolkit.text import Level
from mcp_tasks.wire import jsonrpc
from mcp_tasks.wire.jsonrpc import RequestId


def progress(token: RequestId, made: Progress) -> dict[str, JSON]:
    """Tell how far a request is."""
    params: dict[str, JSON] = {"progressToken": token, "progress": made.progress}
    more = {"total": made.total, "message": made.message}
    return jsonrpc.notification("notifications/progress", params | _present(more))


def log_message(level: Level, data: JSON, logger: str | None) -> dict[str, JSON]:
    """Tell what a tool logged."""
    return jsonrpc.notification("notifications/message", {"level": level, "data": data, **_present({"logger": logger})})


def _present(members: dict[str, JSON]) -> dict[str, JSON]:
    return {name: value for name, value in members.items() if value is not None}
