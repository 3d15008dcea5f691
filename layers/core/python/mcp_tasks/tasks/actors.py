"""Who takes part in a request: its subject, and who acts for it (RFC 8693); pure, no I/O."""

from collections.abc import Iterator, Mapping
from typing import Any


def actors_of(actor: Mapping[str, Any] | None) -> Iterator[str]:
    """Yield who acts now, and then who acted before, each by its `sub`.

    The same `sub` of another issuer is the same actor: a token of a second issuer is no way to be somebody else.
    """
    while isinstance(actor, Mapping):
        if isinstance(name := actor.get("sub"), str):
            yield name
        actor = actor.get("act")


def people_of(subject: str, actor: Mapping[str, Any] | None) -> frozenset[str]:
    """Return the subject and its actors; an OAuth client is none of them, since many people use one."""
    return frozenset((subject, *actors_of(actor)))
