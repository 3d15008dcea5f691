"""The ids of events: each says which kind of stream it is in and where, signed for its caller."""

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
"""Name another when the fields of a place change, so that the ids of before are unknown."""


class Kind(StrEnum):
    """What a stream is for."""

    LISTENING = "listening"
    RESPONSE = "response"


class EventId(NamedTuple):
    """What an id says; `place` is what its kind of stream wrote."""

    kind: Kind
    place: Mapping[str, JSON]


def sign(server: SessionServer, caller: Caller, kind: Kind, place: Mapping[str, JSON]) -> str:
    """Return the id of an event at a place; no two are the same, or two connections could not resume one place."""
    value = {"kind": kind, "place": place, "salt": secrets.token_hex(4)}
    return server.signer.sign(value, purpose=PURPOSE, owner_key=caller.owner_key, lifetime=EVENT_ID_LIFETIME)


def verify(server: SessionServer, caller: Caller, event_id: str) -> EventId | None:
    """Return what the id of an event says, or None if it was not signed for this caller, or too long ago."""
    try:
        value = server.signer.verify(event_id, purpose=PURPOSE, owner_key=caller.owner_key)
    except BadSignature:
        return None
    return EventId(Kind(value["kind"]), value["place"])
