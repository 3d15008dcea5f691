"""The stream that a client holds open for what it did not request: its tasks' input requests, changes of resources.

Like the streams that answer, it is a row of connections.  Where resources are watched, each is held until there is
news, or for as long as the gateway allows; who could only be asked something looks in every few seconds instead, which
costs a fifth of holding a function for them.  -- 2025-11-25, Transports, Listening for Messages from the Server
"""

import secrets
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import NewerSchema, TaskNotFound
from mcp_tasks.tasks.model import Task
from mcp_tasks.wire import jsonrpc
from mcp_tasks.wire.rev_2025_11_25 import event_ids, extension, input_requests, url_elicitation
from mcp_tasks.wire.rev_2025_11_25.call import NEWEST, client_capabilities_of, declares_extension
from mcp_tasks.wire.rev_2025_11_25.event_ids import EventId, Kind
from mcp_tasks.wire.rev_2025_11_25.server import SessionServer
from mcp_tasks.wire.rev_2025_11_25.sessions import Session
from mcp_tasks.wire.sse import Event

RETRY = timedelta(milliseconds=200)
LOOKING_IN = timedelta(seconds=5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place in one such stream; `delivered` are the digests of requests, `tasks` those that they were about."""

    session: str
    name: str
    delivered: list[str] = field(default_factory=list)
    tasks: list[str] = field(default_factory=list)


def is_offered(server: SessionServer, session: Session) -> bool:
    """Tell whether there is anything to listen to."""
    return is_watching(server, session) or bool(client_capabilities_of(session)) or declares_extension(session)


def is_watching(server: SessionServer, session: Session) -> bool:
    """Tell whether the client could watch a resource."""
    return session.version == NEWEST and server.features.resources.subscribable


def begin(session: Session) -> Place:
    """Return where a stream begins."""
    return Place(session=session.id, name=f"{session.id}:listening:{secrets.token_hex(8)}")


def resumed(session: Session, last: EventId) -> Place | None:
    """Return the place after the last event that the client has, if it is one of this session's."""
    place = Place(**last.place)
    return place if place.session == session.id else None


def listen(server: SessionServer, caller: Caller, session: Session, place: Place) -> list[Event]:
    """Wait for news and tell them."""
    watches = is_watching(server, session) and server.subscriptions.any(caller, session.id)
    here, asked = _input_requests(server, caller, session, place)
    changed = server.subscriptions.updates_for_session(
        caller,
        session.id,
        timeout=server.max_hold if watches and not asked else timedelta(),
        until=lambda: _is_asked(server, caller, session) or server.subscriptions.is_behind(caller, session.id),
    )
    delivered = [jsonrpc.notification("notifications/resources/updated", {"uri": uri}) for uri in changed]
    delivered += [*extension.notifications(server, caller, session), *url_elicitation.updates(server, caller, session)]
    first = _event(server, caller, here, RETRY if watches else LOOKING_IN)
    return [first, *(Event(message=message) for message in delivered), *asked]


def _input_requests(server: SessionServer, caller: Caller, session: Session, place: Place) -> tuple[Place, list[Event]]:
    """Tell what this stream carries about the session's tasks; each is a place of its own, after which it is told."""
    asking = server.tasks.awaiting_input(caller, session.id)
    delivered, fresh, tasks = [], [], list(asking)
    for task in _tasks(server, caller, [*asking, *place.tasks]):
        carried = input_requests.tell(server, caller, session, task, place.name, plain=False)
        delivered += [each.digest for each in carried if each.digest in place.delivered]
        new = [each for each in carried if each.digest not in place.delivered]
        fresh += new
        # Of a task that asks no more, the last word is told once.
        tasks += [task.id] if new and task.id not in tasks else []
    here = replace(place, delivered=delivered, tasks=tasks)
    events = []
    for each in fresh:
        delivered = [*delivered, each.digest]
        events.append(replace(_event(server, caller, replace(here, delivered=delivered), RETRY), message=each.request))
    return here, events


def _is_asked(server: SessionServer, caller: Caller, session: Session) -> bool:
    """Tell whether there is something to ask."""
    asking = _tasks(server, caller, server.tasks.awaiting_input(caller, session.id))
    return any(input_requests.is_due(server, caller, session, task) for task in asking)


def _tasks(server: SessionServer, caller: Caller, task_ids: Iterable[str]) -> Iterator[Task]:
    for task_id in dict.fromkeys(task_ids):
        with suppress(TaskNotFound, NewerSchema):
            yield server.tasks.get(caller, task_id)


def _event(server: SessionServer, caller: Caller, place: Place, retry: timedelta) -> Event:
    return Event(id=event_ids.sign(server, caller, Kind.LISTENING, asdict(place)), retry=retry)
