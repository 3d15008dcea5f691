"""The OAuth client that a token was issued to: audit records name it, and nothing is decided by it."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from mcp_tasks.limits.requests import MAX_CLIENT_ID


def client_of(claims: Mapping[str, Any]) -> str | None:
    """Return the client that a token names, None where it names none: `client_id`, or `azp` where there is no other.

    An id that is too long to be kept is its hash.  Whatever is no id of OAuth's (printable ASCII) names no client, and
    rejects no token.  -- RFC 9068, 2.2; OpenID Connect Core, 2; RFC 6749, A.1
    """
    for name in ("client_id", "azp"):
        value = claims.get(name)
        if isinstance(value, str) and value and value.isascii() and value.isprintable():
            return value if len(value) <= MAX_CLIENT_ID else f"sha256:{sha256(value.encode()).hexdigest()}"
    return None
