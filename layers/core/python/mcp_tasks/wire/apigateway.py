"""API Gateway's proxy events: the request in them, who sent it, and the reply."""

import base64
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from mcp_tasks.limits.aws import LONGEST_HOLD, LONGEST_REQUEST
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.wire.http import HttpReply, HttpRequest
from mcp_tasks.wire.revision import Server


def request(event: Mapping[str, Any]) -> HttpRequest:
    """Return the request; a header that came more than once is one list, as RFC 9110 5.3 has it."""
    body = event.get("body") or ""
    headers = event.get("multiValueHeaders") or {name: [value] for name, value in (event.get("headers") or {}).items()}
    return HttpRequest(
        method=event["httpMethod"],
        headers={name.lower(): ", ".join(values) for name, values in headers.items()},
        body=base64.b64decode(body) if event.get("isBase64Encoded") else body.encode(errors="surrogatepass"),
    )


def caller(event: Mapping[str, Any]) -> Caller:
    """Return who the authorizer says is calling: the one place where claims become a caller.

    Raises `KeyError` for an event that no authorizer saw, since that is a mistake of the deployment.
    """
    claims = event["requestContext"]["authorizer"]
    return Caller(
        tenant=claims["tenant"],
        subject=claims["subject"],
        scopes=frozenset(claims.get("scopes", "").split()),
    )


def in_time(server: Server, event: Mapping[str, Any], *, now: datetime) -> Server:
    """Return a server that holds this request no longer than the gateway does, and gives it up before the gateway."""
    began = datetime.fromtimestamp(event["requestContext"]["requestTimeEpoch"] / 1000, UTC)
    gone = max(now - began, timedelta())
    return replace(
        server,
        max_hold=max(min(server.max_hold, LONGEST_HOLD - gone), timedelta()),
        limit=max(LONGEST_REQUEST - gone, timedelta()),
    )


def response(reply: HttpReply) -> dict[str, Any]:
    """Return the reply as API Gateway wants it."""
    return {"statusCode": reply.status, "headers": dict(reply.headers), "body": reply.body}
