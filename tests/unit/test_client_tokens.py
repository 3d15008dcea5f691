"""Access tokens of Amazon Cognito, which name the client that they were issued to and no audience."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks.adapters.jwt.settings import AuthSettings
from mcp_tasks.adapters.jwt.tokens import Rejection, TokenRejected, TokenVerifier
from mcp_tasks.security.tenancy import Caller
from tests.key_server import KeyServer, key_server
from tests.tokens import ISSUER, RSA_KEY, token

OURS: dict[str, Any] = {"aud": None, "token_use": "access", "client_id": "4abc", "scope": "tasks/read tasks/write"}


@pytest.fixture
def keys() -> Iterator[KeyServer]:
    with key_server() as server:
        server.publish(one=RSA_KEY.public_key())
        yield server


@pytest.fixture
def verifier(keys: KeyServer) -> TokenVerifier:
    return TokenVerifier(AuthSettings(issuer=ISSUER, client_ids=("4abc", "5def"), jwks_url=keys.url))


def issued(**changes: Any) -> str:
    """Return a token of the user pool with some claims changed; one given as None is left out."""
    return token(key=RSA_KEY, algorithm="RS256", **{**OURS, **changes})


def test_a_token_of_a_client_that_is_listed_names_its_caller(verifier: TokenVerifier) -> None:
    ada = Caller(tenant="acme", subject="ada", scopes=frozenset({"tasks/read", "tasks/write"}))

    for client_id in ("4abc", "5def"):
        assert verifier.verify(issued(client_id=client_id)) == replace(ada, client_id=client_id)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"client_id": "6ghi"}, Rejection.WRONG_CLIENT),
        ({"client_id": "4ABC"}, Rejection.WRONG_CLIENT),
        ({"client_id": "4abc,5def"}, Rejection.WRONG_CLIENT),
        ({"client_id": ["4abc"]}, Rejection.WRONG_CLIENT),
        ({"client_id": None}, Rejection.WRONG_CLIENT),
        ({"token_use": "id"}, Rejection.NOT_AN_ACCESS_TOKEN),
        ({"token_use": None}, Rejection.NOT_AN_ACCESS_TOKEN),
        ({"token_use": "Access"}, Rejection.NOT_AN_ACCESS_TOKEN),
        ({"aud": "4abc"}, Rejection.WRONG_AUDIENCE),
        ({"aud": "https://mcp.test"}, Rejection.WRONG_AUDIENCE),
        ({"aud": ""}, Rejection.WRONG_AUDIENCE),
        ({"aud": []}, Rejection.WRONG_AUDIENCE),
        ({"iss": "https://else.test"}, Rejection.WRONG_ISSUER),
    ],
)
def test_what_was_issued_to_others_or_for_others_is_rejected(
    verifier: TokenVerifier, changes: dict[str, Any], reason: Rejection
) -> None:
    with pytest.raises(TokenRejected) as rejected:
        verifier.verify(issued(**changes))

    assert rejected.value.rejection is reason


def test_an_id_token_is_rejected_whatever_it_says_of_clients(verifier: TokenVerifier) -> None:
    """Cognito's ID tokens have the client as their `aud`."""
    with pytest.raises(TokenRejected):
        verifier.verify(issued(token_use="id", aud="4abc", client_id=None))
    with pytest.raises(TokenRejected):
        verifier.verify(issued(token_use="id"))


def test_a_client_is_no_audience_where_the_settings_name_one(keys: KeyServer) -> None:
    strict = TokenVerifier(AuthSettings(issuer=ISSUER, audiences=("4abc",), jwks_url=keys.url))

    with pytest.raises(TokenRejected) as rejected:
        strict.verify(issued())
    assert rejected.value.rejection is Rejection.MISSING_CLAIM
