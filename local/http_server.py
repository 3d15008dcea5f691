"""HTTP on 127.0.0.1: Uvicorn reads and writes it, a site answers it.

A site sees the head of a request first, and refuses it without waiting for its body, of which a bounded part is kept at
most.  Each answer is made in a thread of its own: a request that waits for news keeps nobody else waiting.
"""

import asyncio
import json
import logging
import socket
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from threading import Thread
from typing import Any, TypeVar

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import Server

from mcp_tasks.limits.aws import GATEWAY_TIMEOUT, MAX_BODY_BYTES, MAX_HEADERS_BYTES

logger = logging.getLogger(__name__)

MOST_CONNECTIONS = 500
"""Few enough for the files that a process may have open; more are answered with 503."""
MOST_PIECES = 10_000
"""A piece of a body costs some 30 microseconds, however short it is."""
PATIENCE_SECONDS = GATEWAY_TIMEOUT // timedelta(seconds=1)
"""How long a head, and then a body, may take: as long as API Gateway gives a request in all."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """All of a request but its body; `fields` are its headers as they came."""

    method: str
    target: str
    fields: tuple[tuple[str, str], ...] = ()

    @property
    def path(self) -> str:
        """Return where the request goes, without the query."""
        return self.target.partition("?")[0]

    @property
    def headers(self) -> Mapping[str, str]:
        """Return the headers by their lower-case names; one that came more than once is a list (RFC 9110 5.3)."""
        found: dict[str, str] = {}
        for name, value in self.fields:
            found[name] = f"{found[name]}, {value}" if name in found else value
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A complete answer; the length of its body is not among its headers."""

    status: int
    headers: Sequence[tuple[str, str]] = ()
    body: bytes = b""


Answer = Callable[[bytes], Reply]
"""Answers a request whose head was looked at, given its body."""
Site = Callable[[Head], Reply | Answer]
"""Looks at the head of a request, and refuses it or says how it is answered."""


def refuse(status: int, message: str, *headers: tuple[str, str]) -> Reply:
    """Refuse a request in the words of `infra/gateway_responses.py`, the gateway's own."""
    error = {"code": -32600 if status < 500 else -32603, "message": message}
    body = json.dumps({"jsonrpc": "2.0", "error": error}).encode()
    return Reply(status=status, headers=[("content-type", "application/json"), *headers], body=body)


CLOSE = ("connection", "close")
TOO_LONG = refuse(413, f"A body may have {MAX_BODY_BYTES} bytes.")

_Receive = Callable[[], Awaitable[Mapping[str, Any]]]


def listen(port: int = 0) -> socket.socket:
    """Listen on this machine alone, on any free port unless one is named."""
    # asyncio turns Nagle's algorithm off for sockets that say that they are TCP; `create_server` makes none that does.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
        listening.listen(MOST_CONNECTIONS)
    except OSError:
        listening.close()
        raise
    return listening


@contextmanager
def running(site: Site, listening: socket.socket, *, patience: int = PATIENCE_SECONDS) -> Iterator[None]:
    """Serve a site to whoever connects to a socket."""
    config = Config(
        _App(site, patience),
        http=_Protocol,
        ws="none",
        loop="asyncio",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        log_level="critical",  # the app logs what is worth a line
        access_log=False,
        date_header=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=patience,
        timeout_graceful_shutdown=1,
    )
    server = Server(config)
    thread = Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.should_exit = True
        thread.join()


class _Connection(h11.Connection):
    """Refuses a body in crumbs."""

    _pieces = 0

    def next_event(self) -> Any:
        event = super().next_event()
        if isinstance(event, h11.Request):
            self._pieces = 0
        self._pieces += isinstance(event, h11.Data)
        if self._pieces > MOST_PIECES:
            raise h11.RemoteProtocolError("too many pieces")
        return event


