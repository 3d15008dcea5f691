"""Serves one HTTP request of this revision: finds the session, then handles its message or its stream."""

import logging
from collections.abc import Callable, Sequence
from datetime import timedelta

from mcp_tasks.authoring.errors import MissingCapability
from mcp_tasks.authoring.wording import quoted_name, short
from mcp_tasks.engine.current_call import note_refusal
from mcp_tasks.fallbacks import report_unreadable
from mcp_tasks.limits.requests import MAX_QUOTED_NAME_CHARACTERS
from mcp_tasks.ports.storage import Storage
from mcp_tasks.tasks.errors import Unavailable, UnreadableItem
from mcp_tasks.wire import authorization, jsonrpc
from mcp_tasks.wire.authorization import InsufficientScope
from mcp_tasks.wire.http import HttpReply, json_reply
from mcp_tasks.wire.jsonrpc import (
    INVALID_REQUEST,
    UNSUPPORTED_VERSION,
    Batch,
    HandlerError,
    Message,
    Notification,
    Request,
    Response,
    RpcError,
)
from mcp_tasks.wire.refusals import headers_of
from mcp_tasks.wire.rev_2025_11_25 import (
    batch,
    deferral,
    event_ids,
    handshake,
    input_requests,
    listening_stream,
    methods,
    params,
    response_stream,
    url_elicitation,
)
from mcp_tasks.wire.rev_2025_11_25.adapters import session_store
from mcp_tasks.wire.rev_2025_11_25.call import Call
from mcp_tasks.wire.rev_2025_11_25.cancellation import cancel_request
from mcp_tasks.wire.rev_2025_11_25.event_ids import EventId, Kind
from mcp_tasks.wire.rev_2025_11_25.recent_sessions import RecentSessions
from mcp_tasks.wire.rev_2025_11_25.server import SessionExchange
from mcp_tasks.wire.rev_2025_11_25.sessions import Session
from mcp_tasks.wire.rev_2025_11_25.versions import VERSIONS
from mcp_tasks.wire.revision import Exchange
from mcp_tasks.wire.sse import Event, sse_reply

logger = logging.getLogger(__name__)

SESSION = "mcp-session-id"

LOG_MESSAGE = "notifications/message"

ENDED = "This stream has ended, or there never was such a stream."

BACKOFF = timedelta(seconds=5)
"""After how long a client resumes a stream on which an unexpected error occurred."""


class HttpRejection(Exception):
    """The request is rejected with an HTTP error status."""

    def __init__(self, status: int, error: RpcError) -> None:
        """Reject with a status, and with an error as the body."""
        super().__init__(str(error))
        self.status = status
        self.error = error


def serving(storage: Storage) -> Callable[[Exchange], HttpReply]:
    """Return what serves the requests of this revision in this process; their sessions are kept in the storage."""
    store, recent = session_store(storage), RecentSessions()
    return lambda exchange: _reply(SessionExchange.of(exchange, store, recent))


def _reply(exchange: SessionExchange) -> HttpReply:
    request_id = exchange.message.id if isinstance(exchange.message, Request) else None
    try:
        return _serve(exchange)
    except InsufficientScope as error:
        return authorization.rejection(exchange.server, request_id, error)
    except HttpRejection as rejection:
        return json_reply(jsonrpc.error(request_id, rejection.error), status=rejection.status)
    except RpcError as error:
        return json_reply(jsonrpc.error(request_id, error), headers=headers_of(error))
    except MissingCapability as error:
        return json_reply(jsonrpc.error(request_id, RpcError(INVALID_REQUEST, str(error))))


def _serve(exchange: SessionExchange) -> HttpReply:
    message = exchange.message
    if isinstance(message, Request) and message.method == "initialize":
        return handshake.initialize(exchange, message)
    _check_version(exchange)
    if isinstance(message, Request) and message.method == "ping" and SESSION not in exchange.request.headers:
        return handshake.ping(message)
    if exchange.request.method == "GET":
        return _listen(exchange)
    if isinstance(message, Batch):
        return _serve_batch(exchange, message)
    return _serve_message(exchange, _session(exchange), message)


def _serve_batch(exchange: SessionExchange, messages: Batch) -> HttpReply:
    version = _session(exchange).version if SESSION in exchange.request.headers else None
    rejected = batch.rejection(messages, version)
    if rejected is not None:
        raise HttpRejection(400, rejected)
    return batch.serve(exchange, messages, _reply)


def _serve_message(exchange: SessionExchange, session: Session, message: Message | None) -> HttpReply:
    match message:
        case Request():
            return _answer(exchange, session, message)
        case Notification():
            return _receive_notification(exchange, session, message)
        case Response():
            return _receive_response(exchange, message)
        case None:
            exchange.server.sessions.end(exchange.caller, session)
            return HttpReply(status=204)


