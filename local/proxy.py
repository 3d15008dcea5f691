"""A reverse proxy that adds a bearer token to requests, for MCP clients that cannot send a header of their own.

    TOKEN=$(make -s token) python -m local.proxy http://127.0.0.1:4566/...

Prints the URL to give to the client, and that of the console, for the caller of the token.  Every request to that URL
has the token's rights, so it listens on loopback only.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from threading import Event
from urllib.parse import urlsplit

from local.console import console_reply
from local.http_server import Answer, Head, Reply, listen, refuse, running
from local.ports import PortInUse, port_number
from local.processes import interruptible
from local.stage import NO_TOKEN, given_token

ANSWER_SECONDS = 60
"""Longer than the server holds a request."""
NOT_FORWARDED = frozenset(
    {
        # Hop-by-hop headers (RFC 9110 7.6.1), and those that frame the body, which is forwarded in one piece.
        *("connection", "expect", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection"),
        *("te", "trailer", "transfer-encoding", "upgrade", "content-length"),  # codespell:ignore te
        # Headers that the proxy sets itself.
        *("authorization", "host"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Forwards requests to `url` with `token`."""

    url: str
    token: str

    @property
    def path(self) -> str:
        """Return the only path that is forwarded, with or without a slash at its end: some clients write one."""
        return urlsplit(self.url).path.removesuffix("/")

    @property
    def page(self) -> str:
        """Return the path of the console, which calls `mcp` beside it."""
        return self.path.removesuffix("mcp") if self.path.endswith("/mcp") else ""

    def __call__(self, head: Head) -> Reply | Answer:
        """Reject a request by its head, or return the function that forwards it."""
        if head.path == self.page:
            return console_reply(head)
        known = head.path.removesuffix("/") == self.path
        return partial(self._answer, head) if known else refuse(404, "Not Found")

    def _answer(self, head: Head, body: bytes) -> Reply:
        try:
            return self._forward(head, body)
        except (OSError, HTTPException) as error:
            return refuse(502, f"{self.url} does not answer: {error}")

    def _forward(self, head: Head, body: bytes) -> Reply:
        address = urlsplit(self.url)
        connect = HTTPSConnection if address.scheme == "https" else HTTPConnection
        connection = connect(address.netloc, timeout=ANSWER_SECONDS)
        try:
            # The path of `url` as it was given: the server may know no other.
            target = (address.path or "/") + head.target.removeprefix(head.path)
            connection.putrequest(head.method, target, skip_accept_encoding=True)
            for name, value in _forwarded(head.fields):
                if name.lower() == "origin" and value == f"http://{head.headers['host']}":
                    # The console's own requests: the server knows other origins than this proxy's.
                    continue
                connection.putheader(name, value)
            connection.putheader("authorization", f"Bearer {self.token}")
            if body:
                connection.putheader("content-length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            return Reply(status=answer.status, headers=_forwarded(answer.getheaders()), body=answer.read())
        finally:
            connection.close()


def _forwarded(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(name, value) for name, value in headers if name.lower() not in NOT_FORWARDED]


@contextmanager
def running_proxy(target: Target, *, port: int = 0) -> Iterator[str]:
    """Serve on 127.0.0.1, on any free port unless one is named; yields the URL for the client."""
    with listen(port) as listening, running(target, listening):
        yield f"http://127.0.0.1:{listening.getsockname()[1]}{target.path or '/'}"


def main(arguments: list[str] | None = None) -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m local.proxy")
    parser.add_argument("url", help="the MCP endpoint that requires a token")
    parser.add_argument("--port", type=port_number, default=8001)
    given = parser.parse_args(arguments)
    # Not an argument: every user of a machine can read the arguments of all processes.
    token = given_token() or parser.error(f"set TOKEN: {NO_TOKEN}")
    interruptible()
    try:
        with suppress(KeyboardInterrupt), running_proxy(Target(url=given.url, token=token), port=given.port) as url:
            print(f"url={url}\npage={url.removesuffix('mcp')}", flush=True)
            Event().wait()
    except PortInUse as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
