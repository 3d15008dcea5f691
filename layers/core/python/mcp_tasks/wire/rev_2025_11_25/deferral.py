"""Requests that AWS had no capacity for, answered on a stream that clients resume by themselves.

    POST tasks/get                ->  id: E0, retry, no data; the connection closes, the stream goes on
    GET, Last-Event-ID: E0        ->  the response to the POST

So a client waits for as long as its own timeout, where an error would be told to its user as that of the task.  It is
for requests that only read: the event id holds the request, and the GET serves it as if it came then, to whoever sends
it.  So the id needs no signature, whose key might be read in vain, too.
"""

import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import replace
from typing import Final

from mcp_tasks.engine.current_call import note_refusal
from mcp_tasks.limits.requests import MAX_DEFERRED_CHARACTERS
from mcp_tasks.limits.waits import AVAILABLE_AGAIN
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire import jsonrpc
from mcp_tasks.wire.http import HttpReply, written
from mcp_tasks.wire.jsonrpc import Request, Unreadable
from mcp_tasks.wire.refusals import READS
from mcp_tasks.wire.rev_2025_11_25.server import SessionExchange
from mcp_tasks.wire.revision import Exchange
from mcp_tasks.wire.sse import KIND, Event, sse_reply, stream_reply

SALT: Final = "salt"
"""No two ids are the same, since ids are unique across the streams of a session."""

PREFIX: Final = "request."


def defer(exchange: Exchange) -> HttpReply | None:
    """Return a stream that carries the response to the request later, or None where it can have none."""
    message = exchange.message
    if not isinstance(message, Request) or message.method not in READS:
        return None
    fields: dict[str, JSON] = {"id": message.id, "method": message.method, "params": message.params}
    request = written({"jsonrpc": "2.0", **fields, SALT: secrets.token_hex(4)})
    event_id = PREFIX + urlsafe_b64encode(request.encode()).decode()
    if len(event_id) > MAX_DEFERRED_CHARACTERS:
        return None
    note_refusal("unavailable")
    return sse_reply([Event(id=event_id, retry=AVAILABLE_AGAIN)])


def deferred(exchange: SessionExchange, event_id: str) -> SessionExchange | None:
    """Return the exchange with the request that an event id holds, or None if it holds none that only reads."""
    if len(event_id) > MAX_DEFERRED_CHARACTERS:
        return None
    try:
        message = jsonrpc.parse(urlsafe_b64decode(event_id.removeprefix(PREFIX)))
    except (ValueError, Unreadable):
        return None
    if not isinstance(message, Request) or message.method not in READS:
        return None
    return replace(exchange, message=message, request=replace(exchange.request, method="POST"))


def on_stream(reply: HttpReply) -> HttpReply:
    """Return the reply to a POST as that to a GET."""
    if reply.status != 200 or reply.headers["content-type"] == KIND:
        return reply
    return stream_reply(f"data: {reply.body}\n\n")
