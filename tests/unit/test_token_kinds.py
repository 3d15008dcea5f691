"""Access tokens of real issuers, and the other tokens that these issuers sign."""

from typing import Any

import pytest

from mcp_tasks.adapters.jwt.token_kinds import is_access_token

Token = tuple[dict[str, Any], dict[str, Any]]

ACCESS: dict[str, Token] = {
    "Cognito": ({}, {"token_use": "access", "scope": "tasks/read"}),
    "Cognito, of a user pool alone": ({}, {"token_use": "access"}),
    "Auth0": ({"typ": "JWT"}, {"azp": "app", "scope": "openid profile"}),
    "Auth0, RFC 9068": ({"typ": "at+jwt"}, {"client_id": "app", "scope": "openid profile"}),
    "Auth0, for a machine without scopes": ({"typ": "JWT"}, {"gty": "client-credentials"}),
    "Entra v2": ({"typ": "JWT"}, {"ver": "2.0", "azp": "app", "scp": "tasks.read"}),
    "Entra, for an app": ({"typ": "JWT"}, {"ver": "1.0", "appid": "app", "roles": ["tasks.read"]}),
    "Okta": ({}, {"cid": "app", "uid": "ada", "scp": ["tasks.read"]}),
    "Keycloak": ({"typ": "JWT"}, {"typ": "Bearer", "azp": "app", "scope": "openid"}),
    "Keycloak before 25": ({"typ": "JWT"}, {"typ": "Bearer", "azp": "app", "nonce": "n"}),
    "RFC 9068, as a whole media type": ({"typ": "application/at+JWT"}, {"client_id": "app"}),
    "RFC 9068, of a server that repeats the nonce": ({"typ": "at+jwt"}, {"nonce": "n"}),
    "no scope, nothing": ({}, {}),
}

OTHERS: dict[str, Token] = {
    "Cognito's ID token": ({}, {"token_use": "id", "aud": "app", "at_hash": "h"}),
    "Auth0's ID token, with a nonce": ({"typ": "JWT"}, {"sid": "s", "nonce": "n"}),
    "Entra's ID token": ({"typ": "JWT"}, {"ver": "2.0", "nonce": "n", "rh": "r"}),
    "Okta's ID token": ({}, {"ver": 1, "amr": ["pwd"], "at_hash": "h"}),
    "Keycloak's ID token": ({"typ": "JWT"}, {"typ": "ID", "azp": "app", "at_hash": "h"}),
    "Keycloak's refresh token": ({"typ": "JWT"}, {"typ": "Refresh", "scope": "openid"}),
    "Keycloak's offline token": ({"typ": "JWT"}, {"typ": "Offline", "scope": "openid"}),
    "Keycloak's logout token of old": ({"typ": "JWT"}, {"typ": "Logout", "events": {}}),
    "an ID token of the hybrid flow": ({"typ": "JWT"}, {"c_hash": "h"}),
    "a logout token": ({"typ": "logout+jwt"}, {"events": {}}),
    "a security event": ({"typ": "application/secevent+jwt"}, {"scope": "tasks"}),
    "a proof of possession": ({"typ": "dpop+jwt"}, {"htm": "POST"}),
    "an answer about a token": ({"typ": "token-introspection+jwt"}, {"token_introspection": {}}),
    "a type of no text": ({"typ": 7}, {}),
    "a type of nothing": ({"typ": ""}, {}),
    "a use of no text": ({}, {"token_use": ["access"]}),
}


def scoped(claims: dict[str, Any]) -> bool:
    return not {"scope", "scp"}.isdisjoint(claims)


@pytest.mark.parametrize("issuer", ACCESS)
def test_an_access_token_is_one(issuer: str) -> None:
    header, claims = ACCESS[issuer]

    assert is_access_token(header, claims, scoped=scoped(claims))


@pytest.mark.parametrize("kind", OTHERS)
def test_another_token_is_none(kind: str) -> None:
    header, claims = OTHERS[kind]

    assert not is_access_token(header, claims, scoped=scoped(claims))
