"""The local OAuth issuer: a key in `.local/issuer`, served over loopback, and tokens that it signs.

    python -m local.issuer token --tenant acme --subject ada

Anybody who can read the key file can be any caller of the local stack; nothing here is meant for AWS.
"""

import argparse
import base64
import hashlib
import json
import os
import sys
import tempfile
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key
from jwt.algorithms import ECAlgorithm

from local.arguments import name, number_of
from local.http_server import Head, Reply, listen, refuse, running

# Identifiers, not addresses: independent of the port, so that tokens can be signed while nothing is served.
ISSUER: Final = "https://issuer.local.invalid"
AUDIENCE: Final = "https://mcp-tasks.local.invalid/mcp"
ALGORITHM: Final = "ES256"
HOME: Final = Path(__file__).resolve().parent.parent / ".local" / "issuer"
TOKEN_TTL: Final = timedelta(hours=12)


class Issuer:
    """The local issuer; as a context manager it also serves its public key on a loopback port."""

    issuer: Final = ISSUER
    audience: Final = AUDIENCE
    algorithm: Final = ALGORITHM

    def __init__(self, *, home: Path = HOME, port: int = 0) -> None:
        """Use the key in `home`, generated on first use; port 0 is any free port."""
        self._key = _signing_key(home)
        self._port = port
        self.public_key = _public_key(self._key)

    def token(self, tenant: str, subject: str, *, ttl: timedelta = TOKEN_TTL, **claims: Any) -> str:
        """Return a signed token for a subject of a tenant; a claim given as None is omitted."""
        now = datetime.now(UTC)
        standard = {"iss": ISSUER, "aud": AUDIENCE, "iat": now, "exp": now + ttl, "tenant": tenant, "sub": subject}
        payload = {name: value for name, value in {**standard, **claims}.items() if value is not None}
        return jwt.encode(payload, self._key, algorithm=ALGORITHM, headers={"kid": self.public_key["kid"]})

    @property
    def jwks_url(self) -> str:
        """Return the address of its public keys."""
        return f"{self.url}/.well-known/jwks.json"

    def __enter__(self) -> Self:
        """Serve the keys and the metadata, and set `url` to the issuer's address; raises `PortInUse`."""
        with ExitStack() as started:
            listening = started.enter_context(listen(self._port))
            self.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
            started.enter_context(running(self._answer, listening))
            self._served = started.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close the port."""
        self._served.close()

    def _answer(self, head: Head) -> Reply:
        metadata = {"issuer": ISSUER, "jwks_uri": self.jwks_url, "response_types_supported": []}
        documents = {
            "/.well-known/jwks.json": {"keys": [self.public_key]},
            "/.well-known/openid-configuration": metadata,
            "/.well-known/oauth-authorization-server": metadata,
        }
        if head.path not in documents:
            return refuse(404, "Not Found")
        if head.method != "GET":
            return refuse(405, "Use GET.", ("allow", "GET"))
        body = json.dumps(documents[head.path]).encode()
        return Reply(status=200, headers=[("content-type", "application/json")], body=body)


def _signing_key(home: Path) -> EllipticCurvePrivateKey:
    file = home / "key.pem"
    if not file.exists():
        _write_once(file, _new_key())
    key = load_pem_private_key(file.read_bytes(), password=None)
    if not isinstance(key, EllipticCurvePrivateKey):
        raise TypeError(f"{file} holds another kind of key; remove it")
    return key


def _new_key() -> bytes:
    return generate_private_key(SECP256R1()).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _write_once(file: Path, content: bytes) -> None:
    """Write a file atomically, readable by its owner only; of two processes the first one's content stays."""
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=file.parent)  # 0600 from the start
    try:
        with os.fdopen(handle, "wb") as opened:
            opened.write(content)
        os.link(draft, file)
    except FileExistsError:
        pass
    finally:
        os.unlink(draft)


def _public_key(key: EllipticCurvePrivateKey) -> dict[str, str]:
    jwk: dict[str, str] = ECAlgorithm.to_jwk(key.public_key(), as_dict=True)
    # RFC 7638: the key's thumbprint as its id.
    canonical = json.dumps({name: jwk[name] for name in ("crv", "kty", "x", "y")}, separators=(",", ":"))
    thumbprint = base64.urlsafe_b64encode(hashlib.sha256(canonical.encode()).digest()).rstrip(b"=").decode()
    return {**jwk, "kid": thumbprint, "alg": ALGORITHM, "use": "sig"}


def main(arguments: list[str] | None = None) -> None:
    """Print a token."""
    parser = argparse.ArgumentParser(prog="python -m local.issuer")
    command = parser.add_subparsers(required=True).add_parser(
        "token", help="print a token that the local stack accepts"
    )
    command.add_argument("--tenant", type=name, required=True)
    command.add_argument("--subject", type=name, required=True)
    command.add_argument("--scope", default=None, help="space-separated scopes")
    command.add_argument("--roles", default=None, help="space-separated roles")
    command.add_argument("--hours", type=number_of("hours", 0, 24 * 366), default=TOKEN_TTL / timedelta(hours=1))
    given = parser.parse_args(arguments)
    roles = {} if given.roles is None else {"roles": given.roles.split()}
    ttl = timedelta(hours=given.hours)
    token = Issuer(home=HOME).token(given.tenant, given.subject, ttl=ttl, scope=given.scope, **roles)
    sys.stdout.write(f"{token}\n")


if __name__ == "__main__":
    main()
