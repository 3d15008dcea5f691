"""Event ids: each holds the kind of its stream and the position after the event, signed for its caller."""

import secrets
from collections.abc import Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from mcp_tasks.limits.waits import EVENT_ID_LIFETIME
from mcp_tasks.security.signing import BadSignature
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire.rev_2025_11_25.server import SessionServer

PURPOSE: Final = "2025-11-25 event id 1"
"""Changes when the fields of a position do, so that event ids of an earlier release are not accepted."""


class Kind(StrEnum):
    """The two kinds of streams: with the response to one request, or with all that a client listens for."""

    LISTENING = "listening"
    RESPONSE = "response"


class EventId(NamedTuple):
    """The content of an event id; `position` has the fields that its kind of stream gave it.

    `since` (seconds since 1970) is when the stream last had news, as far as that matters to its pace.  It lies beside
    the position, whose fields are those that release 0.3 knows: that reads on where a deploy is rolled back.
    """

    kind: Kind
    position: Mapping[str, JSON]
    since: float | None = None


def sign(
    server: SessionServer, caller: Caller, kind: Kind, position: Mapping[str, JSON], since: float | None = None
) -> str:
    """Return an event id for a position; no two are the same, since ids are unique across the streams of a session."""
    value: dict[str, JSON] = {"kind": kind, "position": position, "salt": secrets.token_hex(4)}
    value |= {} if since is None else {"since": since}
    return server.signer.sign(value, purpose=PURPOSE, owner_key=caller.owner_key, lifetime=EVENT_ID_LIFETIME)


def verify(server: SessionServer, caller: Caller, event_id: str) -> EventId | None:
    """Return the content of an event id, or None if it has expired or was not signed for this caller.

    None also if only a newer release knows its kind.
    """
    try:
        value = server.signer.verify(event_id, purpose=PURPOSE, owner_key=caller.owner_key)
        return EventId(Kind(value["kind"]), value["position"], value.get("since"))
    except (BadSignature, KeyError, ValueError):
        return None
