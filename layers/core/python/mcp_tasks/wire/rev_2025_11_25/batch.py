"""JSON-RPC batches, for sessions of version 2025-03-26, which alone has them.

The messages are served in order, each as if it had come alone: an error of one does not affect the others.  They share
the time for which one HTTP request may be held.  -- 2025-03-26, Transports, Sending Messages to the Server
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Final

from mcp_tasks.limits.requests import MAX_BATCH_MESSAGES
from mcp_tasks.tasks.errors import Unavailable, UnreadableItem
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire import jsonrpc
from mcp_tasks.wire.http import HttpReply, json_reply
from mcp_tasks.wire.jsonrpc import INTERNAL_ERROR, INVALID_REQUEST, Batch, Message, Request, RpcError, Unreadable
from mcp_tasks.wire.refusals import unavailable, unreadable_item
from mcp_tasks.wire.rev_2025_11_25.server import SessionExchange
from mcp_tasks.wire.sse import KIND, stream_reply

logger = logging.getLogger(__name__)

VERSION: Final = "2025-03-26"


def rejection(batch: Batch, version: str | None) -> RpcError | None:
    """Return the error that rejects a batch as a whole, in a session of this version or, if None, outside of any."""
    if version is None:
        return RpcError(INVALID_REQUEST, f"Batches are for sessions of version {VERSION}: POST one message at a time.")
    if version != VERSION:
        return RpcError(INVALID_REQUEST, f"Version {version} has no batches: POST one message at a time.")
    if not batch.messages:
        return RpcError(INVALID_REQUEST, "The batch is empty: POST at least one message.")
    if len(batch.messages) > MAX_BATCH_MESSAGES:
        reason = f"Batches have at most {MAX_BATCH_MESSAGES} messages, and this one has {len(batch.messages)}."
        return RpcError(INVALID_REQUEST, reason)
    return None


def serve(exchange: SessionExchange, batch: Batch, serve_one: Callable[[SessionExchange], HttpReply]) -> HttpReply:
    """Serve the messages one after another, and return all their responses as one HTTP reply."""
    messages = [_read(each) for each in batch.messages]
    replies = list(_replies(exchange, messages, serve_one))
    bodies = [reply for reply in replies if reply.body]
    if any(reply.headers["content-type"] == KIND for reply in bodies):
        return stream_reply("".join(map(_as_events, bodies)))
    if not bodies:
        return HttpReply(status=202)
    # "If the server cannot accept the input, it MUST return an HTTP error status code", where nothing was requested.
    requested = any(isinstance(each, Request) for each in messages)
    body = f"[{','.join(reply.body for reply in bodies)}]"
    return HttpReply(status=200 if requested else 400, headers={"content-type": "application/json"}, body=body)


def _read(value: JSON) -> Message | Unreadable:
    try:
        return jsonrpc.message(value)
    except Unreadable as unreadable:
        return unreadable


def _replies(
    exchange: SessionExchange,
    messages: Iterable[Message | Unreadable],
    serve_one: Callable[[SessionExchange], HttpReply],
) -> Iterator[HttpReply]:
    clock = exchange.server.tasks.now
    deadline = clock() + exchange.server.max_hold
    for message in messages:
        if isinstance(message, Unreadable):
            yield json_reply(jsonrpc.error(message.id, message))
            continue
        left = max(deadline - clock(), timedelta())
        alone = replace(exchange, message=message, server=replace(exchange.server, max_hold=left))
        yield _reply(alone, message, serve_one)


def _reply(alone: SessionExchange, message: Message, serve_one: Callable[[SessionExchange], HttpReply]) -> HttpReply:
    if isinstance(message, Request) and message.method == "initialize":
        # "The `initialize` request MUST NOT be part of a JSON-RPC batch"  -- 2025-03-26, Lifecycle, Initialization
        return json_reply(jsonrpc.error(message.id, RpcError(INVALID_REQUEST, "`initialize` comes alone.")))
    error: RpcError
    try:
        return serve_one(alone)
    except UnreadableItem as met:
        error = unreadable_item(met, alone.caller)
    except Unavailable:
        error = unavailable()
    except Exception:
        logger.exception("a message of a batch failed")
        error = RpcError(INTERNAL_ERROR, "Internal error.")
    return json_reply(jsonrpc.error(message.id if isinstance(message, Request) else None, error))


def _as_events(reply: HttpReply) -> str:
    return reply.body if reply.headers["content-type"] == KIND else f"data: {reply.body}\n\n"
