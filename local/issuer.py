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
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import Any, Final, Self

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key
from jwt.algorithms import ECAlgorithm

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
    def url(self) -> str:
        """Return the issuer's address, while it is served."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def jwks_url(self) -> str:
        """Return the address of its public keys."""
        return f"{self.url}/.well-known/jwks.json"

    def __enter__(self) -> Self:
        """Serve the keys and the metadata on a thread."""
        self._server = _Server(("127.0.0.1", self._port), _Documents)
        metadata = {"issuer": ISSUER, "jwks_uri": self.jwks_url, "response_types_supported": []}
        self._server.documents = {
            "/.well-known/jwks.json": {"keys": [self.public_key]},
            "/.well-known/openid-configuration": metadata,
            "/.well-known/oauth-authorization-server": metadata,
        }
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Stop the thread and close the port."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    documents: Mapping[str, Mapping[str, Any]]


class _Documents(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        document = self.server.documents.get(self.path)
        body = json.dumps(document).encode() if document else b""
        self.send_response(200 if document else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: requests are logged by default."""


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
    command.add_argument("--tenant", required=True)
    command.add_argument("--subject", required=True)
    command.add_argument("--scope", default=None, help="space-separated scopes")
    command.add_argument("--roles", default=None, help="space-separated roles")
    command.add_argument("--hours", type=float, default=TOKEN_TTL / timedelta(hours=1))
    given = parser.parse_args(arguments)
    roles = {} if given.roles is None else {"roles": given.roles.split()}
    ttl = timedelta(hours=given.hours)
    token = Issuer(home=HOME).token(given.tenant, given.subject, ttl=ttl, scope=given.scope, **roles)
    sys.stdout.write(f"{token}\n")


if __name__ == "__main__":
    main()
