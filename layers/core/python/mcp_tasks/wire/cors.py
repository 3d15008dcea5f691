"""CORS for web pages of allowed origins: answers to preflight requests, and the headers that let a page read a reply.

The server uses no cookies, so credentials are not allowed: a page sends its token in a header.  -- Fetch, CORS protocol
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Final

from mcp_tasks.authoring.wording import quoted_name
from mcp_tasks.limits.requests import MAX_HEADER_NAMES
from mcp_tasks.limits.waits import PREFLIGHT_SECONDS
from mcp_tasks.wire.http import HttpReply, HttpRequest

METHODS: Final = "POST, GET, DELETE"

ALLOWED_HEADERS: Final = frozenset(
    {
        *("authorization", "content-type", "accept", "last-event-id"),
        *("mcp-session-id", "mcp-protocol-version", "mcp-method", "mcp-name"),
    }
)
"""The request headers that pages may send, beside those that repeat the arguments of a tool."""

ALLOWED_HEADER_PREFIX: Final = "mcp-param-"
EXPOSED_HEADERS: Final = "Mcp-Session-Id, Retry-After, WWW-Authenticate"


NAME: Final = re.compile(r"[a-z0-9-]{1,128}")
ORIGIN: Final = re.compile(
    r"null|[a-z][a-z0-9+.-]{0,63}://([a-z0-9_.-]{0,255}|\[[0-9a-f:.]{2,45}\])(:[0-9]{1,5})?", re.ASCII | re.IGNORECASE
)
"""Scheme, host and port alone: a `*` in a pattern must not match across a path or user info.  -- RFC 6454, 6.2"""


def is_allowed(origin: str, patterns: Iterable[str]) -> bool:
    """Return whether the origin matches one of the allowed patterns."""
    return ORIGIN.fullmatch(origin) is not None and any(fnmatchcase(origin, _starred(each)) for each in patterns)


def _starred(pattern: str) -> str:
    """Escape all wildcards of `fnmatch` but the star: brackets are those of an IPv6 address."""
    return pattern.replace("[", "[[]").replace("?", "[?]")


def rejection(origin: str) -> str:
    """Return the error message for an origin that is not allowed."""
    return f"Requests from the origin {quoted_name(origin)} are not allowed."


def is_preflight(request: HttpRequest) -> bool:
    """Return whether the request is a CORS preflight request."""
    return request.method == "OPTIONS" and {"origin", "access-control-request-method"} <= request.headers.keys()


def preflight(request: HttpRequest) -> HttpReply:
    """Answer a preflight request from an allowed origin with the methods and headers that it may send."""
    requested = request.headers.get("access-control-request-headers", "").lower().split(",")[:MAX_HEADER_NAMES]
    # Headers that repeat a tool's arguments have names of the tool's own.
    custom = [name for name in map(str.strip, requested) if name.startswith(ALLOWED_HEADER_PREFIX)]
    headers = {
        "access-control-allow-methods": METHODS,
        "access-control-allow-headers": ", ".join(sorted(ALLOWED_HEADERS | set(filter(NAME.fullmatch, custom)))),
        "access-control-max-age": str(PREFLIGHT_SECONDS),
    }
    return HttpReply(status=204, headers=headers)


def with_cors_headers(reply: HttpReply, request: HttpRequest, patterns: Iterable[str]) -> HttpReply:
    """Add the CORS headers to a reply if the request came from an allowed origin."""
    added = cors_headers(request.headers, patterns)
    return replace(reply, headers={**reply.headers, **added}) if added else reply


def cors_headers(headers: Mapping[str, str], patterns: Iterable[str]) -> dict[str, str]:
    """Return the CORS headers for a reply to a request with these headers; empty if its origin is not allowed."""
    origin = headers.get("origin")
    if origin is None or not is_allowed(origin, patterns):
        return {}
    # Without `vary` a cache could serve one origin the reply that another may read.
    return {"access-control-allow-origin": origin, "access-control-expose-headers": EXPOSED_HEADERS, "vary": "Origin"}
