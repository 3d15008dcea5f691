"""`subscriptions/listen`: a stream of changes to tasks and resources that ends before the gateway's timeout.

The gateway delivers a response as a whole, so a stream ends with the first change, and the client listens again.  A
task that is final or has open input requests is due when a stream begins: nothing is lost between two streams.

No stream of this revision can be resumed, so that who listens again is not told from who listens first.  Where it is
not worth holding a connection for any of the tasks (`tasks/pace.py`), the stream ends soon, and says when to listen
again; a client that listens again at once costs no more than one that is held.  Changes of a resource between two
streams would be lost, so that who watches one is held in any case.  Where the tenant holds as many connections as it
may, all are answered at once, and told when to listen again.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Final

from mcp_tasks.authoring.errors import ResourceNotFound
from mcp_tasks.engine.current_call import note_refusal
from mcp_tasks.fallbacks import skip_unreadable
from mcp_tasks.limits.pace import CALLS_HOLD_UNTIL_AGE
from mcp_tasks.limits.requests import MAX_LISTENED
from mcp_tasks.tasks.errors import LimitReached, TaskNotFound
from mcp_tasks.tasks.model import JSON, Task
from mcp_tasks.tasks.pace import Known
from mcp_tasks.tasks.transitions import is_final
from mcp_tasks.wire import authorization, jsonrpc, server_features
from mcp_tasks.wire.capabilities import capability_needed
from mcp_tasks.wire.fields import list_of, mapping, name, optional, required
from mcp_tasks.wire.jsonrpc import RpcError
from mcp_tasks.wire.refusals import described
from mcp_tasks.wire.rev_2026_07_28 import render
from mcp_tasks.wire.rev_2026_07_28.call import Answer, Call, Streamed
from mcp_tasks.wire.rev_2026_07_28.task_methods import detailed, require_tasks
from mcp_tasks.wire.units import milliseconds

SUBSCRIPTION: Final = "io.modelcontextprotocol/subscriptionId"
LIMIT_REACHED: Final = "io.github.mcp-task-server/limitReached"
LISTEN_AGAIN: Final = "io.github.mcp-task-server/listenAgainMs"

HELD: Final = Known(hold_until_age=CALLS_HOLD_UNTIL_AGE)
"""A stream of this revision answers a POST, so that the function that serves calls holds it."""

PART_OF_AGE: Final = 10
LONGEST_DELAY: Final = timedelta(seconds=2)
"""What is due when a stream begins is sent after a tenth of the time since the task changed, or after this.

