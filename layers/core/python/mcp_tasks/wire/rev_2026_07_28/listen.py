"""Subscriptions: a stream that tells of what the client asked for, and ends before a gateway would end it.

Everything arrives in one piece, so a stream ends with the first news; the client listens again.  What a task calls for
now, an answer or a look at its end, is due at the beginning of each stream: nothing is lost between two of them.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Final

from mcp_tasks.authoring.errors import ResourceNotFound
from mcp_tasks.limits.requests import MAX_LISTENED
from mcp_tasks.tasks.errors import NewerSchema, TaskNotFound
from mcp_tasks.tasks.model import JSON, Task
from mcp_tasks.tasks.transitions import is_final
from mcp_tasks.wire import jsonrpc, server_features
from mcp_tasks.wire.capabilities import capability_needed
from mcp_tasks.wire.fields import list_of, mapping, name, optional, required
from mcp_tasks.wire.jsonrpc import RpcError
from mcp_tasks.wire.rev_2026_07_28 import render
from mcp_tasks.wire.rev_2026_07_28.call import Answer, Call, Streamed
from mcp_tasks.wire.rev_2026_07_28.task_methods import detailed, require_tasks

SUBSCRIPTION: Final = "io.modelcontextprotocol/subscriptionId"


PART_OF_AGE: Final = 10
LONGEST_DELAY: Final = timedelta(seconds=2)
"""What is due is told after a tenth of its age, or after this.

New is told at once; and who listens again and again for a task that goes on asking is told ever less often, as if they
backed off, although nothing is known of the streams before.
"""


def subscriptions_listen(call: Call) -> Answer:
    """Acknowledge what is honoured, wait for news of it, tell them and end."""
    wanted = required(call.params, "notifications", mapping)
    task_ids = optional(wanted, "taskIds", list_of(name), within="notifications.")
    uris = optional(wanted, "resourceSubscriptions", list_of(server_features.address), within="notifications.")
    if task_ids is not None:
        require_tasks(call)
    tasks, watched = _tasks(call, (task_ids or [])[:MAX_LISTENED]), _resources(call, (uris or [])[:MAX_LISTENED])
    # No list of this server's ever changes, so that no other kind is honoured.
    honoured: dict[str, JSON] = {} if task_ids is None else {"taskIds": list(tasks)}
    honoured |= {} if uris is None else {"resourceSubscriptions": watched}
    acknowledged = _notification(call, "notifications/subscriptions/acknowledged", {"notifications": honoured})
    return Streamed(
        notifications=[acknowledged, *_updates(call, tasks, watched)],
        result=render.complete({"_meta": {SUBSCRIPTION: call.id}}),
    )


def _tasks(call: Call, task_ids: list[str]) -> dict[str, Task]:
    """Return the caller's tasks; an id that is nobody's, or somebody else's, is not honoured."""
    found = {}
    for task_id in task_ids:
        with suppress(TaskNotFound, NewerSchema):
            found[task_id] = call.server.tasks.get(call.caller, task_id)
    return found


def _resources(call: Call, uris: list[str]) -> list[str]:
    """Return the addresses whose changes are told."""
    found = []
    for uri in uris:
        with suppress(ResourceNotFound, RpcError):
            found.append(server_features.watched_uri(call.server.features, uri))
    return found


def _updates(call: Call, tasks: Mapping[str, Task], uris: list[str]) -> Iterator[dict[str, JSON]]:
    """Tell what is due or new, each task once: as it is when the stream ends."""
    due = {task.id: task for task in tasks.values() if _is_due(call, task)}
    newer, changed = list[Task](), list[str]()
    if tasks or uris:
        seen = {task.id: task.version for task in tasks.values()}
        subscriptions = call.server.subscriptions
        versions = subscriptions.versions(call.caller, uris)
        newer, changed = subscriptions.updates(call.caller, seen, versions, timeout=_timeout(call, due))
    for task in (due | {task.id: task for task in newer}).values():
        with suppress(TaskNotFound):
            yield _notification(call, "notifications/tasks", detailed(call, task))
    for uri in changed:
        yield _notification(call, "notifications/resources/updated", {"uri": uri})


def _is_due(call: Call, task: Task) -> bool:
    """Tell whether the task calls for something now: for an answer that the client can give, or a look at its end."""
    return is_final(task) or any(
        capability_needed(each) in call.client_capabilities for each in task.open_input_requests
    )


def _timeout(call: Call, due: Mapping[str, Task]) -> timedelta:
    ages = [call.server.tasks.now() - task.updated_at for task in due.values()]
    return min([call.server.max_hold, *(min(age / PART_OF_AGE, LONGEST_DELAY) for age in ages)])


def _notification(call: Call, method: str, params: Mapping[str, JSON]) -> dict[str, JSON]:
    return jsonrpc.notification(method, {"_meta": {SUBSCRIPTION: call.id}, **params})
