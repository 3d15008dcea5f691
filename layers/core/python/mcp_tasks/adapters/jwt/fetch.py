"""Fetches one small document over HTTP within one limit for DNS, connection, TLS and body together."""

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
    """The document could not be fetched; the text says why."""


def fetch(url: str, *, within: timedelta) -> bytes:
    """Return the document, of at most `MAX_KEYS_BYTES`; redirects are not followed.

    Raises:
        NotFetched: The status is not 200, the document is too large, or the time is over.
    """
    get = _Get(url, timeout=within.total_seconds())
    get.start()
    try:
        result = get.result.get(timeout=within.total_seconds())
    except Empty:
        get.abort()
        raise NotFetched(f"not answered within {within.total_seconds():g} s") from None
    if isinstance(result, Exception):
        raise NotFetched(f"{type(result).__name__}: {result}") from result
    return result


class _Get(Thread):
    """A GET in a thread of its own, which the caller can leave behind.

    A socket's timeout is for one read, so a server that sends byte by byte never exceeds it; and a DNS look-up has no
    timeout.
    """

    def __init__(self, url: str, *, timeout: float) -> None:
        super().__init__(daemon=True)
        self.result: SimpleQueue[bytes | Exception] = SimpleQueue()
        self._url = urlsplit(url)
        self._timeout = timeout
        self._socket: socket.socket | None = None
        self._aborted = Event()

    def run(self) -> None:
        """Put the document, or the exception that prevented it, into `result`."""
        kind = HTTPSConnection if self._url.scheme == "https" else HTTPConnection
        try:
            with closing(kind(self._url.netloc, timeout=self._timeout)) as connection:
                self.result.put(self._document(connection))
        except Exception as error:  # noqa: BLE001  # raised in the thread that waits
            self.result.put(error)

    def abort(self) -> None:
        """End the thread by shutting down its socket."""
        self._aborted.set()
        if self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

    def _document(self, connection: HTTPConnection) -> bytes:
        connection.connect()
        self._socket = connection.sock
        # `abort` sets the flag before it reads the socket, so one of the two threads sees the other's assignment.
        if self._aborted.is_set():
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
