"""Authenticates requests by tokens of the local issuer, with the code of the authorizer on AWS."""

from functions.authorize.handler import bearer_token
from local.gateway import Admit
from local.http_server import Head
from local.issuer import Issuer
from mcp_tasks.adapters.jwt.settings import AuthSettings
from mcp_tasks.adapters.jwt.tokens import TokenRejected, TokenVerifier
from mcp_tasks.security.tenancy import Caller


def bearers(issuer: Issuer) -> Admit:
    """Return a function that finds a request's caller by its bearer token; the issuer must be serving its keys."""
    environment = {
        "ISSUER": issuer.issuer,
        "AUDIENCE": issuer.audience,
        "JWKS_URL": issuer.jwks_url,
        "ALGORITHMS": issuer.algorithm,
    }
    verifier = TokenVerifier(AuthSettings.of(environment))

    def admit(head: Head) -> Caller | None:
        try:
            return verifier.verify(bearer_token({"headers": head.headers}))
        except TokenRejected:
            return None

    return admit
