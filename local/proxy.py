"""A door on this machine to a server that wants a token, for MCP clients that cannot send a header of their own.

    TOKEN=$(make -s token) python -m local.proxy http://127.0.0.1:4566/...

Prints the URL to give to the client.  Whoever can reach that URL is whoever the token says, so only this machine can.
"""

import argparse
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

ANSWER_SECONDS = 60
"""Longer than the server holds a line."""
LOOPBACK = ("127.0.0.1", "localhost")
# What is between two neighbours, and what the proxy says itself.
NOT_SENT_ON = frozenset(
    "connection expect host keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer"
    " transfer-encoding upgrade".split()
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

    def ask(self, method: str, query: str, headers: list[tuple[str, str]], body: bytes) -> tuple[HTTPResponse, bytes]:
        """Send a request on and return the answer with all of its body."""
        address = urlsplit(self.url)
        connect = HTTPSConnection if address.scheme == "https" else HTTPConnection
        connection = connect(address.netloc, timeout=ANSWER_SECONDS)
        try:
            connection.putrequest(method, address.path + query, skip_accept_encoding=True)
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

    def do_POST(self) -> None:  # the library's name
        """Send a request on, and its answer back."""
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        path, mark, query = self.path.partition("?")
        if path != urlsplit(self._target.url).path:
            return self._answer(404)
        if not (self._target.strangers or self._from_here()):
            return self._answer(403)
        if "transfer-encoding" in self.headers:
            # The body has a length or is not read at all, and then the connection is of no more use.
            self.close_connection = True
            return self._answer(411)
        sent = [(name, value) for name, value in _passing(self.headers.items()) if name.lower() != "authorization"]
        try:
            answer, text = self._target.ask(self.command, mark + query, sent, body)
        except (OSError, HTTPException):
            return self._answer(502)
        return self._answer(answer.status, _passing(answer.getheaders()), text)

    do_GET = do_DELETE = do_POST

    def _from_here(self) -> bool:
        return self.headers.get("host", "").rpartition(":")[0] in LOOPBACK

    def _answer(self, status: int, headers: Iterator[tuple[str, str]] = iter(()), body: bytes = b"") -> None:
        # A client may leave before it is answered.
        with suppress(ConnectionError):
            self.send_response_only(status)
            for name, value in headers:
                if name.lower() != "content-length":
                    self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # the library's name
        """Keep quiet."""
