"""A door on this machine to a server that wants a token, for MCP clients that cannot send a header of their own.

    TOKEN=$(make -s token) python -m local.proxy http://127.0.0.1:4566/...

Prints the URL to give to the client.  Whoever can reach that URL is whoever the token says, so only this machine can.
"""

import argparse
import os
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any
from urllib.parse import urlsplit

ANSWER_SECONDS = 60
"""Longer than the server holds a line."""
LOOPBACK = ("127.0.0.1", "localhost")
NOT_SENT_ON = frozenset(
    {
        # What holds between two neighbours only.
        *("connection", "expect", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection"),
        *("te", "trailer", "transfer-encoding", "upgrade"),  # codespell:ignore te
        # What the proxy says itself.
        *("authorization", "host"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where requests go, and what is added to them.

    `strangers` lets in who calls this machine by another name, as the page of a stranger does whose name was made to
    lead here: only for a look at what the server itself says to such.
    """

    url: str
    token: str
    strangers: bool = False

    @property
    def path(self) -> str:
        """Return the only path that leads anywhere."""
        return urlsplit(self.url).path or "/"

    def ask(self, method: str, path: str, headers: list[tuple[str, str]], body: bytes) -> tuple[HTTPResponse, bytes]:
        """Send a request on and return the answer, with all of its body."""
        address = urlsplit(self.url)
        connect = HTTPSConnection if address.scheme == "https" else HTTPConnection
        connection = connect(address.netloc, timeout=ANSWER_SECONDS)
        try:
            connection.putrequest(method, path, skip_accept_encoding=True)
            for name, value in headers:
                connection.putheader(name, value)
            connection.putheader("authorization", f"Bearer {self.token}")
            connection.endheaders(body)
            answer = connection.getresponse()
            return answer, answer.read()
        finally:
            connection.close()


class Handler(BaseHTTPRequestHandler):
    """One connection of a client's."""

    protocol_version = "HTTP/1.1"

    def __init__(self, target: Target, *args: Any) -> None:
        """Take where requests go; the rest is the library's."""
        self._target = target
        super().__init__(*args)

    def handle(self) -> None:
        """Serve the client until it leaves, which it may do at any time."""
        with suppress(ConnectionError):
            super().handle()

    def do_POST(self) -> None:  # the library's name
        """Send a request on, and its answer back."""
        if "transfer-encoding" in self.headers:
            # Where such a body ends, and another request begins, is not looked for.
            self.close_connection = True
            return self._answer(411)
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if status := self._refusal():
            return self._answer(status)
        try:
            answer, text = self._target.ask(self.command, self.path, _passing(self.headers.items()), body)
        except (OSError, HTTPException):
            return self._answer(502)
        return self._answer(answer.status, _passing(answer.getheaders()), text)

    do_GET = do_DELETE = do_POST

    def _refusal(self) -> int | None:
        here = self.headers.get("host", "").rpartition(":")[0] in LOOPBACK
        if not (here or self._target.strangers):
            return 403
        return None if self.path.partition("?")[0] == self._target.path else 404

    def _answer(self, status: int, headers: Iterable[tuple[str, str]] = (), body: bytes = b"") -> None:
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() != "content-length":
                self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # the library's name
        """Keep quiet."""


def _passing(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(name, value) for name, value in headers if name.lower() not in NOT_SENT_ON]


@contextmanager
def running_proxy(target: Target, *, port: int = 0) -> Iterator[str]:
    """Serve on 127.0.0.1, on any free port unless one is named; gives the URL for the client."""
    with ThreadingHTTPServer(("127.0.0.1", port), partial(Handler, target)) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}{target.path}"
        finally:
            server.shutdown()
            thread.join()


def main(arguments: list[str] | None = None) -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m local.proxy")
    parser.add_argument("url", help="the MCP endpoint that wants a token")
    parser.add_argument("--port", type=int, default=8001)
    given = parser.parse_args(arguments)
    # Not an argument: everybody on a machine can read those of everybody's processes.
    token = os.environ.get("TOKEN") or parser.error("set TOKEN to the token")
    for interruption in (signal.SIGINT, signal.SIGTERM):
        signal.signal(interruption, signal.default_int_handler)
    with suppress(KeyboardInterrupt), running_proxy(Target(url=given.url, token=token), port=given.port) as url:
        print(f"url={url}", flush=True)
        Event().wait()


if __name__ == "__main__":
    main()
