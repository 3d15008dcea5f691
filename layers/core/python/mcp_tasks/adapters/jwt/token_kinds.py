"""Access tokens, told apart from the other tokens that an issuer signs with the same keys.

The types of RFC 9068 and RFC 7519 in the header, or none, are those of access tokens; ID tokens have them too, so some
claims are looked at: what Cognito and Keycloak say in as many words, then what OpenID Connect puts into ID tokens only.
"""

from collections.abc import Mapping
from typing import Any, Final

# RFC 9068 2.1 has issuers write the first; most of them still write the second, or nothing.
TYPES: Final = frozenset({"at+jwt", "jwt"})

# Keycloak's words for what is not an access token.
OTHERS: Final = frozenset({"id", "refresh", "offline", "logout"})

# OpenID Connect Core 2 and 3.3.2.11: hashes of what is issued with an ID token, and what ties it to a request.
OF_ID_TOKENS: Final = frozenset({"at_hash", "c_hash", "nonce"})


def is_access_token(header: Mapping[str, Any], claims: Mapping[str, Any], *, scoped: bool) -> bool:
    """Tell whether a verified token was issued for calling an API, as far as it says; `scoped` ones name scopes."""
    kind = header.get("typ")
    if kind is not None and _media_type(kind) not in TYPES:
        return False
    use, says = claims.get("token_use"), claims.get("typ")
    if use not in (None, "access") or (isinstance(says, str) and says.casefold() in OTHERS):
        return False
    # Keycloak before 25 has the nonce in all of its tokens.
    certain = _media_type(kind) == "at+jwt" or use == "access" or says == "Bearer" or scoped
    return certain or not OF_ID_TOKENS & claims.keys()


def _media_type(kind: Any) -> str:
    # RFC 7515 4.1.9: names of media types are compared without case, and "application/" is left out.
    return kind.casefold().removeprefix("application/") if isinstance(kind, str) else ""
