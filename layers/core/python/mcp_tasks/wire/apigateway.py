"""Converts API Gateway's proxy events to requests and callers, and replies to proxy responses."""

import base64
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from mcp_tasks.limits.aws import LONGEST_HOLD, LONGEST_REQUEST, LONGEST_WAY
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.wire.http import HttpReply, HttpRequest
from mcp_tasks.wire.revision import Server

GZIP: Final = b"\x1f\x8b"
"""The first bytes of what gzip compressed; no JSON begins with them."""


def request(event: Mapping[str, Any]) -> HttpRequest:
    """Return the HTTP request of a proxy event; repeated headers are joined into one list (RFC 9110 5.3)."""
    body = event.get("body") or ""
    given = event.get("multiValueHeaders") or {name: [value] for name, value in (event.get("headers") or {}).items()}
    headers: dict[str, list[str]] = {}
    for name, values in given.items():
        # A name that comes twice is one name, however it is written: otherwise the last one would hide the first.
        headers.setdefault(name.lower(), []).extend(values)
    plain = base64.b64decode(body) if event.get("isBase64Encoded") else body.encode(errors="surrogatepass")
    if not plain.startswith(GZIP):
        # API Gateway has decompressed the body, or rejected its coding.
        headers.pop("content-encoding", None)
    return HttpRequest(
        method=event["httpMethod"],
        headers={name: ", ".join(values) for name, values in headers.items()},
        body=plain,
    )


def caller(event: Mapping[str, Any]) -> Caller:
    """Return the caller whom the authorizer put into the event's request context.

    Raises `KeyError` for an event without an authorizer: a mistake of the deployment, which must not pass for anybody.
    """
    claims = event["requestContext"]["authorizer"]
    if "approval" in claims:
        return Caller(
            tenant=claims["tenant"],
            subject=claims["linked_subject"],
            approval=claims["approval"],
            # The authorizer of the release before says neither.
            link=claims.get("link"),
            until=datetime.fromisoformat(claims["until"]) if "until" in claims else None,
        )
    return Caller(
        tenant=claims["tenant"],
        subject=claims["subject"],
        scopes=frozenset(claims.get("scopes", "").split()),
        roles=frozenset(json.loads(claims.get("roles", "[]"))),
        actor=json.loads(claims["actor"]) if "actor" in claims else None,
        client_id=claims.get("client"),
    )


def with_time_limits(server: Server, event: Mapping[str, Any], *, now: datetime) -> Server:
    """Return a server whose limits for this one request end before API Gateway's integration timeout does.

    API Gateway counts from when it received the request, so a cold start shortens what is left.
    """
    elapsed = _elapsed(event["requestContext"].get("requestTimeEpoch"), now)
    return replace(
        server,
        max_hold=max(min(server.max_hold, LONGEST_HOLD - elapsed), timedelta()),
        limit=max(LONGEST_REQUEST - elapsed, timedelta()),
    )


def _elapsed(received: Any, now: datetime) -> timedelta:
    """Return how long ago the gateway received a request, by its clock and ours; nothing where they differ too much.

    A clock that is wrong must refuse no request.
    """
    ago = now.timestamp() - received / 1000 if isinstance(received, int | float) else 0
    return timedelta(seconds=ago) if 0 < ago <= LONGEST_WAY.total_seconds() else timedelta()


def response(reply: HttpReply) -> dict[str, Any]:
    """Return the reply in the format of a Lambda proxy integration."""
    return {"statusCode": reply.status, "headers": dict(reply.headers), "body": reply.body}