class _Protocol(H11Protocol):
    """Uvicorn's, except that it waits neither for a head nor for the rest of a refused body for ever."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.conn = _Connection(h11.SERVER)
        self._wait()

    def data_received(self, data: bytes) -> None:
        try:
            super().data_received(data)
        except h11.LocalProtocolError:
            # What was answered already went on wrongly, and cannot be answered twice.
            self.transport.close()

    def on_response_complete(self) -> None:
        self._wait()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = self.loop.call_later(self.timeout_keep_alive, self._give_up)

    def _give_up(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            return
        if self.conn.trailing_data[0]:
            self.transport.write(b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
        self.transport.close()


@dataclass(frozen=True, slots=True)
class _App:
    """A site as an ASGI application."""

    site: Site
    patience: int

    async def __call__(
        self,
        scope: Mapping[str, Any],
        receive: _Receive,
        send: Callable[[Mapping[str, Any]], Awaitable[None]],
    ) -> None:
        """Answer one request."""
        try:
            reply = _misframed(scope) or await self._answer(_head(scope), receive)
        except asyncio.CancelledError:
            reply = refuse(503, "The server is being stopped.")
        except Exception:
            logger.exception("a request failed")
            reply = refuse(500, "Internal error.")
        fields = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in reply.headers]
        length = [] if reply.status == 204 else [(b"content-length", b"%d" % len(reply.body))]
        await send({"type": "http.response.start", "status": reply.status, "headers": fields + length})
        await send({"type": "http.response.body", "body": reply.body})

    async def _answer(self, head: Head, receive: _Receive) -> Reply:
        # Read meanwhile, as a client may leave as soon as all is sent; but not if it asked first whether to send it.
        body = None if "expect" in head.headers else asyncio.create_task(self._read(receive))
        answer = await _in_thread(lambda: self.site(head))
        if isinstance(answer, Reply):
            return answer
        if int(head.headers.get("content-length", 0)) > MAX_BODY_BYTES:
            return TOO_LONG
        read = await (body or self._read(receive))
        return read if isinstance(read, Reply) else await _in_thread(lambda: answer(read))

    async def _read(self, receive: _Receive) -> bytes | Reply:
        """Read a body, or refuse it as soon as it is too long or too late."""
        body, more = bytearray(), True
        try:
            async with asyncio.timeout(self.patience):
                while more:
                    message = await receive()
                    body += message.get("body", b"")
                    if len(body) > MAX_BODY_BYTES:
                        return TOO_LONG
                    more = message.get("more_body", False)
        except TimeoutError:
            return refuse(408, "The body did not come in time.", CLOSE)
        gone = message["type"] == "http.disconnect"
        return refuse(400, "The body ended too soon.") if gone else bytes(body)


def _head(scope: Mapping[str, Any]) -> Head:
    target = scope["raw_path"] + (b"?" + scope["query_string"] if scope["query_string"] else b"")
    fields = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"])
    return Head(method=scope["method"], target=target.decode("latin-1"), fields=fields)


def _misframed(scope: Mapping[str, Any]) -> Reply | None:
    if scope["http_version"] not in ("1.0", "1.1"):
        return refuse(505, "HTTP/1.1 is spoken here.", CLOSE)
    names, values = zip(*scope["headers"], strict=True) if scope["headers"] else ((), ())
    if sum(map(len, values)) > MAX_HEADERS_BYTES:
        return refuse(431, f"The values of all headers may have {MAX_HEADERS_BYTES} bytes.")
    # RFC 9112 6.1: whoever sends both may be smuggling a second request past somebody who believes the other.
    if {b"content-length", b"transfer-encoding"} <= set(names):
        return refuse(400, "Send Content-Length or Transfer-Encoding, not both.", CLOSE)
    return None


async def _in_thread(work: Callable[[], T]) -> T:
    """Run what may block in a thread of its own, which the end of the process does not wait for."""
    done: Future[T] = Future()
    done.set_running_or_notify_cancel()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised where it is waited for
            done.set_exception(error)

    Thread(target=run, daemon=True).start()
    return await asyncio.wrap_future(done)
