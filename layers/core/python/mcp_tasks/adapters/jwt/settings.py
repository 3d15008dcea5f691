"""The authorizer's settings: the issuers, their keys, and the claims that identify a caller."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Final, Self
from urllib.parse import urlsplit

from mcp_tasks.limits.issuers import check_issuers, origin
from mcp_tasks.limits.tenants import MAX_TOKEN_AGE
from mcp_tasks.records import record

# Public-key signatures only: with "HS256" allowed, anybody who knows the public key could sign.
SIGNATURES: Final = frozenset(
    {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}
)

# The whole of what is connected to: what precedes an "@" is for each parser something else.
LOCAL: Final = re.compile(r"(?:localhost|127\.0\.0\.1)(?::[0-9]{1,5})?", re.ASCII | re.IGNORECASE)


@record
class AuthSettings:
    """Which tokens of one issuer are accepted, and which of their claims are tenant, subject, scopes and roles.

    A claim is looked up by its whole name first, then as a path: `org.id` is `{"org": {"id": ...}}`.  `max_age` limits
    the time from a token's `iat` to its `exp`.

    A token must have one of the `audiences`.  Amazon Cognito's access tokens have none unless their client asked for a
    resource: `client_ids` in place of them are the clients whose tokens without an audience are accepted.

    `tenant`, `tenant_prefix` and `same_callers_as` are those of `limits/issuers.py`.
    """

    issuer: str
    audiences: tuple[str, ...] = ()
    client_ids: tuple[str, ...] = ()
    jwks_url: str
    algorithms: tuple[str, ...] = ("RS256", "ES256")
    tenant_claim: str = "tenant"
    subject_claim: str = "sub"
    scope_claim: str = "scope"
    roles_claim: str = "roles"
    max_age: timedelta = MAX_TOKEN_AGE
    tenant: str = ""
    tenant_prefix: str = ""
    same_callers_as: str = ""

    def __post_init__(self) -> None:
        """Reject settings that would accept tokens which prove nothing.

        Raises:
            ValueError: No issuer or audience, clients beside an audience, an unsafe algorithm, or keys by plain HTTP
                from another machine.
        """
        if not self.issuer or bool(self.audiences) is bool(self.client_ids):
            raise ValueError("ISSUER must be set, and either AUDIENCE or CLIENT_IDS")
        if not self.algorithms or not SIGNATURES.issuperset(self.algorithms):
            raise ValueError(f"ALGORITHMS must be among {sorted(SIGNATURES)}")
        url = urlsplit(self.jwks_url)
        if url.scheme != "https" and not (url.scheme == "http" and LOCAL.fullmatch(url.netloc)):
            raise ValueError("JWKS_URL must be https, or http on this machine")

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Self:
        """Read the settings from the environment; AUDIENCE, CLIENT_IDS and ALGORITHMS may be lists, by space or comma.

        Raises:
            ValueError: A setting is missing or unsafe.
        """
        return cls(
            issuer=environ.get("ISSUER", ""),
            audiences=_listed(environ.get("AUDIENCE", "")),
            client_ids=_listed(environ.get("CLIENT_IDS", "")),
            jwks_url=environ.get("JWKS_URL", ""),
            algorithms=_listed(environ.get("ALGORITHMS") or "RS256 ES256"),
            tenant_claim=environ.get("TENANT_CLAIM") or "tenant",
            subject_claim=environ.get("SUBJECT_CLAIM") or "sub",
            scope_claim=environ.get("SCOPE_CLAIM") or "scope",
            roles_claim=environ.get("ROLES_CLAIM") or "roles",
            max_age=_max_age(environ.get("MAX_TOKEN_AGE_SECONDS", "")),
            tenant=environ.get("TENANT", ""),
            tenant_prefix=environ.get("TENANT_PREFIX", ""),
            same_callers_as=environ.get("SAME_CALLERS_AS", ""),
        )


def issuers_of(environ: Mapping[str, str]) -> tuple[AuthSettings, ...]:
    """Read the settings of all issuers: ISSUERS is a JSON list of what the environment of each alone would be.

    Raises:
        ValueError: A setting is missing or unsafe, or two issuers could name the same tenant.
    """
    each = json.loads(environ["ISSUERS"]) if environ.get("ISSUERS") else [environ]
    issuers = [AuthSettings.of(one) for one in each]
    check_issuers(issuers)
    origins = [origin(one, issuers) for one in issuers]
    return tuple(
        replace(one, tenant=of.tenant, tenant_prefix=of.tenant_prefix) for one, of in zip(issuers, origins, strict=True)
    )


def _listed(text: str) -> tuple[str, ...]:
    return tuple(text.replace(",", " ").split())


def _max_age(text: str) -> timedelta:
    if not text:
        return MAX_TOKEN_AGE
    if not text.isdecimal() or int(text) == 0:
        raise ValueError("MAX_TOKEN_AGE_SECONDS must be a whole number above 0")
    return timedelta(seconds=int(text))
