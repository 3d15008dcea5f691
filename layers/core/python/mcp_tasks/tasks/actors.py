"""Who takes part in a request: its subject, and who acts for it (RFC 8693); pure, no I/O."""

from collections.abc import Iterator, Mapping
from typing import Any

from mcp_tasks.tasks.json_values import mapping, maybe, text
from mcp_tasks.tasks.model import JSON


def actors_of(actor: Mapping[str, Any] | None) -> Iterator[str]:
    """Yield who acts now, and then who acted before, each by its `sub`.

    The same `sub` of another issuer is the same actor: a token of a second issuer is no way to be somebody else.
    """
    while isinstance(actor, Mapping):
        if isinstance(name := actor.get("sub"), str):
            yield name
        actor = actor.get("act")


def actor_in(value: JSON) -> dict[str, JSON]:
    """Return the actor in a document; raises one of `READ_ERRORS` where one has no `sub`: it could be anybody."""
    actor = mapping(value)
    text(actor["sub"])
    maybe(actor.get("act"), actor_in)
    return actor


def people_of(subject: str, actor: Mapping[str, Any] | None) -> frozenset[str]:
    """Return the subject and its actors; an OAuth client is none of them, since many people use one."""
    return frozenset((subject, *actors_of(actor)))
