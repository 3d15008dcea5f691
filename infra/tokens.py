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

    Amazon Cognito's access tokens may have no `aud`: `client_ids`, in place of `audience`, are the clients whose tokens
    are accepted without one.

    `scopes` are those that clients are told to ask for; `required_scopes` of the settings says which are needed.  Of
    several issuers, one takes tenants as tokens name them.  Each other has a `tenant` for all of its tokens, or a
    `tenant_prefix` before those that they name, or says `same_callers_as`, with the issuer whose callers these are.
    """

    issuer: str
    jwks_url: str
    audience: str = ""
    client_ids: Sequence[str] = ()
    algorithms: Sequence[str] = ("RS256", "ES256")
    tenant_claim: str = "tenant"
    subject_claim: str = "sub"
    scope_claim: str = "scope"
    roles_claim: str = "roles"
    max_token_age_seconds: int = MAX_TOKEN_AGE // timedelta(seconds=1)
    scopes: Sequence[str] = ()
    tenant: str = ""
    tenant_prefix: str = ""
    same_callers_as: str = ""

    def __post_init__(self) -> None:
        """Raise `ValueError` unless it is said whom the tokens must be for: an audience, or clients, and not both."""
        if bool(self.audience) is bool(self.client_ids):
            raise ValueError(f"issuer {self.issuer!r} has either an audience, or client_ids")

    @classmethod
    def of_user_pool(
        cls, pool: IUserPool, *, audience: str = "", client_ids: Sequence[str] = (), **settings: Any
    ) -> Self:
        """Return those of an Amazon Cognito user pool.

        Its clients ask for tokens of the resource `audience`, or are these clients and ask for none.
        """
        issuer = f"https://cognito-idp.{pool.env.region}.{Stack.of(pool).url_suffix}/{pool.user_pool_id}"
        keys = f"{issuer}/.well-known/jwks.json"
        return cls(issuer=issuer, jwks_url=keys, audience=audience, client_ids=client_ids, **settings)

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables of an authorizer of this issuer alone."""
        others = {
            "CLIENT_IDS": ",".join(self.client_ids),
            "TENANT": self.tenant,
            "TENANT_PREFIX": self.tenant_prefix,
            "SAME_CALLERS_AS": self.same_callers_as,
        }
        return {
            "ISSUER": self.issuer,
            **({"AUDIENCE": self.audience} if self.audience else {}),
            "JWKS_URL": self.jwks_url,
            "ALGORITHMS": ",".join(self.algorithms),
            "TENANT_CLAIM": self.tenant_claim,
            "SUBJECT_CLAIM": self.subject_claim,
            "SCOPE_CLAIM": self.scope_claim,
            "ROLES_CLAIM": self.roles_claim,
            "MAX_TOKEN_AGE_SECONDS": str(self.max_token_age_seconds),
            **{name: value for name, value in others.items() if value},
        }


Issuers: TypeAlias = Tokens | Sequence[Tokens]
"""One issuer, or several."""
