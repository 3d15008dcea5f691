"""Whose tokens a server accepts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Self

from aws_cdk import Stack
from aws_cdk.aws_cognito import IUserPool

from mcp_tasks.limits.tenants import MAX_TOKEN_AGE


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """The issuer of the tokens, the `aud` that they must have, and the claims that are read.

    `scopes` are those that clients are told to ask for; `required_scopes` of the settings says which are needed.
    """

    issuer: str
    audience: str
    jwks_url: str
    algorithms: Sequence[str] = ("RS256", "ES256")
    tenant_claim: str = "tenant"
    subject_claim: str = "sub"
    scope_claim: str = "scope"
    max_token_age_seconds: int = MAX_TOKEN_AGE // timedelta(seconds=1)
    scopes: Sequence[str] = ()

    @classmethod
    def of_user_pool(cls, pool: IUserPool, *, audience: str, **claims: Any) -> Self:
        """Return those of an Amazon Cognito user pool, whose clients ask for tokens of the resource `audience`."""
        issuer = f"https://cognito-idp.{pool.env.region}.{Stack.of(pool).url_suffix}/{pool.user_pool_id}"
        return cls(issuer=issuer, audience=audience, jwks_url=f"{issuer}/.well-known/jwks.json", **claims)
