"""A call that waits on its own connection for the task behind it, and hears of its progress."""

from collections.abc import Callable, Mapping
from datetime import timedelta

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON, Task
from mcp_tasks.wire import notifications
from mcp_tasks.wire.jsonrpc import RequestId
from mcp_tasks.wire.revision import Server


def wait(
    server: Server,
    caller: Caller,
    task: Task,
    *,
    patience: timedelta,
    token: RequestId | None,
    until: Callable[[Task], bool] = lambda task: bool(task.open_input_requests),
) -> tuple[Task, list[Mapping[str, JSON]]]:
    """Wait until a task is final or as wanted, or patience ends; return it, and what to tell before the answer.

    That is the progress which was seen since the task was as given, under the call's own token if it has one.
    """
    told: list[Mapping[str, JSON]] = []
    last = task.progress

    def hear(seen: Task) -> bool:
        nonlocal last
        made = seen.progress
        if token is not None and made is not None and (last is None or made.progress > last.progress):
            last = made
            told.append(notifications.progress(token, made))
        return until(seen)

    task = server.tasks.wait(caller, task.id, patience=patience, until=hear)
    # A task that is final is returned without being shown to anybody first.
    hear(task)
    return task, told
