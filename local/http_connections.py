"""The connections of the local HTTP server: each is limited in time and in pieces, and idle ones make room."""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_CONNECTIONS = 500
"""Below the usual limit of open files for a process; a further one closes the one that has been idle for longest."""
MOST_PIECES = 10_000
"""A chunk of a body takes some 30 microseconds of CPU, however short it is."""


class _Connection(h11.Connection):
    """Rejects a body in more than `MOST_PIECES` chunks."""

    _pieces = 0

    def next_event(self) -> Any:
        event = super().next_event()
        if isinstance(event, h11.Request):
            self._pieces = 0
        self._pieces += isinstance(event, h11.Data)
        if self._pieces > MOST_PIECES:
            raise h11.RemoteProtocolError("too many pieces")
        return event


class Protocol(H11Protocol):
    """Uvicorn's protocol, with a timeout for the head of a request and for the rest of a rejected body.

    Clients of this machine have one address, so connections are not limited by address: idle ones make room.
    """

    _deadline: asyncio.TimerHandle | None = None
    _idle_since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a new connection, and make room for it."""
        super().connection_made(transport)
        self.conn = _Connection(h11.SERVER)
        self._wait()
        if len(self.connections) > MOST_CONNECTIONS:
            self._make_room()

    def data_received(self, data: bytes) -> None:
        """Take bytes, also after a request was answered that they are the rest of."""
        try:
            super().data_received(data)
        except h11.LocalProtocolError:
            # The rest of an already answered request is malformed, and cannot be answered again.
            self.transport.close()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._wait()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        if self._deadline is not None:
            self._deadline.cancel()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._idle_since = self.loop.time()
        self._deadline = self.loop.call_later(self.timeout_keep_alive, self._give_up)

    def _make_room(self) -> None:
        """Close the connection that has been idle for longest: this one, where requests wait on all others."""
        open_ones = [each for each in self.connections if isinstance(each, Protocol)]
        idle = [each for each in open_ones if not each.is_busy and not each.transport.is_closing()]
        min(idle, key=lambda each: each._idle_since).transport.close()

    @property
    def is_busy(self) -> bool:
        """Whether a request has come that is not answered yet."""
        return self.cycle is not None and not self.cycle.response_complete

    def _give_up(self) -> None:
        if self.is_busy:
            return
        if self.conn.trailing_data[0]:
            self.transport.write(b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
        self.transport.close()
