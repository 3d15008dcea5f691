"""An issuer's key endpoint on this machine that answers what a test tells it to."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm


class KeyServer(HTTPServer):
    """A JWKS endpoint whose answer the test chooses, and which counts."""

    status = 200
    body = b""
    fetches = 0

    @property
    def url(self) -> str:
        """Return where the keys are."""
        return f"http://127.0.0.1:{self.server_port}/jwks.json"

    def publish(self, **keys: ec.EllipticCurvePublicKey | rsa.RSAPublicKey) -> None:
        """Answer with these keys from now on."""
        self.body = json.dumps({"keys": [{**public_jwk(key), "kid": kid} for kid, key in keys.items()]}).encode()


class _Answer(BaseHTTPRequestHandler):
    server: KeyServer

    def do_GET(self) -> None:
        self.server.fetches += 1
        self.send_response(self.server.status)
        self.end_headers()
        self.wfile.write(self.server.body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def public_jwk(key: ec.EllipticCurvePublicKey | rsa.RSAPublicKey) -> dict[str, Any]:
    """Return a public key as an issuer would publish it, without a name."""
    if isinstance(key, rsa.RSAPublicKey):
        return {**RSAAlgorithm.to_jwk(key, as_dict=True)}
    return {**ECAlgorithm.to_jwk(key, as_dict=True)}


@contextmanager
def key_server() -> Iterator[KeyServer]:
    """Serve until the block ends."""
    server = KeyServer(("127.0.0.1", 0), _Answer)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
