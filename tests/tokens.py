"""Access tokens for tests: good ones, and ones that are wrong in any one part."""

import base64
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa

ISSUER: Final = "https://issuer.test"
AUDIENCE: Final = "https://mcp.test"

KEY: Final = ec.generate_private_key(ec.SECP256R1())
OTHER_KEY: Final = ec.generate_private_key(ec.SECP256R1())
RSA_KEY: Final = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def claims(**changes: Any) -> dict[str, Any]:
    """Return the claims of a good token with some changed; one given as None is left out."""
    now = datetime.now(UTC)
    standard = {"iss": ISSUER, "aud": AUDIENCE, "exp": now + timedelta(hours=1), "iat": now}
    given = {**standard, "tenant": "acme", "sub": "ada", **changes}
    return {name: value for name, value in given.items() if value is not None}


def token(*, key: Any = KEY, kid: Any = "one", algorithm: str = "ES256", **changes: Any) -> str:
    """Return a token that a key has signed, with some claims changed."""
    return jwt.encode(claims(**changes), key, algorithm=algorithm, headers={"kid": kid} if kid else {})


def handmade(header: Mapping[str, Any], sign: Callable[[bytes], bytes] = lambda _: b"", **changes: Any) -> str:
    """Return a token with any header, signed by any function."""
    return compact(header, claims(**changes) | {"exp": 4_000_000_000, "iat": 1_700_000_000}, sign)


def compact(header: Any, payload: Any, sign: Callable[[bytes], bytes]) -> str:
    """Return the compact serialisation of a header and a payload, whatever they are; text is taken as JSON."""
    parts = (part if isinstance(part, str) else json.dumps(part) for part in (header, payload))
    signed = b".".join(encoded(part.encode(errors="surrogatepass")) for part in parts)
    return b".".join([signed, encoded(sign(signed))]).decode()


def encoded(data: bytes) -> bytes:
    """Return data in base64url, as tokens have it."""
    return base64.urlsafe_b64encode(data).rstrip(b"=")
