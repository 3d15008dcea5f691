"""HTTP byte by byte: what no client library would send, and whatever comes back."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from local.http_server import TIMEOUT_SECONDS, Answer, Handler, Head, Reply, listen, running

DEADLINE_SECONDS = 10


@dataclass(slots=True)
class RecordingHandler:
    """A handler that records its requests, and responds with the body, except at /refused."""

    heads: list[Head] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)

    def __call__(self, head: Head) -> Reply | Answer:
        self.heads.append(head)
        return Reply(status=403) if head.path == "/refused" else self._answer

    def _answer(self, body: bytes) -> Reply:
        self.bodies.append(body)
        return Reply(status=200, body=body)


class Line:
    """A connection; an answer is its status and its body."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE_SECONDS)
        self._received = self._socket.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._received.close()
        self._socket.close()

    def send(self, *lines: str, body: bytes = b"") -> None:
        """Send a head, and what follows it."""
        self.push("\r\n".join([*lines, "", ""]).encode("latin-1") + body)

    def push(self, sent: bytes) -> None:
        """Send bytes, as many as the server takes before it closes."""
        try:
            self._socket.sendall(sent)
        except ConnectionError:
            return

    def answer(self) -> tuple[int, bytes]:
        """Return the next answer; fails if none comes."""
        status = int(self._received.readline().split()[1])
        headers = {}
        while (line := self._received.readline()) not in (b"\r\n", b""):
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        length = "0" if status == 100 else headers.get("content-length")
        return status, self._received.read(None if length is None else int(length))

    def closed(self) -> bool:
        """Wait until the server has closed the connection; fails if it sends anything before."""
        try:
            return self._received.read(1) == b""
        except ConnectionResetError:
            return True

    def accepted_option(self, level: int, name: int) -> int:
        """Return an option of the server's end of the connection, which is in this process too."""
        sockets = [int(each.name) for each in Path("/proc/self/fd").iterdir() if each.is_socket()]
        for number in sockets:
            with suppress(OSError), socket.socket(fileno=os.dup(number)) as end:
                if end.getpeername() == self._socket.getsockname():
                    return end.getsockopt(level, name)
        raise LookupError("the server's end is not open in this process")


@contextmanager
def served(handler: Handler, *, timeout: int = TIMEOUT_SECONDS) -> Iterator[int]:
    """Serve a handler; yields the port."""
    with listen() as listening, running(handler, listening, timeout=timeout):
        yield listening.getsockname()[1]
