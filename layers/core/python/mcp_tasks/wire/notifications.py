"""What a client is told about a request while it waits: the same words in both revisions."""

from collections.abc import Iterable
from typing import Final

from mcp_tasks.authoring.text import Level
from mcp_tasks.engine.inline_journal import LogMessage
from mcp_tasks.tasks.model import JSON, Progress, State, Task
from mcp_tasks.wire import jsonrpc
from mcp_tasks.wire.jsonrpc import RequestId

UNDER_WAY: Final = "The work is under way."


def status_message(of: Task) -> dict[str, JSON]:
    """Return the field that says where a task stands, before its work says so too."""
    return _present({"statusMessage": of.status_message or (UNDER_WAY if of.state is State.WORKING else None)})


def messages(reports: Iterable[Progress | LogMessage], token: RequestId | None) -> list[dict[str, JSON]]:
    """Return what was reported, as notifications: progress by its request's token, if it has one."""
    shown = []
    for each in reports:
        if isinstance(each, LogMessage):
            shown.append(log_message(*each))
        elif token is not None:
            shown.append(progress(token, each))
    return shown


def progress(token: RequestId, made: Progress) -> dict[str, JSON]:
    """Tell how far a request is."""
    params: dict[str, JSON] = {"progressToken": token, "progress": made.progress}
    more = {"total": made.total, "message": made.message}
    return jsonrpc.notification("notifications/progress", params | _present(more))


def log_message(level: Level, data: JSON, logger: str | None) -> dict[str, JSON]:
    """Tell what a tool logged."""
    return jsonrpc.notification("notifications/message", {"level": level, "data": data, **_present({"logger": logger})})


def _present(fields: dict[str, JSON]) -> dict[str, JSON]:
    return {name: value for name, value in fields.items() if value is not None}
