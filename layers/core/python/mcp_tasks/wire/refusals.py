"""How limits are told to clients: those of a tenant, and that AWS has no capacity.

A request is refused by a JSON-RPC error with status 200, and `Retry-After`: on another status the Python client 1.x
ends its session with all that runs in it, and the TypeScript client drops what the error says.  A stream is never
refused: clients give up those that fail twice, so one is answered at once, with the time after which to resume it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from mcp_tasks.engine.admission import seconds
from mcp_tasks.engine.current_call import note_refusal
from mcp_tasks.fallbacks import report_unreadable
from mcp_tasks.limits.requests import MAX_BATCH_MESSAGES, MAX_SIGNED_CHARACTERS
from mcp_tasks.limits.waits import ADMITTED_AGAIN, AVAILABLE_AGAIN
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import LimitReached, TenantSuspended, UnreadableItem
from mcp_tasks.tasks.model import JSON
from mcp_tasks.tasks.plan import Plan
from mcp_tasks.wire import jsonrpc
from mcp_tasks.wire.http import HttpReply, HttpRequest, json_reply
from mcp_tasks.wire.jsonrpc import INTERNAL_ERROR, Batch, Message, Request, RpcError
from mcp_tasks.wire.revision import Exchange, Revision
from mcp_tasks.wire.sse import Event, sse_reply

LIMIT_REACHED: Final = -31050
"""A code of this server: "outside the JSON-RPC reserved range (-32768 to -32000)".  -- 2026-07-28, Error Codes"""

UNAVAILABLE: Final = -31052
"""Another one: nothing was done, and the same request may succeed soon.  -32603 would say that a task failed."""

READS: Final = frozenset({"tasks/get", "tasks/list", "tasks/result"})
"""Methods of which a request that was interrupted did nothing."""

RETRY_AFTER: Final = "retry-after"


class Refusal(RpcError):
    """An error that says which limit was reached, and when to try again."""

    def __init__(self, message: str, data: Mapping[str, JSON], code: int = LIMIT_REACHED) -> None:
        """Take the words, and the data with `reason`."""
        super().__init__(code, message, dict(data))
        self.headers = {RETRY_AFTER: str(data["retryAfter"])} if "retryAfter" in data else {}


def refusal(error: LimitReached | TenantSuspended) -> Refusal:
    """Return the error as clients are told it."""
    match error:
        case LimitReached():
            note_refusal(error.reason)
            return Refusal(f"{error.what_to_do}: {error}.", described(error))
        case _:
            note_refusal("tenant_suspended")
            suspended = {"reason": "tenant_suspended", "retryAfter": seconds(ADMITTED_AGAIN)}
            return Refusal(f"Not served: {error}.", suspended)


def withheld(scopes: Sequence[str]) -> Refusal:
    """Return the error for a request that needs scopes which no token gives a caller of this tenant."""
    named = " ".join(scopes)
    note_refusal("scopes")
    return Refusal(f"This tenant's plan leaves out scopes: {named}.", {"reason": "scopes", "scope": named})


def unavailable() -> Refusal:
    """Return the error for a request that did nothing, since AWS had no capacity for it."""
    note_refusal("unavailable")
    wait = seconds(AVAILABLE_AGAIN)
    words = f"The server has no capacity at present, and did nothing: send this again in {wait} seconds."
    return Refusal(words, {"reason": "unavailable", "retryAfter": wait}, UNAVAILABLE)


def come_again(exchange: Exchange, revision: Revision | None) -> HttpReply:
    """Return the reply to a request that did nothing, since AWS had no capacity for it; calls nothing of AWS."""
    has_sessions = revision is not None and revision.has_streams
    if has_sessions and exchange.request.method == "GET":
        return later(exchange.request, AVAILABLE_AGAIN)
    if revision is not None and (deferred := revision.defer(exchange)) is not None:
        return deferred
    message, error = exchange.message, unavailable()
    if not isinstance(message, Request):
        return json_reply(jsonrpc.error(None, error), status=503, headers=error.headers)
    # As at the top: 503 would end the session of the Python client 1.x, with all that runs in it.
    return json_reply(jsonrpc.error(message.id, error), status=200 if has_sessions else 503, headers=error.headers)


def described(error: LimitReached) -> dict[str, JSON]:
    """Return which limit was reached, its value, what is left of it, and when to try again."""
    return {
        "reason": error.reason,
        "limit": error.limit,
        "remaining": error.remaining,
        "retryAfter": seconds(error.retry_after),
    }


def unreadable_item(error: UnreadableItem, caller: Caller) -> RpcError:
    """Return the error for a request that met an item which cannot be read, and log it once."""
    report_unreadable("a request is refused", error, owner_key=caller.owner_key)
    return RpcError(INTERNAL_ERROR, f"Internal error: {error.for_client}")


def headers_of(error: RpcError) -> Mapping[str, str]:
    """Return the headers of the reply that carries an error."""
    return error.headers if isinstance(error, Refusal) else {}


def admitted(exchange: Exchange, revision: Revision) -> Exchange | HttpReply:
    """Return a request as the tenant's plan leaves it, or the reply to one that is not served."""
    message = exchange.message
    is_stream = exchange.request.method == "GET" and revision.has_streams
    try:
        # Pings say that a server lives, notifications have no reply, and the end of a session lowers the load.
        refusable = is_stream or isinstance(message, Batch) or _is_call(message)
        plan = exchange.server.admission.admit(exchange.caller, _count(message), refusable=refusable)
    except (LimitReached, TenantSuspended) as error:
        refused = refusal(error)
        if is_stream:
            return later(exchange.request, error.retry_after if isinstance(error, LimitReached) else ADMITTED_AGAIN)
        return _refused(message, refused, status=429 if isinstance(error, LimitReached) else 403)
    except UnreadableItem as unreadable:
        if not is_stream:
            raise
        report_unreadable("a stream is told to come later", unreadable, owner_key=exchange.caller.owner_key)
        return later(exchange.request, ADMITTED_AGAIN)
    return _within(exchange, plan)


def _within(exchange: Exchange, plan: Plan) -> Exchange:
    """Return the exchange with the scopes and tools that a plan leaves."""
    if plan.scopes is not None:
        caller = replace(exchange.caller, scopes=exchange.caller.scopes & plan.scopes)
        exchange = replace(exchange, caller=caller, server=replace(exchange.server, plan_scopes=plan.scopes))
    if plan.tools is not None:
        server = exchange.server
        exchange = replace(exchange, server=replace(server, features=server.features.within(plan.tools)))
    return exchange


def _is_call(message: Message | Batch | None) -> bool:
    return isinstance(message, Request) and message.method != "ping"


def _count(message: Message | Batch | None) -> int:
    return max(1, min(len(message.messages), MAX_BATCH_MESSAGES)) if isinstance(message, Batch) else 1


def _refused(message: Message | Batch | None, error: Refusal, *, status: int) -> HttpReply:
    """Return the error; what is no single request has a status of its own, since it has no response."""
    if isinstance(message, Request):
        return json_reply(jsonrpc.error(message.id, error), headers=error.headers)
    return json_reply(jsonrpc.error(None, error), status=status, headers=error.headers)


def later(request: HttpRequest, wait: timedelta) -> HttpReply:
    """Return a stream that says when to resume it, from the event that the client named."""
    named = request.headers.get("last-event-id", "")
    is_id = 0 < len(named) <= MAX_SIGNED_CHARACTERS and named.isascii() and named.isprintable()
    return sse_reply([Event(id=named if is_id else None, retry=timedelta(seconds=seconds(wait)))])
