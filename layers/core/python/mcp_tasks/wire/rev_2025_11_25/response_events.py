"""The events of a response stream: each holds the position from which the stream is resumed after it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import NamedTuple

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON, Task
from mcp_tasks.wire.rev_2025_11_25 import event_ids, input_requests
from mcp_tasks.wire.rev_2025_11_25.event_ids import Kind
from mcp_tasks.wire.rev_2025_11_25.response_pace import RETRY, ResponsePosition
from mcp_tasks.wire.rev_2025_11_25.server import SessionServer
from mcp_tasks.wire.rev_2025_11_25.sessions import Session, stream_name
from mcp_tasks.wire.sse import Event


class Sent(NamedTuple):
    """An input request that the stream sends, and the digests of all that it has sent by then."""

    request: Mapping[str, JSON]
    delivered: list[str]


def event(server: SessionServer, caller: Caller, position: ResponsePosition) -> Event:
    """Return an event without a message, after which the stream goes on from the position."""
    fields = asdict(position)
    since = fields.pop("progress_sent_at")
    return Event(id=event_ids.sign(server, caller, Kind.RESPONSE, fields, since), retry=RETRY)


def last_event(server: SessionServer, caller: Caller, position: ResponsePosition, message: Mapping[str, JSON]) -> Event:
    """Return the event with which the stream ends."""
    return replace(event(server, caller, replace(position, ended=True)), retry=None, message=message)


def requests_to_send(
    server: SessionServer, caller: Caller, session: Session, task: Task, position: ResponsePosition
) -> list[Sent]:
    """Return the input requests that the stream has still to send."""
    stream = stream_name(session.id, position.request_id)
    plain, read = position.plain, position.delivered
    carried = input_requests.deliver(server, caller, session, task, stream, plain=plain, read=read)
    # A request that the stream no longer carries is never sent again, and would only make the event ids longer.
    delivered = [each.digest for each in carried if each.digest in position.delivered]
    sent = []
    for each in carried:
        if each.digest not in delivered:
            delivered = [*delivered, each.digest]
            sent.append(Sent(each.request, delivered))
    return sent


def events_of(
    server: SessionServer, caller: Caller, position: ResponsePosition, requests: Sequence[Sent]
) -> Iterator[Event]:
    """Yield an event for each input request: who resumes after it is sent neither it again, nor what came before it."""
    for request, delivered in requests:
        yield replace(event(server, caller, replace(position, delivered=delivered)), message=request)
