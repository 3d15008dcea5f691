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
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from threading import Event
from urllib.parse import urlsplit

from local.gateway import is_here
from local.http_server import Answer, Head, Reply, listen, refuse, running

ANSWER_SECONDS = 60
"""Longer than the server holds a line."""
NOT_SENT_ON = frozenset(
    {
        # What holds between two neighbours only, and what says how long the body is, which comes and goes in one piece.
        *("connection", "expect", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection"),
        *("te", "trailer", "transfer-encoding", "upgrade", "content-length"),  # codespell:ignore te
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

    def __call__(self, head: Head) -> Reply | Answer:
        """Refuse a request by its head, or send it on."""
        if not (is_here(head) or self.strangers):
            return refuse(403, "Forbidden")
        return partial(self._ask, head) if head.path == self.path else refuse(404, "Not Found")

    def _ask(self, head: Head, body: bytes) -> Reply:
        try:
            return self._bring(head, body)
        except (OSError, HTTPException) as error:
            return refuse(502, f"{self.url} does not answer: {error}")

    def _bring(self, head: Head, body: bytes) -> Reply:
        address = urlsplit(self.url)
        connect = HTTPSConnection if address.scheme == "https" else HTTPConnection
        connection = connect(address.netloc, timeout=ANSWER_SECONDS)
        try:
            connection.putrequest(head.method, head.target, skip_accept_encoding=True)
            for name, value in _passing(head.fields):
                connection.putheader(name, value)
            connection.putheader("authorization", f"Bearer {self.token}")
            if body:
                connection.putheader("content-length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            return Reply(status=answer.status, headers=_passing(answer.getheaders()), body=answer.read())
        finally:
            connection.close()


def _passing(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(name, value) for name, value in headers if name.lower() not in NOT_SENT_ON]


@contextmanager
def running_proxy(target: Target, *, port: int = 0) -> Iterator[str]:
    """Serve on 127.0.0.1, on any free port unless one is named; gives the URL for the client."""
    with listen(port) as listening, running(target, listening):
        yield f"http://127.0.0.1:{listening.getsockname()[1]}{target.path}"


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
