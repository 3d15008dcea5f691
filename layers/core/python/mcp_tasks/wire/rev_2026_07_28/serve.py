"""Serves one HTTP request of this revision: validates the envelope, calls the method and renders the reply."""

from collections.abc import Mapping

from mcp_tasks.authoring.text import LEVELS
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire import authorization, jsonrpc
from mcp_tasks.wire.authorization import InsufficientScope
from mcp_tasks.wire.fields import one_of, optional
from mcp_tasks.wire.http import HttpReply, json_reply
from mcp_tasks.wire.jsonrpc import INVALID_REQUEST, Batch, Request, RpcError
from mcp_tasks.wire.refusals import headers_of
from mcp_tasks.wire.rev_2026_07_28 import envelope, methods, url_elicitation
from mcp_tasks.wire.rev_2026_07_28.call import Answer, Call, Streamed
from mcp_tasks.wire.rev_2026_07_28.claim import NAME, meta
from mcp_tasks.wire.rev_2026_07_28.errors import status_of
from mcp_tasks.wire.revision import Exchange
from mcp_tasks.wire.sse import Event, sse_reply


def serve(exchange: Exchange) -> HttpReply:
    """Serve a request; notifications are accepted and ignored, since this revision defines none from clients."""
    message = exchange.message
    if message is None or isinstance(message, Batch):
        return _without_message(message)
    if not isinstance(message, Request):
        return HttpReply(status=202)
    try:
        invalid = envelope.validation_error(exchange.request, message, exchange.server.versions)
        if invalid is not None:
            raise invalid
        call = _call(exchange, message)
        return _reply(call, url_elicitation.answer(call, methods.find(call)))
    except InsufficientScope as error:
        return authorization.rejection(exchange.server, message.id, error)
    except RpcError as error:
        return json_reply(jsonrpc.error(message.id, error), status=status_of(error), headers=headers_of(error))


def _without_message(batch: Batch | None) -> HttpReply:
    if batch is not None:
        return _reject(400, f"Version {NAME} has no batches: POST one request at a time.")
    # "If the server does not support GET or DELETE, it MUST respond with 405"  -- Streamable HTTP
    reason = "no sessions and no streams to GET: POST `subscriptions/listen` for notifications of changes"
    return _reject(405, f"Version {NAME} has {reason}.", {"allow": "POST"})


def _reject(status: int, reason: str, headers: Mapping[str, str] | None = None) -> HttpReply:
    return json_reply(jsonrpc.error(None, RpcError(INVALID_REQUEST, reason)), status=status, headers=headers)


def _call(exchange: Exchange, message: Request) -> Call:
    fields = meta(message)
    return Call(
        server=exchange.server,
        caller=exchange.caller,
        request=exchange.request,
        id=message.id,
        method=message.method,
        params=message.params,
        capabilities=fields[envelope.CAPABILITIES],
        log_level=optional(fields, envelope.LOG_LEVEL, one_of(LEVELS), within="_meta."),
    )


def _reply(call: Call, answer: Answer) -> HttpReply:
    streamed = answer if isinstance(answer, Streamed) else Streamed(notifications=(), result=answer)
    result = _result(call, streamed.result)
    if not streamed.notifications:
        return json_reply(result)
    first, *others = streamed.notifications
    events = [Event(message=first, retry=streamed.retry), *(Event(message=each) for each in (*others, result))]
    return sse_reply(events, headers={"x-accel-buffering": "no"})


def _result(call: Call, result: Mapping[str, JSON]) -> dict[str, JSON]:
    # The whole `Implementation` in server/discover alone, name and version elsewhere: icons may be long.
    about = call.server.about if call.method == "server/discover" else {}
    server = {**call.server.name_and_version, **about}
    return jsonrpc.result(call.id, {**result, "_meta": {**result.get("_meta", {}), envelope.SERVER_INFO: server}})
