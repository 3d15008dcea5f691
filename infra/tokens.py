"""Whose tokens a server accepts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Self, TypeAlias

from aws_cdk import Stack
from aws_cdk.aws_cognito import IUserPool

from mcp_tasks.limits.tenants import MAX_TOKEN_AGE


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """The issuer of the tokens, the `aud` that they must have, and the claims that are read.

    `scopes` are those that clients are told to ask for; `required_scopes` of the settings says which are needed.  Of
    several issuers, one takes tenants as tokens name them.  Each other has a `tenant` for all of its tokens, or a
    `tenant_prefix` before those that they name, or says `same_callers_as`, with the issuer whose callers these are.
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
    tenant: str = ""
    tenant_prefix: str = ""
    same_callers_as: str = ""

    @classmethod
    def of_user_pool(cls, pool: IUserPool, *, audience: str, **claims: Any) -> Self:
        """Return those of an Amazon Cognito user pool, whose clients ask for tokens of the resource `audience`."""
        issuer = f"https://cognito-idp.{pool.env.region}.{Stack.of(pool).url_suffix}/{pool.user_pool_id}"
        return cls(issuer=issuer, audience=audience, jwks_url=f"{issuer}/.well-known/jwks.json", **claims)

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables of an authorizer of this issuer alone."""
        mapping = {
            "TENANT": self.tenant,
            "TENANT_PREFIX": self.tenant_prefix,
            "SAME_CALLERS_AS": self.same_callers_as,
        }
        return {
            "ISSUER": self.issuer,
            "AUDIENCE": self.audience,
            "JWKS_URL": self.jwks_url,
            "ALGORITHMS": ",".join(self.algorithms),
            "TENANT_CLAIM": self.tenant_claim,
            "SUBJECT_CLAIM": self.subject_claim,
            "SCOPE_CLAIM": self.scope_claim,
            "MAX_TOKEN_AGE_SECONDS": str(self.max_token_age_seconds),
            **{name: value for name, value in mapping.items() if value},
        }


Issuers: TypeAlias = Tokens | Sequence[Tokens]
"""One issuer, or several."""
