"""An issuer's key endpoint on this machine that responds as a test sets it: at once, byte by byte, or never."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

HEAD = b"HTTP/1.1 200 OK\r\nX-Long: "
BODY = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"


class KeyServer(ThreadingHTTPServer):
    """A JWKS endpoint whose answer the test chooses, and which counts.

    With `drips`, that is the beginning of an answer which goes on a byte at a time, for as long as the client listens;
    empty, it is never begun.
    """

    status = 200
    body = b""
    drips: bytes | None = None
    fetches = 0

    def __init__(self) -> None:
        """Listen on any port."""
        super().__init__(("127.0.0.1", 0), _Answer)
        self.hung_up = Event()
        self.closing = Event()

    @property
    def url(self) -> str:
        """Return where the keys are."""
        return f"http://127.0.0.1:{self.server_port}/jwks.json"

    def publish(self, **keys: ec.EllipticCurvePublicKey | rsa.RSAPublicKey) -> None:
        """Answer with these keys from now on."""
        self.status, self.drips = 200, None
        self.body = json.dumps({"keys": [{**public_jwk(key), "kid": kid} for kid, key in keys.items()]}).encode()


class _Answer(BaseHTTPRequestHandler):
    server: KeyServer

    def do_GET(self) -> None:
        self.server.fetches += 1
        if self.server.drips is not None:
            self._drip(self.server.drips)
            return
        self.send_response(self.server.status)
        self.end_headers()
        self.wfile.write(self.server.body)

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _drip(self, beginning: bytes) -> None:
        self.connection.settimeout(0.02)
        try:
            self.wfile.write(beginning)
            while not self.server.closing.is_set():
                if beginning:
                    self.wfile.write(b" ")
                if self._client_is_gone():
                    break
        except ConnectionError:
            pass
        self.server.hung_up.set()

    def _client_is_gone(self) -> bool:
        try:
            return not self.connection.recv(1)
        except TimeoutError:
            return False


def public_jwk(key: ec.EllipticCurvePublicKey | rsa.RSAPublicKey) -> dict[str, Any]:
    """Return a public key as an issuer would publish it, without a name."""
    if isinstance(key, rsa.RSAPublicKey):
        return {**RSAAlgorithm.to_jwk(key, as_dict=True)}
    return {**ECAlgorithm.to_jwk(key, as_dict=True)}


@contextmanager
def key_server() -> Iterator[KeyServer]:
    """Serve until the block ends."""
    server = KeyServer()
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()
