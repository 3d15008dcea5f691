"""Subscriptions: a stream that tells of what the client asked for, and ends before a gateway would end it.

Everything arrives in one piece, so a stream ends with the first news; the client listens again.  What happens between
two streams is not told, and need not be: notifications only say that there is something to look at.
"""

from collections.abc import Mapping
from typing import Final

from mcp_tasks.tasks.errors import TaskNotFound
from mcp_tasks.tasks.machine import is_final
from mcp_tasks.tasks.model import JSON, Task
from mcp_tasks.wire import jsonrpc
from mcp_tasks.wire.members import mapping, names, optional, required
from mcp_tasks.wire.rev_2026_07_28 import render
from mcp_tasks.wire.rev_2026_07_28.call import Answer, Call, Streamed
from mcp_tasks.wire.rev_2026_07_28.task_methods import detailed, require_tasks

SUBSCRIPTION: Final = "io.modelcontextprotocol/subscriptionId"

MOST_TASKS: Final = 20
"""Of one subscription; the acknowledgement says which ones are honoured."""


def subscriptions_listen(call: Call) -> Answer:
    """Acknowledge what is honoured, wait for news of it, tell them and end."""
    wanted = required(call.params, "notifications", mapping)
    task_ids = optional(wanted, "taskIds", names, within="notifications.")
    if task_ids is not None:
        require_tasks(call)
    watched = _watched(call, (task_ids or [])[:MOST_TASKS])
    # No list of this server's ever changes, so that no other kind is honoured.
    honoured = {} if task_ids is None else {"taskIds": list(watched)}
    told = [_notification(call, "notifications/subscriptions/acknowledged", {"notifications": honoured})]
    told += [_notification(call, "notifications/tasks", shown) for shown in _news(call, watched)]
    return Streamed(told=told, result=render.complete({"_meta": {SUBSCRIPTION: call.id}}))


def _watched(call: Call, task_ids: list[str]) -> dict[str, Task]:
    """Return the caller's tasks; an id that is nobody's, or somebody else's, is not honoured."""
    found = {}
    for task_id in task_ids:
        try:
            found[task_id] = call.server.tasks.look(call.caller, task_id)
        except TaskNotFound:
            continue
    return found


def _news(call: Call, watched: Mapping[str, Task]) -> list[dict[str, JSON]]:
    ended = [task for task in watched.values() if is_final(task)]
    if ended or not watched:
        return _shown(call, ended)
    seen = {task.id: task.version for task in watched.values()}
    return _shown(call, call.server.tasks.news(call.caller, seen, patience=call.server.hold))


def _shown(call: Call, tasks: list[Task]) -> list[dict[str, JSON]]:
    shown = []
    for task in tasks:
        try:
            shown.append(detailed(call, task))
        except TaskNotFound:
            continue
    return shown


def _notification(call: Call, method: str, params: Mapping[str, JSON]) -> dict[str, JSON]:
    return jsonrpc.notification(method, {"_meta": {SUBSCRIPTION: call.id}, **params})
