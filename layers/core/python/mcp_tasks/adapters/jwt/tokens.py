"""Verifies bearer tokens and returns their callers; only the authorizer imports this, since PyJWT is slow to import.

A token that does not verify raises `TokenRejected`, which becomes a 401.  Keys that cannot be fetched raise
`KeysUnavailable` (`issuer_keys.py`), which must not: on a 401 clients discard their token.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Final

import jwt
from jwt import PyJWK, exceptions

from mcp_tasks.adapters.clock import SystemClock
from mcp_tasks.adapters.jwt.actors import actor_of
from mcp_tasks.adapters.jwt.clients import client_of
from mcp_tasks.adapters.jwt.issuer_keys import IssuerKeys
from mcp_tasks.adapters.jwt.roles import roles_of
from mcp_tasks.adapters.jwt.settings import AuthSettings
from mcp_tasks.adapters.jwt.token_kinds import is_access_token
from mcp_tasks.limits.waits import TOKEN_LEEWAY
from mcp_tasks.ports.clock import Clock
from mcp_tasks.security.tenancy import Caller


class Rejection(StrEnum):
    """Why a token was rejected: for the log, never for the client."""

    NO_TOKEN = "no_token"
    MALFORMED = "malformed"
    ALGORITHM = "algorithm"
    UNKNOWN_KEY = "unknown_key"
    BAD_SIGNATURE = "bad_signature"
    EXPIRED = "expired"
    NOT_YET_VALID = "not_yet_valid"
    WRONG_ISSUER = "wrong_issuer"
    WRONG_AUDIENCE = "wrong_audience"
    WRONG_CLIENT = "wrong_client"
    NOT_AN_ACCESS_TOKEN = "not_an_access_token"
    BOUND_TO_A_KEY = "bound_to_a_key"
    LASTS_TOO_LONG = "lasts_too_long"
    MISSING_CLAIM = "missing_claim"
    UNUSABLE_CLAIM = "unusable_claim"
    TENANT_OF_ANOTHER_ISSUER = "tenant_of_another_issuer"
    BAD_LINK = "bad_link"
    EXPIRED_LINK = "expired_link"


_REJECTIONS: Final[Mapping[type[exceptions.InvalidTokenError], Rejection]] = {
    exceptions.InvalidAlgorithmError: Rejection.ALGORITHM,
    exceptions.InvalidSignatureError: Rejection.BAD_SIGNATURE,
    exceptions.ExpiredSignatureError: Rejection.EXPIRED,
    exceptions.ImmatureSignatureError: Rejection.NOT_YET_VALID,
    exceptions.InvalidIssuerError: Rejection.WRONG_ISSUER,
    exceptions.InvalidAudienceError: Rejection.WRONG_AUDIENCE,
    exceptions.MissingRequiredClaimError: Rejection.MISSING_CLAIM,
}


class TokenRejected(Exception):
    """The token does not identify a caller; `rejection` says why, and contains nothing of the token."""

    def __init__(self, rejection: Rejection) -> None:
        super().__init__(rejection.value)
        self.rejection = rejection


class TokenVerifier:
    """Verifies tokens of one issuer, whose keys it caches; one for each issuer and process."""

    def __init__(self, settings: AuthSettings, *, clock: Clock | None = None) -> None:
        self._settings = settings
        self._clock = clock or SystemClock()
        self._keys = IssuerKeys(settings.jwks_url, clock=self._clock)

    def verify(self, token: str) -> Caller:
        """Return the caller that the token was issued to.

        Raises:
            TokenRejected: The token is not a valid access token of this issuer for this audience, or for these clients.
            KeysUnavailable: The issuer's keys could not be fetched.
        """
        # RFC 7515 2: base64url has no padding.  With it, one token could be sent in two spellings.
        if "=" in token:
            raise TokenRejected(Rejection.MALFORMED)
        try:
            decoded = jwt.decode_complete(
                token,
                self._key(token),
                algorithms=self._settings.algorithms,
                issuer=self._settings.issuer,
                # With none, PyJWT rejects a token that has one.
                audience=self._settings.audiences or None,
                leeway=TOKEN_LEEWAY,
                options={"require": ["exp", "iss", *(["aud"] if self._settings.audiences else [])]},
            )
        except exceptions.InvalidTokenError as error:
            raise TokenRejected(_REJECTIONS.get(type(error), Rejection.MALFORMED)) from error
        _reject_odd_times(decoded["payload"])
        if self._settings.client_ids:
            _reject_other_clients(decoded["payload"], self._settings.client_ids)
        self._reject_other_uses(decoded["header"], decoded["payload"])
        return self._caller(decoded["payload"])

    def _key(self, token: str) -> PyJWK:
        header = jwt.get_unverified_header(token)
        # Before the key is looked up: a token with another algorithm must not cause a fetch.
        if header.get("alg") not in self._settings.algorithms:
            raise TokenRejected(Rejection.ALGORITHM)
        if "kid" not in header:
            raise TokenRejected(Rejection.UNKNOWN_KEY)
        key = self._keys.find(header["kid"])
        if key is None:
            raise TokenRejected(Rejection.UNKNOWN_KEY)
        return key

    def _reject_other_uses(self, header: Mapping[str, Any], claims: Mapping[str, Any]) -> None:
        """Reject what the issuer signed for another use: ID tokens, key-bound tokens, tokens that last too long."""
        scoped = _claim(claims, self._settings.scope_claim) is not None
        if not is_access_token(header, claims, scoped=scoped):
            raise TokenRejected(Rejection.NOT_AN_ACCESS_TOKEN)
        # RFC 7800, 8705, 9449: valid only together with a proof of possession, which nothing here checks.
        if "cnf" in claims:
            raise TokenRejected(Rejection.BOUND_TO_A_KEY)
        # From `iat`, so that a token which was granted for too long does not become valid near its end.
        issued_at = claims.get("iat", self._clock.now().timestamp())
        if int(claims["exp"]) - int(issued_at) > self._settings.max_age.total_seconds():
            raise TokenRejected(Rejection.LASTS_TOO_LONG)

    def _caller(self, claims: Mapping[str, Any]) -> Caller:
        tenant = self._settings.tenant or _claim(claims, self._settings.tenant_claim)
        subject = _claim(claims, self._settings.subject_claim)
        if tenant is None or subject is None:
            raise TokenRejected(Rejection.MISSING_CLAIM)
        # A number is rejected, not converted: 1 and "1" may be two tenants to the issuer.
        if not isinstance(tenant, str) or not isinstance(subject, str):
            raise TokenRejected(Rejection.UNUSABLE_CLAIM)
        # Without a name of its own, a tenant would be called as all those of this issuer begin.
        tenant = tenant and f"{self._settings.tenant_prefix}{tenant}"
        try:
            return Caller(
                tenant=tenant,
                subject=subject,
                scopes=_scopes(_claim(claims, self._settings.scope_claim)),
                roles=roles_of(_claim(claims, self._settings.roles_claim)),
                actor=actor_of(claims),
                client_id=client_of(claims),
            )
        except ValueError as error:
            raise TokenRejected(Rejection.UNUSABLE_CLAIM) from error


def _reject_odd_times(claims: Mapping[str, Any]) -> None:
    """Reject text and booleans, which PyJWT converts: RFC 7519 2 has numbers alone."""
    if any(type(claims[name]) not in (int, float) for name in ("exp", "iat", "nbf") if name in claims):
        raise TokenRejected(Rejection.MALFORMED)


def _reject_other_clients(claims: Mapping[str, Any], clients: Sequence[str]) -> None:
    """Reject what is not an access token of Amazon Cognito's to one of these clients, without an audience."""
    # "If the principal processing the claim does not identify itself with a value in the "aud" claim when this claim is
    # present, then the JWT MUST be rejected."  -- RFC 7519, 4.1.3
    if "aud" in claims:
        raise TokenRejected(Rejection.WRONG_AUDIENCE)
    if claims.get("token_use") != "access":
        raise TokenRejected(Rejection.NOT_AN_ACCESS_TOKEN)
    if claims.get("client_id") not in clients:
        raise TokenRejected(Rejection.WRONG_CLIENT)


def _claim(claims: Mapping[str, Any], name: str) -> Any:
    # By the whole name first: names such as "https://example.com/tenant" contain dots themselves.
    if name in claims:
        return claims[name]
    value: Any = claims
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _scopes(claim: Any) -> frozenset[str]:
    match claim:
        case None:
            return frozenset()
        case str():
            return frozenset(claim.split())
        # The authorizer's context carries scopes joined by spaces, so a listed scope with a space would become two.
        case list() if all(isinstance(scope, str) and scope.split() == [scope] for scope in claim):
            return frozenset(claim)
    raise TokenRejected(Rejection.UNUSABLE_CLAIM)
