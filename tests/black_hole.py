"""A server that takes connections and never answers, or begins to and drips."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

SILENCE = b""
HEAD = b"HTTP/1.1 200 OK\r\nX-Long: "
BODY = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: 100000\r\n\r\n{"


class BlackHole(Thread):
    """Each connection gets `beginning`, then a byte at a time for as long as it lasts; nothing at all without one."""

    def __init__(self, beginning: bytes) -> None:
        """Listen on any port."""
        super().__init__(daemon=True)
        self.beginning = beginning
        self.connections = 0
        self.closing = Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._listening.settimeout(0.02)

    @property
    def url(self) -> str:
        """Return the URL of the server."""
        return f"http://127.0.0.1:{self._listening.getsockname()[1]}"

    def run(self) -> None:
        """Take connections until the test is over."""
        taken: list[socket.socket] = []
        with self._listening:
            while not self.closing.is_set():
                with suppress(TimeoutError):
                    connection, _ = self._listening.accept()
                    self.connections += 1
                    taken.append(connection)
                    connection.sendall(self.beginning)
                for each in taken if self.beginning else ():
                    with suppress(OSError):
                        each.send(b" ")
        for each in taken:
            each.close()


@contextmanager
def black_hole(beginning: bytes = SILENCE) -> Iterator[BlackHole]:
    """Listen until the block ends."""
    hole = BlackHole(beginning)
    hole.start()
    try:
        yield hole
    finally:
        hole.closing.set()
        hole.join()
