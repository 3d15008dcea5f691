"""Verifies the tokens of several issuers, each by its own settings and keys alone."""

from collections.abc import Sequence

import jwt
from jwt import exceptions

from mcp_tasks.adapters.jwt.settings import AuthSettings
from mcp_tasks.adapters.jwt.tokens import Rejection, TokenRejected, TokenVerifier
from mcp_tasks.limits.issuers import reserves
from mcp_tasks.ports.clock import Clock
from mcp_tasks.security.tenancy import Caller


class TokenVerifiers:
    """Verifies tokens by the issuer that they name, character by character; one for each process."""

    def __init__(self, issuers: Sequence[AuthSettings], *, clock: Clock | None = None) -> None:
        self._verifiers = {each.issuer: TokenVerifier(each, clock=clock) for each in issuers}
        # Whose tenants are the same is checked and resolved in the settings.
        self._others = {
            each.issuer: [other for other in issuers if _tenants(other) != _tenants(each)] for each in issuers
        }

    def verify(self, token: str) -> Caller:
        """Return the caller that the token was issued to.

        Raises:
            TokenRejected: The token is not a valid access token of an issuer for this audience, or names a tenant that
                the settings give to another issuer.
            KeysUnavailable: The keys of its issuer could not be fetched.
        """
        issuer = _named(token)
        # Before any key is looked up: what another issuer signed must not cause a fetch.
        if issuer not in self._verifiers:
            raise TokenRejected(Rejection.WRONG_ISSUER)
        caller = self._verifiers[issuer].verify(token)
        if any(reserves(other, caller.tenant) for other in self._others[issuer]):
            raise TokenRejected(Rejection.TENANT_OF_ANOTHER_ISSUER)
        return caller


def _tenants(issuer: AuthSettings) -> tuple[str, str]:
    return issuer.tenant, issuer.tenant_prefix


def _named(token: str) -> str:
    """Return the `iss` of a token, which says by whose keys to verify it and proves nothing."""
    try:
        claims = jwt.decode(token, options={"verify_signature": False})
    except exceptions.InvalidTokenError as error:
        raise TokenRejected(Rejection.MALFORMED) from error
    issuer = claims.get("iss")
    if issuer is None:
        raise TokenRejected(Rejection.MISSING_CLAIM)
    if not isinstance(issuer, str):
        raise TokenRejected(Rejection.WRONG_ISSUER)
    return issuer
