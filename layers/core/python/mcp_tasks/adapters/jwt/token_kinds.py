"""Distinguishes access tokens from the other tokens that an issuer signs with the same keys.

Access tokens have a `typ` of RFC 9068 or RFC 7519 in their header, or none.  ID tokens may have the same, so claims
decide: `token_use` of Cognito and `typ` of Keycloak, then those that OpenID Connect defines for ID tokens only.
"""

from collections.abc import Mapping
from typing import Any, Final

# RFC 9068 2.1 requires the first; most issuers still write the second, or none.
TYPES: Final = frozenset({"at+jwt", "jwt"})

# Keycloak's `typ` claim of tokens that are not access tokens.
OTHERS: Final = frozenset({"id", "refresh", "offline", "logout"})

# OpenID Connect Core 2 and 3.3.2.11: hashes of what is issued with an ID token, and the nonce of its request.
OF_ID_TOKENS: Final = frozenset({"at_hash", "c_hash", "nonce"})


def is_access_token(header: Mapping[str, Any], claims: Mapping[str, Any], *, scoped: bool) -> bool:
    """Return whether a verified token is an access token by its header and claims; `scoped` if it names scopes."""
    kind = header.get("typ")
    if kind is not None and _media_type(kind) not in TYPES:
        return False
    use, typ = claims.get("token_use"), claims.get("typ")
    if use not in (None, "access") or (isinstance(typ, str) and typ.casefold() in OTHERS):
        return False
    # Keycloak before 25 has the nonce in all of its tokens.
    certain = _media_type(kind) == "at+jwt" or use == "access" or typ == "Bearer" or scoped
    return certain or not OF_ID_TOKENS & claims.keys()


def _media_type(kind: Any) -> str:
    # RFC 7515 4.1.9: names of media types are compared without case, and "application/" is left out.
    return kind.casefold().removeprefix("application/") if isinstance(kind, str) else ""
