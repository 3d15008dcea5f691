"""One small document over HTTP, within a time that is the limit of everything together."""

import socket
from collections.abc import Mapping
from contextlib import closing, suppress
from datetime import timedelta
from http.client import HTTPConnection, HTTPSConnection
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Final
from urllib.parse import urlsplit

from mcp_tasks.limits.requests import MAX_KEYS_BYTES

HEADERS: Final[Mapping[str, str]] = {"Accept": "application/json", "User-Agent": "mcp-task-server"}


class NotFetched(Exception):
    """The document could not be had; the text says why."""


def fetch(url: str, *, within: timedelta) -> bytes:
    """Return the document, which may have 256 KiB at most; redirects are not followed.

    Raises:
        NotFetched: There is none, it is too large, or the time is over.
    """
    getting = _Get(url, timeout=within.total_seconds())
    getting.start()
    try:
        answer = getting.answer.get(timeout=within.total_seconds())
    except Empty:
        getting.give_up()
        raise NotFetched(f"not answered within {within.total_seconds():g} s") from None
    if isinstance(answer, Exception):
        raise NotFetched(f"{type(answer).__name__}: {answer}") from answer
    return answer


class _Get(Thread):
    """A GET in a thread of its own.

    A socket's time limit holds for one read, so a server that drips keeps within it for ever; and no limit holds for
    the look-up of a name.
    """

    def __init__(self, url: str, *, timeout: float) -> None:
        super().__init__(daemon=True)
        self.answer: SimpleQueue[bytes | Exception] = SimpleQueue()
        self._url = urlsplit(url)
        self._timeout = timeout
        self._socket: socket.socket | None = None
        self._given_up = Event()

    def run(self) -> None:
        """Put the document, or whatever prevented it, into `answer`."""
        kind = HTTPSConnection if self._url.scheme == "https" else HTTPConnection
        try:
            with closing(kind(self._url.netloc, timeout=self._timeout)) as connection:
                self.answer.put(self._document(connection))
        except Exception as error:  # noqa: BLE001  # whoever waits is told, whatever it is
            self.answer.put(error)

    def give_up(self) -> None:
        """End the thread: what it reads from now on is the end of the connection."""
        self._given_up.set()
        if self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

    def _document(self, connection: HTTPConnection) -> bytes:
        connection.connect()
        self._socket = connection.sock
        # `give_up` does these two in the other order, so one of the two sees what the other did.
        if self._given_up.is_set():
            raise TimeoutError
        target = f"{self._url.path or '/'}?{self._url.query}".removesuffix("?")
        connection.request("GET", target, headers=HEADERS)
        response = connection.getresponse()
        if response.status != 200:
            raise OSError(f"status {response.status}")
        body = response.read(MAX_KEYS_BYTES + 1)
        if len(body) > MAX_KEYS_BYTES:
            raise OSError(f"more than {MAX_KEYS_BYTES} bytes")
        return body