def _check_version(exchange: SessionExchange) -> None:
    named = exchange.request.headers.get("mcp-protocol-version")
    if named is not None and named not in VERSIONS:
        data = {"supported": exchange.server.versions, "requested": short(named, MAX_QUOTED_NAME_CHARACTERS)}
        raise HttpRejection(400, RpcError(UNSUPPORTED_VERSION, f"Version {quoted_name(named)} is not supported.", data))


def _session(exchange: SessionExchange) -> Session:
    named = exchange.request.headers.get(SESSION)
    if named is None:
        raise HttpRejection(
            400, RpcError(INVALID_REQUEST, "Send the Mcp-Session-Id that `initialize` was answered with.")
        )
    sessions = exchange.server.sessions
    # Streams are short so that they end with their session, and a GET costs far more than a read.
    find = sessions.find_recent if exchange.request.method == "POST" else sessions.find
    session = find(exchange.caller, named)
    if session is None:
        note_refusal("unknown_session")
        raise HttpRejection(
            404, RpcError(INVALID_REQUEST, "There is no such session any more: send `initialize` again.")
        )
    return session


def _answer(exchange: SessionExchange, session: Session, request: Request) -> HttpReply:
    call = Call(server=exchange.server, caller=exchange.caller, session=session, id=request.id, params=request.params)
    try:
        answer = methods.find(call, request.method)(call)
    except HandlerError as error:
        url_elicitation.expect_completions_of(exchange.server, exchange.caller, session, error)
        raise
    if isinstance(answer, list):
        return _stream(exchange, session, answer)
    return json_reply(jsonrpc.result(request.id, answer))


def _stream(exchange: SessionExchange, session: Session, events: Sequence[Event]) -> HttpReply:
    """Return the events as a stream, without notifications but log messages if the session is silent."""
    if exchange.server.sessions.is_silent(session):
        may_pass = (None, LOG_MESSAGE)
        events = [each for each in events if each.message is None or each.message.get("method") in may_pass]
    return sse_reply(events)


def _receive_notification(exchange: SessionExchange, session: Session, notification: Notification) -> HttpReply:
    if notification.method == "notifications/initialized":
        exchange.server.sessions.set_initialized(exchange.caller, session)
    if notification.method == "notifications/cancelled":
        try:
            request_id = params.cancelled(notification.params)
        except RpcError:
            # "Receivers [...] SHOULD ignore malformed notifications"  -- 2025-11-25, Cancellation, Error Handling
            request_id = None
        if request_id is not None:
            authorization.check_method(exchange.server, exchange.caller, notification.method)
            cancel_request(exchange.server, exchange.caller, session, request_id)
    return HttpReply(status=202)


def _receive_response(exchange: SessionExchange, response: Response) -> HttpReply:
    try:
        input_requests.receive(exchange.server, exchange.caller, response)
    except RpcError as error:
        # "If the server cannot accept the input, it MUST return an HTTP error status code"  -- Transports, Sending
        raise HttpRejection(400, error) from error
    return HttpReply(status=202)


def _listen(exchange: SessionExchange) -> HttpReply:
    server, caller, session = exchange.server, exchange.caller, _session(exchange)
    named = exchange.request.headers.get("last-event-id")
    if named is not None and named.startswith(deferral.PREFIX):
        again = deferral.deferred(exchange, named)
        return _no_stream(ENDED) if again is None else deferral.on_stream(_reply(again))
    last = None if named is None else event_ids.verify(server, caller, named)
    if named is not None and last is not None and last.kind is Kind.RESPONSE:
        return _resume(exchange, session, named, last)
    place = listening_stream.begin(session) if named is None else last and listening_stream.resumed(session, last)
    if place is None:
        return _no_stream(ENDED)
    if not listening_stream.is_offered(server, session):
        return _no_stream("There is nothing to listen to: GET resumes the stream of a POST, by Last-Event-ID.")
    return _stream(exchange, session, listening_stream.listen(server, caller, session, place))


def _resume(exchange: SessionExchange, session: Session, named: str, last: EventId) -> HttpReply:
    try:
        events = response_stream.resume(exchange.server, exchange.caller, session, last)
    except response_stream.StreamEnded:
        return _no_stream(ENDED)
    except (InsufficientScope, Unavailable):
        raise
    except UnreadableItem as unreadable:
        report_unreadable("a stream backs off", unreadable, owner_key=exchange.caller.owner_key)
        events = [Event(id=named, retry=BACKOFF)]
    except Exception:
        # Clients give up after two resumptions that fail, and the task may last for hours: resume here, but later.
        logger.exception("a stream backs off", extra={"fallback": "stream_backs_off"})
        events = [Event(id=named, retry=BACKOFF)]
    return _stream(exchange, session, events)


def _no_stream(message: str) -> HttpReply:
    # 405 is the one rejection that clients take for an answer here: they stop, where another status makes them retry.
    error = jsonrpc.error(None, RpcError(INVALID_REQUEST, message))
    return json_reply(error, status=405, headers={"allow": "POST, DELETE"})
