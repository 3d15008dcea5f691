"""The SSE stream that a client opens by GET, for what answers no request of its: input requests, and notifications.

Like a response stream, it is a series of short connections, and the longer nothing has come, the rarer they are
(`tasks/pace.py`).  Where the client watches resources, a connection is held while there was a change of late.
    -- 2025-11-25, Transports, Listening for Messages from the Server
"""

import secrets
from collections.abc import Iterable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import asdict, field, replace
from datetime import timedelta

from mcp_tasks.records import record
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import TaskNotFound, UnreadableItem
from mcp_tasks.tasks.model import Task
from mcp_tasks.tasks.pace import Pacing, listening_pace
from mcp_tasks.wire import jsonrpc
from mcp_tasks.wire.rev_2025_11_25 import event_ids, extension, input_requests, url_elicitation
from mcp_tasks.wire.rev_2025_11_25.call import client_capabilities_of, declares_extension
from mcp_tasks.wire.rev_2025_11_25.event_ids import EventId, Kind
from mcp_tasks.wire.rev_2025_11_25.server import SessionServer
from mcp_tasks.wire.rev_2025_11_25.sessions import Session
from mcp_tasks.wire.rev_2025_11_25.versions import NEWEST
from mcp_tasks.wire.sse import Event

RETRY = timedelta(milliseconds=200)


@record
class ListeningPosition:
    """The state of a listening stream as of one of its events, which the event's id holds.

    `delivered` are the digests of the requests that were sent, `tasks` the ids of the tasks that sent some, and
    `quiet_since` (seconds since 1970) is when the client was last sent something, or began to listen.
    """

    session: str
    name: str
    delivered: list[str] = field(default_factory=list)
    tasks: list[str] = field(default_factory=list)
    quiet_since: float | None = None


def is_offered(server: SessionServer, session: Session) -> bool:
    """Return whether the server has anything to send on a listening stream of this session."""
    return can_subscribe(server, session) or bool(client_capabilities_of(session)) or declares_extension(session)


def can_subscribe(server: SessionServer, session: Session) -> bool:
    """Return whether the client can subscribe to resources."""
    return session.version == NEWEST and server.features.resources.subscribable


def begin(session: Session) -> ListeningPosition:
    """Return the position at which a new stream begins."""
    return ListeningPosition(session=session.id, name=f"{session.id}:listening:{secrets.token_hex(8)}")


def resumed(session: Session, last: EventId) -> ListeningPosition | None:
    """Return the position that an event id holds, or None if the stream is another session's."""
    try:
        position = ListeningPosition(**last.position, quiet_since=last.since)
    except TypeError:
        # A newer release has other fields.
        return None
    return position if position.session == session.id else None


def listen(server: SessionServer, caller: Caller, session: Session, position: ListeningPosition) -> list[Event]:
    """Return the events after a position; where resources are watched, wait for some if there are none.

    It does not wait where the tenant holds as many connections as it may, and returns none to a client that has not
    sent `notifications/initialized`.
    """
    position = replace(position, quiet_since=position.quiet_since or server.tasks.now().timestamp())
    if server.sessions.is_silent(session):
        return [_event(server, caller, position, _pacing(server, position, watches=False).after)]
    watches = can_subscribe(server, session) and server.subscriptions.watches_any(caller, session.id)
    here, requests = _input_requests(server, caller, session, position)
    hold = _pacing(server, position, watches=watches).hold
    waits = bool(hold) and not requests
    with server.admission.hold(caller) if waits else nullcontext(False) as is_held:
        updated = server.subscriptions.updated_uris(
            caller,
            session.id,
            timeout=min(server.max_hold, hold) if is_held else timedelta(),
            until=lambda: (
                _is_request_due(server, caller, session) or server.subscriptions.has_task_updates(caller, session.id)
            ),
        )
    messages = [
        *(jsonrpc.notification("notifications/resources/updated", {"uri": uri}) for uri in updated),
        *extension.notifications(server, caller, session),
        *url_elicitation.notifications(server, caller, session),
    ]
    if messages or requests:
        here = replace(here, quiet_since=server.tasks.now().timestamp())
    following = _pacing(server, here, watches=watches)
    is_held_next = following.hold and (is_held or not waits)
    first = _event(server, caller, here, RETRY if is_held_next else following.after)
    return [first, *(Event(message=message) for message in messages), *requests]


def _pacing(server: SessionServer, position: ListeningPosition, *, watches: bool) -> Pacing:
    now = server.tasks.now()
    quiet = now.timestamp() - (position.quiet_since or now.timestamp())
    return listening_pace(timedelta(seconds=max(quiet, 0)), watches=watches)


def _input_requests(
    server: SessionServer, caller: Caller, session: Session, position: ListeningPosition
) -> tuple[ListeningPosition, list[Event]]:
    """Return the position before, and the requests about the session's tasks that this stream has still to send.

    Each is an event with an id of its own: a client that resumes after it is not sent it again.
    """
    awaiting_input = _awaiting_input(server, caller, session)
    delivered, fresh, tasks = [], [], list(awaiting_input)
    for task in _tasks(server, caller, [*awaiting_input, *position.tasks]):
        carried = input_requests.deliver(
            server, caller, session, task, position.name, plain=False, read=position.delivered
        )
        delivered += [each.digest for each in carried if each.digest in position.delivered]
        new = [each for each in carried if each.digest not in position.delivered]
        fresh += new
        # A task that awaits no more input may still have a request to send: the cancellation of a client's task.
        tasks += [task.id] if new and task.id not in tasks else []
    here = replace(position, delivered=delivered, tasks=tasks)
    events = []
    for each in fresh:
        delivered = [*delivered, each.digest]
        events.append(replace(_event(server, caller, replace(here, delivered=delivered), RETRY), message=each.request))
    return here, events


def _is_request_due(server: SessionServer, caller: Caller, session: Session) -> bool:
    """Return whether some task of the session has a request to send that no stream carries."""
    awaiting_input = _tasks(server, caller, _awaiting_input(server, caller, session))
    return any(input_requests.is_due(server, caller, session, task) for task in awaiting_input)


def _awaiting_input(server: SessionServer, caller: Caller, session: Session) -> list[str]:
    """Return the tasks that may ask the session something: its own, and those of other sessions that it polls."""
    polled = server.subscriptions.polled_tasks(caller, session.id)
    return [*server.tasks.awaiting_input(caller, session.id), *polled]


def _tasks(server: SessionServer, caller: Caller, task_ids: Iterable[str]) -> Iterator[Task]:
    for task_id in dict.fromkeys(task_ids):
        with suppress(TaskNotFound, UnreadableItem):
            yield server.tasks.get(caller, task_id)


def _event(server: SessionServer, caller: Caller, position: ListeningPosition, retry: timedelta) -> Event:
    fields = asdict(position)
    since = fields.pop("quiet_since")
    return Event(id=event_ids.sign(server, caller, Kind.LISTENING, fields, since), retry=retry)
