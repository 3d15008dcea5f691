"""Lambda's Invoke on real sockets, with connections that break as those of a process do that was frozen."""

import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


@dataclass
class Lambda:
    """The function: how often it ran, for whom and over how many connections, and when these break."""

    url: str
    ran: int = 0
    connections: int = 0
    forgotten: set[int] = field(default_factory=set)
    breaks_after_running: bool = False
    tenants: list[str | None] = field(default_factory=list)

    def forget(self) -> None:
        """Forget the connections that there are: whatever is sent over them is answered with a reset."""
        self.forgotten = set(range(1, self.connections + 1))


class _Connection(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    function: Lambda

    def setup(self) -> None:
        super().setup()
        self.function.connections += 1
        self.number = self.function.connections

    def do_POST(self) -> None:
        if self.number in self.function.forgotten:
            return self._reset()
        self.rfile.read(int(self.headers["Content-Length"]))
        self.function.ran += 1
        self.function.tenants.append(self.headers["X-Amz-Tenant-Id"])
        if self.function.breaks_after_running:
            return self._reset()
        self.send_response(200)
        self.send_header("Content-Length", "4")
        self.end_headers()
        self.wfile.write(b"true")

    def _reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True

    def log_message(self, *args: object) -> None:
        """Print nothing."""


@contextmanager
def lambda_server(port: int = 0) -> Iterator[Lambda]:
    """Listen until the block ends."""
    handler: Any = type("Connection", (_Connection,), {})
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    function = handler.function = Lambda(url=f"http://127.0.0.1:{server.server_address[1]}")
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield function
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
