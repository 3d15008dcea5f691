"""Requests that AWS had no capacity for, answered on a stream that clients resume by themselves.

    POST tasks/get                ->  id: E0, retry, no data; the connection closes, the stream goes on
    GET, Last-Event-ID: E0        ->  the response to the POST

So a client waits for as long as its own timeout, where an error would be told to its user as that of the task.  It is
for requests that only read: the event id holds the request, and the GET serves it as if it came then.
"""

from dataclasses import replace
from typing import Final

from mcp_tasks.engine.current_call import note
from mcp_tasks.limits.requests import MAX_DEFERRED_CHARACTERS
from mcp_tasks.limits.waits import AVAILABLE_AGAIN
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire import jsonrpc
from mcp_tasks.wire.http import HttpReply
from mcp_tasks.wire.jsonrpc import Request, Unreadable
from mcp_tasks.wire.refusals import READS
from mcp_tasks.wire.rev_2025_11_25 import event_ids
from mcp_tasks.wire.rev_2025_11_25.event_ids import EventId, Kind
from mcp_tasks.wire.rev_2025_11_25.server import SessionExchange
from mcp_tasks.wire.sse import KIND, Event, sse_reply, stream_reply

SESSION: Final = "mcp-session-id"


def defer(exchange: SessionExchange) -> HttpReply | None:
    """Return a stream that carries the response to the request later, or None where it can have none."""
    message, session = exchange.message, exchange.request.headers.get(SESSION)
    if not isinstance(message, Request) or message.method not in READS or session is None:
        return None
    request: dict[str, JSON] = {"id": message.id, "method": message.method, "params": message.params}
    position: dict[str, JSON] = {"session": session, "request": request}
    event_id = event_ids.sign(exchange.server, exchange.caller, Kind.REQUEST, position)
    if len(event_id) > MAX_DEFERRED_CHARACTERS:
        return None
    note(reason="unavailable")
    return sse_reply([Event(id=event_id, retry=AVAILABLE_AGAIN)])


def deferred(exchange: SessionExchange, last: EventId) -> SessionExchange | None:
    """Return the exchange with the request that an event id holds, or None if it is another session's."""
    if last.position.get("session") != exchange.request.headers.get(SESSION):
        return None
    try:
        message = jsonrpc.message({"jsonrpc": "2.0", **last.position["request"]})
    except (KeyError, TypeError, Unreadable):
        # A newer release has other fields.
        return None
    return replace(exchange, message=message, request=replace(exchange.request, method="POST"))


def on_stream(reply: HttpReply) -> HttpReply:
    """Return the reply to a POST as that to a GET."""
    if reply.status != 200 or reply.headers["content-type"] == KIND:
        return reply
    return stream_reply(f"data: {reply.body}\n\n")
