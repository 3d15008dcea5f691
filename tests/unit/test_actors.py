"""Who acts on behalf of a token's subject."""

from typing import Any

import pytest

from mcp_tasks.adapters.jwt.actors import actor_of
from mcp_tasks.limits.requests import MAX_ACTOR_BYTES, MAX_ACTORS
from mcp_tasks.security.tenancy import Caller

AGENT = {"sub": "agent", "iss": "https://agents.test", "client_id": "4abc", "roles": ["planner"]}


def chain(length: int) -> dict[str, Any]:
    """Return an actor that acts for one that acts for one, so many in all."""
    actor: dict[str, Any] = {"sub": "agent 1"}
    for place in range(2, length + 1):
        actor = {"sub": f"agent {place}", "act": actor}
    return actor


def of_size(size: int) -> dict[str, str]:
    """Return an actor that takes so many bytes as JSON."""
    return {"sub": "a" * (size - len('{"sub": ""}'))}


@pytest.mark.parametrize(
    "actor",
    [AGENT, {"sub": "ä"}, {**AGENT, "act": AGENT}, {**AGENT, "act": None}, chain(MAX_ACTORS), of_size(MAX_ACTOR_BYTES)],
)
def test_an_actor_is_kept_as_the_token_has_it(actor: dict[str, Any]) -> None:
    assert actor_of({"act": actor}) == actor


@pytest.mark.parametrize("claims", [{}, {"act": None}])
def test_most_tokens_have_none(claims: dict[str, Any]) -> None:
    assert actor_of(claims) is None


@pytest.mark.parametrize(
    "actor",
    [
        *("agent", "", 0, 7, True, False, [], ["agent"], [AGENT], {}, {"client_id": "4abc"}),
        *({"sub": ""}, {"sub": None}, {"sub": 7}, {"sub": ["agent"]}, {"sub": {"id": "agent"}}),
        *({**AGENT, "act": "agent"}, {**AGENT, "act": {}}, {**AGENT, "act": [AGENT]}, {**AGENT, "act": False}),
        *({"sub": "\ud800"}, {"sub": "a", "\udfff": 1}, {"sub": "a", "n": float("nan")}),
        *(chain(MAX_ACTORS + 1), chain(400), of_size(MAX_ACTOR_BYTES + 1), {"sub": "ä" * MAX_ACTOR_BYTES}),
    ],
    ids=lambda actor: str(actor).encode("ascii", "backslashreplace").decode()[:40],
)
def test_whoever_acts_without_saying_who_is_refused(actor: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        actor_of({"act": actor})


def test_what_is_nested_too_deep_is_refused() -> None:
    nested: Any = {}
    for _ in range(100_000):
        nested = [nested]

    with pytest.raises(ValueError, match="nested too deep"):
        actor_of({"act": {"sub": "agent", "of": nested}})


def test_an_actor_owns_nothing() -> None:
    alone, acted_for = Caller(tenant="acme", subject="ada"), Caller(tenant="acme", subject="ada", actor=AGENT)

    assert alone.owner_key == acted_for.owner_key
    assert len({alone, acted_for}) == 2
