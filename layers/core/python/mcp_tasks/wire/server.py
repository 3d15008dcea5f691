"""The endpoint: `handle` checks each HTTP request and dispatches it to the revision that claims it."""

import logging

from mcp_tasks.engine.current_call import note, note_trace
from mcp_tasks.limits.aws import LAST_ATTEMPT
from mcp_tasks.patience import Patience, patient
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import Unavailable, UnreadableItem
from mcp_tasks.wire import cors, jsonrpc
from mcp_tasks.wire.deadline import OutOfTime, deadline
from mcp_tasks.wire.described import described
from mcp_tasks.wire.http import HttpReply, HttpRequest, json_reply
from mcp_tasks.wire.jsonrpc import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    UNSUPPORTED_VERSION,
    Batch,
    Message,
    Request,
    RpcError,
    Unreadable,
    parse,
)
from mcp_tasks.wire.refusals import READS, admitted, come_again, unreadable_item
from mcp_tasks.wire.revision import Exchange, Revision, Server
from mcp_tasks.wire.trace_context import trace_of

logger = logging.getLogger(__name__)

METHODS = ("POST", "GET", "DELETE")


def handle(server: Server, request: HttpRequest, caller: Caller) -> HttpReply:
    """Serve one HTTP request of an authenticated caller, or a CORS preflight request, which needs no authentication."""
    plain = _decoded(request) if "content-encoding" in request.headers else request
    reply = plain if isinstance(plain, HttpReply) else _in_time(server, plain, caller)
    return cors.with_cors_headers(reply, request, server.origins)


def _decoded(request: HttpRequest) -> HttpRequest | HttpReply:
    # Saves a module of every cold start: API Gateway decompresses what it passes on.
    from mcp_tasks.wire.content_encoding import decoded

    return decoded(request)


def _in_time(server: Server, request: HttpRequest, caller: Caller) -> HttpReply:
    try:
        with deadline(server.limit), patient(_patience(server)):
            return _serve(server, request, caller)
    except OutOfTime:
        logger.exception("a request was given up")
        return _out_of_time(server, request, caller)


def _patience(server: Server) -> Patience | None:
    return None if server.limit is None else server.tasks.patience(server.limit - LAST_ATTEMPT)


def _serve(server: Server, request: HttpRequest, caller: Caller) -> HttpReply:
    rejection = _rejection(server, request)
    if rejection is not None:
        return rejection
    message: Message | Batch | None = None
    revision: Revision | None = None
    try:
        message = parse(request.body) if request.method == "POST" else None
        revision = _revision(server, request, message)
        if revision is None:
            return _unsupported(server, request, message)
        note(revision=revision.name, **described(server.features, message, revision.has_method))
        note_trace(trace_of(request, message))
        exchange = admitted(Exchange(server=server, caller=caller, request=request, message=message), revision)
        if caller.approval is not None and isinstance(exchange, Exchange):
            exchange = _within_link(exchange, revision)
        return exchange if isinstance(exchange, HttpReply) else revision.serve(exchange)
    except Unreadable as unreadable:
        return json_reply(jsonrpc.error(unreadable.id, unreadable), status=400)
    except UnreadableItem as error:
        return _internal_error(message, unreadable_item(error, caller).message)
    except Unavailable:
        logger.warning("a request is to come again", exc_info=True, extra={"fallback": "come_again"})
        return come_again(Exchange(server=server, caller=caller, request=request, message=message), revision)
    except Exception:
        logger.exception("a request failed")
        return _internal_error(message)


def _within_link(exchange: Exchange, revision: Revision) -> Exchange | HttpReply:
    # Saves 1 ms of every cold start: few requests come by a link.
    from mcp_tasks.wire.links import within_link

    return within_link(exchange, revision)


def _rejection(server: Server, request: HttpRequest) -> HttpReply | None:
    """Return the reply to a request that HTTP alone decides: a preflight, or a wrong origin, method or media type."""
    origin = request.headers.get("origin")
    if origin is not None and not cors.is_allowed(origin, server.origins):
        return _reject(403, cors.rejection(origin))
    if cors.is_preflight(request):
        return cors.preflight(request)
    if request.method not in METHODS:
        return _reject(405, f"Use one of {', '.join(METHODS)}.", {"allow": ", ".join(METHODS)})
    if request.method == "GET" and not request.accepts("text/event-stream"):
        return _reject(406, "A GET is answered as text/event-stream: list it in Accept.")
    if request.method != "POST":
        return None
    if not request.accepts("application/json", "text/event-stream"):
        return _reject(406, "A POST is answered as application/json or text/event-stream: list both in Accept.")
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return _reject(415, "A POST carries one JSON-RPC message as application/json.")
    return None


def _unsupported(server: Server, request: HttpRequest, message: Message | Batch | None) -> HttpReply:
    """Return the error for a request that no revision claims."""
    supported, requested = server.versions, request.headers.get("mcp-protocol-version")
    if message is None and requested in (None, *supported):
        return _reject(405, "This server takes POST only.", {"allow": "POST"})
    if requested in (None, *supported):
        return _reject(400, f"No supported version has such a request; supported are: {', '.join(supported)}.")
    data = {"supported": supported, "requested": requested}
    error = RpcError(UNSUPPORTED_VERSION, "This protocol version is not supported.", data)
    return json_reply(jsonrpc.error(message.id if isinstance(message, Request) else None, error), status=400)


def _reject(status: int, message: str, headers: dict[str, str] | None = None) -> HttpReply:
    return json_reply(jsonrpc.error(None, RpcError(INVALID_REQUEST, message)), status=status, headers=headers)


def _out_of_time(server: Server, request: HttpRequest, caller: Caller) -> HttpReply:
    """Return the reply to a request that took too long, before the gateway answers with one of its own."""
    try:
        message = parse(request.body) if request.method == "POST" else None
    except Unreadable:
        message = None
    if request.method == "GET" or (isinstance(message, Request) and message.method in READS):
        exchange = Exchange(server=server, caller=caller, request=request, message=message)
        return come_again(exchange, _revision(server, request, message))
    return _internal_error(message, "Internal error: this took too long.")


def _revision(server: Server, request: HttpRequest, message: Message | Batch | None) -> Revision | None:
    return next((each for each in server.revisions if each.claims(request, message)), None)


def _internal_error(message: Message | Batch | None, text: str = "Internal error.") -> HttpReply:
    error = RpcError(INTERNAL_ERROR, text)
    if isinstance(message, Request):
        return json_reply(jsonrpc.error(message.id, error))
    return json_reply(jsonrpc.error(None, error), status=500)
