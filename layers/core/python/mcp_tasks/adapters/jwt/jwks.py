"""Reads the keys that an issuer publishes (JWKS, RFC 7517): those that verify signatures, each on its own."""

import json
import logging
from collections.abc import Iterable, Mapping
from typing import Any, Final

from jwt import PyJWK

logger = logging.getLogger(__name__)

ASYMMETRIC: Final = ("EC", "RSA", "OKP")
PUBLIC: Final = ("kty", "crv", "x", "y", "n", "e")
PRIVATE: Final = frozenset({"d", "p", "q", "dp", "dq", "qi", "oth"})
"""Members that only a private key has.  -- RFC 7518, 6.2.2 and 6.3.2; RFC 8037, 2"""


def verification_keys(document: bytes) -> dict[str, PyJWK]:
    """Return the usable keys by `kid`, without keys of other kinds and without those whose private half is published.

    Anybody can sign with a published private key, so that entries with its name or its public numbers are left out too.
    A document that has no other key gives none, so that the key is not used from a cache either.

    Raises:
        ValueError: The document has no usable key, nor a published private one.
    """
    published = json.loads(document)
    listed = published.get("keys") if isinstance(published, dict) else None
    keys = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    leaked = [each for each in keys if PRIVATE & each.keys()]
    _log(leaked)
    unsafe = {identity for each in leaked for identity in _identities(each)}
    usable: dict[str, PyJWK] = {}
    for each in keys:
        if unsafe.isdisjoint(_identities(each)) and (key := _usable(each)):
            # Of several keys with one `kid` the first counts.
            usable.setdefault(each["kid"], key)
    if not usable and not leaked:
        raise ValueError("no key in it is for signatures and has a name")
    return usable


def _identities(jwk: Mapping[str, Any]) -> set[tuple[Any, ...]]:
    """Return what tells a key from others: its name, if it has one, and its public numbers."""
    numbers = tuple(value if isinstance(value, str) else None for value in map(jwk.get, PUBLIC))
    return {numbers, *([(jwk["kid"],)] if isinstance(jwk.get("kid"), str) else [])}


def _usable(jwk: Mapping[str, Any]) -> PyJWK | None:
    named = isinstance(jwk.get("kid"), str) and jwk["kid"]
    if not named or jwk.get("use") not in ("sig", None) or jwk.get("kty") not in ASYMMETRIC:
        return None
    try:
        return PyJWK(dict(jwk))
    except Exception:  # noqa: BLE001 - PyJWT raises half a dozen kinds for members of other types
        return None


def _log(leaked: Iterable[Mapping[str, Any]]) -> None:
    for each in leaked:
        message = "the issuer publishes a private key, with which anybody can sign: it is not used"
        logger.error(message, extra={"kid": str(each.get("kid"))[:100]})
