"""Progress and log notifications of a request, and the status message of a task, in both revisions."""

from collections.abc import Iterable
from typing import Final

from mcp_tasks.authoring.text import Level
from mcp_tasks.engine.inline_journal import LogMessage
from mcp_tasks.tasks.model import JSON, Progress, State, Task
from mcp_tasks.wire import jsonrpc
from mcp_tasks.wire.fields import present
from mcp_tasks.wire.jsonrpc import RequestId

UNDER_WAY: Final = "The work is under way."


def status_message(of: Task) -> dict[str, JSON]:
    """Return `statusMessage` as a dict to merge into a task; a working task that reported none has a default."""
    return present({"statusMessage": of.status_message or (UNDER_WAY if of.status is State.WORKING else None)})


def messages(reports: Iterable[Progress | LogMessage], token: RequestId | None) -> list[dict[str, JSON]]:
    """Return the notifications of a run's reports; progress is left out if the request has no progress token."""
    shown = []
    for each in reports:
        if isinstance(each, LogMessage):
            shown.append(log_message(*each))
        elif token is not None:
            shown.append(progress(token, each))
    return shown


def progress(token: RequestId, made: Progress) -> dict[str, JSON]:
    """Return a `notifications/progress`."""
    params: dict[str, JSON] = {"progressToken": token, "progress": made.progress}
    more = {"total": made.total, "message": made.message}
    return jsonrpc.notification("notifications/progress", params | present(more))


def log_message(level: Level, data: JSON, logger: str | None) -> dict[str, JSON]:
    """Return a `notifications/message`."""
    return jsonrpc.notification("notifications/message", {"level": level, "data": data, **present({"logger": logger})})
