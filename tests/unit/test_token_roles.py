"""The roles of a token: where they are, and what is none."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks.adapters.jwt.settings import AuthSettings
from mcp_tasks.adapters.jwt.tokens import TokenVerifier
from tests.key_server import KeyServer, key_server
from tests.kit import ADA
from tests.tokens import KEY, token


@pytest.fixture
def keys() -> Iterator[KeyServer]:
    with key_server() as server:
        server.publish(one=KEY.public_key())
        yield server


def settings(keys: KeyServer, **changes: Any) -> AuthSettings:
    return AuthSettings(issuer="https://issuer.test", audiences=("https://mcp.test",), jwks_url=keys.url, **changes)


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        (None, set()),
        (["finance", "two words"], {"finance", "two words"}),
        ("finance legal", {"finance", "legal"}),
        ([{"value": "finance", "primary": True}, {"display": "Legal"}, 7, ""], {"finance"}),
        ({"finance": True}, set()),
        (7, set()),
        ([f"role-{number}" for number in range(50)], {f"role-{number}" for number in range(50)}),
        ([f"role-{number}" for number in range(51)], set()),
        (["x" * 1_996], {"x" * 1_996}),
        (["x" * 1_997], set()),
    ],
)
def test_roles_are_a_list_and_what_is_none_rejects_no_token(keys: KeyServer, claim: Any, expected: set[str]) -> None:
    """RFC 9068, 2.2.3.1."""
    caller = TokenVerifier(settings(keys)).verify(token(roles=claim))

    assert caller == replace(ADA, roles=frozenset(expected))


def test_the_roles_are_where_the_settings_say(keys: KeyServer) -> None:
    verifier = TokenVerifier(settings(keys, roles_claim="realm_access.roles"))

    assert verifier.verify(token(realm_access={"roles": ["finance"]}, roles=["legal"])).roles == {"finance"}
