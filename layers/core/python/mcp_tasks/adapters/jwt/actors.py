"""The actor of a token (RFC 8693, 4.1): who acts on behalf of its subject, and who acted before that one."""

import json
from collections.abc import Mapping
from typing import Any

from mcp_tasks.limits.requests import MAX_ACTOR_BYTES, MAX_ACTORS


def actor_of(claims: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the `act` claim as it is, None where the token has none.

    Raises:
        ValueError: Somebody acts, and the claim does not say who: in each place it is an object with a `sub`.
    """
    actor = claims.get("act")
    if actor is None:
        return None
    try:
        written = json.dumps(actor, ensure_ascii=False, allow_nan=False).encode()
    except RecursionError:
        raise ValueError("nested too deep") from None
    if len(written) > MAX_ACTOR_BYTES or not _names_actors(actor):
        raise ValueError("no actor, or too many of them")
    return dict(actor)


def _names_actors(actor: Any) -> bool:
    for _ in range(MAX_ACTORS):
        if not isinstance(actor, dict) or not isinstance(actor.get("sub"), str) or not actor["sub"]:
            return False
        actor = actor.get("act")
        if actor is None:
            return True
    return False
