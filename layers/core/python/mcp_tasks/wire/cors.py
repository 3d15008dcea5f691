"""Web pages of allowed origins: what their browsers ask before they let them call, and want to read in the answers.

No cookies are involved, so no credentials are allowed: a page sends its token in a header.  -- Fetch, CORS protocol
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
"""What pages may send; headers that repeat arguments have names of the tools' own."""

ALLOWED_HEADER_PREFIX: Final = "mcp-param-"
EXPOSED_HEADERS: Final = "Mcp-Session-Id, WWW-Authenticate"


NAME: Final = re.compile(r"[a-z0-9-]{1,128}")
ORIGIN: Final = re.compile(
    r"null|[a-z][a-z0-9+.-]{0,63}://([a-z0-9_.-]{0,255}|\[[0-9a-f:.]{2,45}\])(:[0-9]{1,5})?", re.ASCII | re.IGNORECASE
)
"""Scheme, host and port; in a path or a user a `*` could find the rest of its pattern.  -- RFC 6454, 6.2"""


def is_allowed(origin: str, patterns: Iterable[str]) -> bool:
    """Tell whether the pages of an origin may call."""
    return ORIGIN.fullmatch(origin) is not None and any(fnmatchcase(origin, _starred(each)) for each in patterns)


def _starred(pattern: str) -> str:
    """Return the pattern for `fnmatch`, with no wildcard but the star: brackets are those of an IPv6 address."""
    return pattern.replace("[", "[[]").replace("?", "[?]")


def rejection(origin: str) -> str:
    """Say that the pages of an origin may not call."""
    return f"Requests from the origin {quoted_name(origin)} are not allowed."


def is_preflight(request: HttpRequest) -> bool:
    """Tell whether a browser asks what a page may send."""
    return request.method == "OPTIONS" and {"origin", "access-control-request-method"} <= request.headers.keys()


def preflight(request: HttpRequest) -> HttpReply:
    """Answer a browser that asks on behalf of a page whose origin is allowed."""
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
    """Return the reply as the page that asked may read it; any other reply stays as it is."""
    return replace(reply, headers={**reply.headers, **cors_headers(request.headers, patterns)})


def cors_headers(headers: Mapping[str, str], patterns: Iterable[str]) -> dict[str, str]:
    """Return the headers that let a page read the answer to a request with these."""
    origin = headers.get("origin")
    if origin is None or not is_allowed(origin, patterns):
        return {}
    # What one origin may read is not to be given to another from a cache.
    return {"access-control-allow-origin": origin, "access-control-expose-headers": EXPOSED_HEADERS, "vary": "Origin"}
