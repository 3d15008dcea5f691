"""Bearer token to caller: only here is a token read, and only the authorizer imports this (PyJWT is slow to load).

A token that proves nothing is a `TokenRejected`, which is the client's business. Keys that cannot be had are a
`KeysUnavailable` (`signing_keys.py`), which is not: a client told that its good token is bad would throw it away.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

import jwt
from jwt import PyJWK, exceptions

from mcp_tasks.adapters.clock import SystemClock
from mcp_tasks.adapters.jwt.settings import AuthSettings
from mcp_tasks.adapters.jwt.signing_keys import SigningKeys
from mcp_tasks.adapters.jwt.token_kinds import is_access_token
from mcp_tasks.limits.waits import TOKEN_LEEWAY
from mcp_tasks.ports.clock import Clock
from mcp_tasks.security.tenancy import Caller


class Rejection(StrEnum):
    """Why a token was refused: for the log, never for the client."""

    NO_TOKEN = "no_token"
    MALFORMED = "malformed"
    ALGORITHM = "algorithm"
    UNKNOWN_KEY = "unknown_key"
    BAD_SIGNATURE = "bad_signature"
    EXPIRED = "expired"
    NOT_YET_VALID = "not_yet_valid"
    WRONG_ISSUER = "wrong_issuer"
    WRONG_AUDIENCE = "wrong_audience"
    NO_ACCESS_TOKEN = "no_access_token"
    BOUND_TO_A_KEY = "bound_to_a_key"
    LASTS_TOO_LONG = "lasts_too_long"
    MISSING_CLAIM = "missing_claim"
    UNUSABLE_CLAIM = "unusable_claim"


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
    """The token proves nobody's identity; `rejection` says why and holds nothing of the token."""

    def __init__(self, rejection: Rejection) -> None:
        """Refuse for a reason out of the list."""
        super().__init__(rejection.value)
        self.rejection = rejection


class TokenVerifier:
    """Turns a bearer token into the caller it was issued for."""

    def __init__(self, settings: AuthSettings, *, clock: Clock | None = None) -> None:
        """Verify by these settings."""
        self._settings = settings
        self._clock = clock or SystemClock()
        self._keys = SigningKeys(settings.jwks_url, clock=self._clock)

    def verify(self, token: str) -> Caller:
        """Return who the token was issued for.

        Raises:
            TokenRejected: The token is not one to believe.
            KeysUnavailable: The issuer does not say which keys it has.
        """
        try:
            read = jwt.decode_complete(
                token,
                self._key(token),
                algorithms=self._settings.algorithms,
                issuer=self._settings.issuer,
                audience=self._settings.audiences,
                leeway=TOKEN_LEEWAY,
                options={"require": ["exp", "iss", "aud"]},
            )
        except exceptions.InvalidTokenError as error:
            raise TokenRejected(_REJECTIONS.get(type(error), Rejection.MALFORMED)) from error
        self._refuse_unfit(read["header"], read["payload"])
        return self._caller(read["payload"])

    def _key(self, token: str) -> PyJWK:
        header = jwt.get_unverified_header(token)
        # Before the key is looked for: no forged header shall make us fetch.
        if header.get("alg") not in self._settings.algorithms:
            raise TokenRejected(Rejection.ALGORITHM)
        if "kid" not in header:
            raise TokenRejected(Rejection.UNKNOWN_KEY)
        key = self._keys.find(header["kid"])
        if key is None:
            raise TokenRejected(Rejection.UNKNOWN_KEY)
        return key

    def _refuse_unfit(self, header: Mapping[str, Any], claims: Mapping[str, Any]) -> None:
        """Refuse what the issuer signed for other uses than to be carried here."""
        scoped = _claim(claims, self._settings.scope_claim) is not None
        if not is_access_token(header, claims, scoped=scoped):
            raise TokenRejected(Rejection.NO_ACCESS_TOKEN)
        # RFC 7800, 8705, 9449: good only together with a proof of the key, which nothing here checks.
        if "cnf" in claims:
            raise TokenRejected(Rejection.BOUND_TO_A_KEY)
        # By what the issuer granted, so that a token does not become good in the end of its life.
        began = claims.get("iat", self._clock.now().timestamp())
        if int(claims["exp"]) - int(began) > self._settings.longest_life.total_seconds():
            raise TokenRejected(Rejection.LASTS_TOO_LONG)

    def _caller(self, claims: Mapping[str, Any]) -> Caller:
        tenant = _claim(claims, self._settings.tenant_claim)
        subject = _claim(claims, self._settings.subject_claim)
        if tenant is None or subject is None:
            raise TokenRejected(Rejection.MISSING_CLAIM)
        # A number is refused, not spelled out: 1 and "1" may be two tenants to the issuer.
        if not isinstance(tenant, str) or not isinstance(subject, str):
            raise TokenRejected(Rejection.UNUSABLE_CLAIM)
        try:
            return Caller(tenant=tenant, subject=subject, scopes=_scopes(_claim(claims, self._settings.scope_claim)))
        except ValueError as error:
            raise TokenRejected(Rejection.UNUSABLE_CLAIM) from error


def _claim(claims: Mapping[str, Any], name: str) -> Any:
    # By the whole name first: names such as "https://example.com/tenant" have dots of their own.
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
        # A listed scope with a space in it would come out of the gateway as two.
        case list() if all(isinstance(scope, str) and scope.split() == [scope] for scope in claim):
            return frozenset(claim)
    raise TokenRejected(Rejection.UNUSABLE_CLAIM)