A new change is sent at once.  For a client that listens again and again while a task awaits input, the delay grows like
a backoff, although no state of earlier streams is kept.
"""


def subscriptions_listen(call: Call) -> Answer:
    """Acknowledge the subscriptions that are honoured, wait for a change, send it and end the stream."""
    wanted = required(call.params, "notifications", mapping)
    task_ids = optional(wanted, "taskIds", list_of(name), within="notifications.")
    uris = optional(wanted, "resourceSubscriptions", list_of(server_features.uri), within="notifications.")
    if task_ids is not None:
        require_tasks(call)
    authorization.check_resources(call.server, call.caller, (uris or [])[:MAX_LISTENED])
    tasks, watched = _tasks(call, (task_ids or [])[:MAX_LISTENED]), _resources(call, (uris or [])[:MAX_LISTENED])
    # The lists of this server never change, so listChanged subscriptions are not honoured.
    honoured: dict[str, JSON] = {} if task_ids is None else {"taskIds": list(tasks)}
    honoured |= {} if uris is None else {"resourceSubscriptions": watched}
    acknowledged = _notification(call, "notifications/subscriptions/acknowledged", {"notifications": honoured})
    newest, changed, reached = _wait(call, tasks, watched)
    # Clients show `retry` to nobody, and the meta data of a result to whoever reads it.
    limit = {} if reached is None else {LIMIT_REACHED: described(reached)}
    again = _listen_again(call, tasks.values(), watched) if reached is None else reached.retry_after
    hint = {} if again is None else {LISTEN_AGAIN: milliseconds(again)}
    return Streamed(
        notifications=[acknowledged, *_updates(call, newest, changed)],
        result=render.complete({"_meta": {SUBSCRIPTION: call.id, **limit, **hint}}),
        retry=again,
    )


def _tasks(call: Call, task_ids: list[str]) -> dict[str, Task]:
    """Return the caller's tasks by id; unknown ids and other callers' tasks are not honoured."""
    found = {}
    for task_id in task_ids:
        with skip_unreadable("the task is not followed", owner_key=call.caller.owner_key, task=task_id):
            try:
                found[task_id] = call.server.tasks.get(call.caller, task_id)
            except TaskNotFound:
                note_refusal("unknown_task")
    return found


def _resources(call: Call, uris: list[str]) -> list[str]:
    """Return the URIs that clients can subscribe to."""
    found = []
    for uri in uris:
        with suppress(ResourceNotFound, RpcError):
            found.append(server_features.watched_uri(call.server.features, uri))
    return found


def _wait(
    call: Call, tasks: Mapping[str, Task], uris: list[str]
) -> tuple[Iterable[Task], list[str], LimitReached | None]:
    """Wait for changes; return the tasks and resources to notify of, and the limit on account of which it waited not.

    The tasks are those that are due or changed, as they are now.
    """
    if not tasks and not uris:
        return (), [], None
    due = {task.id: task for task in tasks.values() if _is_due(call, task)}
    seen = {task.id: task.version for task in tasks.values()}
    subscriptions, admission = call.server.subscriptions, call.server.admission
    versions = subscriptions.versions(call.caller, uris)
    with admission.hold(call.caller) as is_held:
        timeout = _timeout(call, due, tasks.values(), uris) if is_held else timedelta()
        newer, changed = subscriptions.updates(call.caller, seen, versions, timeout=timeout)
    newest = due | {task.id: task for task in newer}
    return newest.values(), changed, None if is_held else admission.too_many_waits(call.caller)


def _updates(call: Call, tasks: Iterable[Task], uris: list[str]) -> Iterator[dict[str, JSON]]:
    """Yield a notification for each task and resource."""
    for task in tasks:
        with (
            suppress(TaskNotFound),
            skip_unreadable("no notification is sent", owner_key=call.caller.owner_key, task=task.id),
        ):
            yield _notification(call, "notifications/tasks", detailed(call, task))
    for uri in uris:
        yield _notification(call, "notifications/resources/updated", {"uri": uri})


def _is_due(call: Call, task: Task) -> bool:
    """Return whether the task is final, or has an open input request that the client can answer."""
    return is_final(task) or any(
        capability_needed(each) in call.client_capabilities for each in task.open_input_requests
    )


def _timeout(call: Call, due: Mapping[str, Task], tasks: Iterable[Task], uris: list[str]) -> timedelta:
    now = call.server.tasks.now()
    delays = [min((now - task.updated_at) / PART_OF_AGE, LONGEST_DELAY) for task in due.values()]
    worth = max((call.server.tasks.pace(call.caller, task, HELD).hold for task in tasks), default=timedelta())
    hold = call.server.max_hold if uris else max(worth, LONGEST_DELAY)
    return min([call.server.max_hold, hold, *delays])


def _listen_again(call: Call, tasks: Iterable[Task], uris: list[str]) -> timedelta | None:
    """Return when to listen again, or None where a connection is held for it at once."""
    now = call.server.tasks.now()
    looks = [
        call.server.tasks.pace(call.caller, task, HELD)
        for task in tasks
        if not is_final(task) and task.expires_at > now
    ]
    if uris or not looks or any(look.hold for look in looks):
        return None
    return min(look.after for look in looks)


def _notification(call: Call, method: str, params: Mapping[str, JSON]) -> dict[str, JSON]:
    return jsonrpc.notification(method, {"_meta": {SUBSCRIPTION: call.id}, **params})
