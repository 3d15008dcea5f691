"""An HTTP server on 127.0.0.1, by Uvicorn, for synchronous handlers.

A handler is given the head of a request first, and can reject it before its body is read, which is limited in size.
Requests for web pages of other machines (`foreign.py`) reach no handler.
Each request is handled in a thread of its own: one that waits for a task blocks no other.
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
from ipaddress import ip_address
from threading import Thread
from typing import Any, TypeVar

from uvicorn.config import Config
from uvicorn.server import Server

from local.foreign import pages_here, refusal
from local.http_connections import MOST_CONNECTIONS, Protocol
from local.ports import bound
from mcp_tasks.limits.aws import GATEWAY_TIMEOUT, MAX_BODY_BYTES, MAX_HEADERS_BYTES

logger = logging.getLogger(__name__)

MOST_REQUESTS = 400
"""That are answered at a time, each by a thread of its own, held ones included; further ones are answered with 503."""
MOST_ACCEPTED = 100
"""Connections that are accepted at once, before one of them can be closed."""
TIMEOUT_SECONDS = GATEWAY_TIMEOUT // timedelta(seconds=1)
"""How long a head, and then a body, may take to arrive: API Gateway's limit for a request as a whole."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """A request without its body; `fields` are its headers as received."""

    method: str
    target: str
    fields: tuple[tuple[str, str], ...] = ()

    @property
    def path(self) -> str:
        """Return the request target without its query."""
        return self.target.partition("?")[0]

    @property
    def headers(self) -> Mapping[str, str]:
        """Return the headers by lower-case name; repeated ones are joined by commas (RFC 9110 5.3)."""
        found: dict[str, str] = {}
        for name, value in self.fields:
            found[name] = f"{found[name]}, {value}" if name in found else value
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A complete response; Content-Length is added when it is sent."""

    status: int
    headers: Sequence[tuple[str, str]] = ()
    body: bytes = b""


Answer = Callable[[bytes], Reply]
"""Answers a request whose head was accepted, given its body."""
Handler = Callable[[Head], Reply | Answer]
"""Answers a request by its head alone, or returns the function that answers it with its body."""


def refuse(status: int, message: str, *headers: tuple[str, str]) -> Reply:
    """Return an error in the form that `infra/gateway_responses.py` gives the gateway's own."""
    error = {"code": -32600 if status < 500 else -32603, "message": message}
    body = json.dumps({"jsonrpc": "2.0", "error": error}).encode()
    return Reply(status=status, headers=[("content-type", "application/json"), *headers], body=body)


CLOSE = ("connection", "close")
TOO_MANY = refuse(503, "The server answers too many requests: try again later.", ("retry-after", "1"), CLOSE)
TOO_LONG = refuse(413, f"A body may have at most {MAX_BODY_BYTES} bytes.")

_Receive = Callable[[], Awaitable[Mapping[str, Any]]]


def listen(port: int = 0) -> socket.socket:
    """Return a socket that listens on loopback, on any free port unless one is named; raises `PortInUse`."""
    listening = bound(port)
    listening.listen(MOST_CONNECTIONS)
    return listening


@contextmanager
def running(handler: Handler, listening: socket.socket, *, timeout: int = TIMEOUT_SECONDS) -> Iterator[None]:
    """Serve a handler on a socket until the context ends; `timeout` is for a head, a body and an idle connection.

    Raises:
        ValueError: The socket is not on loopback, so others than this machine's users could call: some handlers ask
            nobody for a token.
    """
    address = listening.getsockname()[0]
    if not ip_address(address).is_loopback:
        raise ValueError(f"{address} is not loopback: what is served on this machine is for this machine alone")
    config = Config(
        _App(handler, timeout),
        http=Protocol,
        ws="none",
        loop="asyncio",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        log_level="critical",  # the app logs its failures itself
        access_log=False,
        date_header=False,
        server_header=False,
        proxy_headers=False,
        backlog=MOST_ACCEPTED,
        timeout_keep_alive=timeout,
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


@dataclass(slots=True)
class _App:
    """A handler as an ASGI application; a request counts until its thread ends, also when its client has left."""

    handler: Handler
    timeout: int
    requests: int = 0

    async def __call__(
        self,
        scope: Mapping[str, Any],
        receive: _Receive,
        send: Callable[[Mapping[str, Any]], Awaitable[None]],
    ) -> None:
        """Answer one request."""
        self.requests += 1
        try:
            reply = TOO_MANY if self.requests > MOST_REQUESTS else None
            reply = reply or _misframed(scope) or await self._answer(_head(scope), receive)
        except asyncio.CancelledError:
            reply = refuse(503, "The server is being stopped.")
        except (Exception, KeyboardInterrupt, SystemExit):  # a tool may raise the latter
            logger.exception("a request failed")
            reply = refuse(500, "Internal error.")
        finally:
            self.requests -= 1
        fields = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in reply.headers]
        length = [] if reply.status == 204 else [(b"content-length", b"%d" % len(reply.body))]
        await send({"type": "http.response.start", "status": reply.status, "headers": fields + length})
        await send({"type": "http.response.body", "body": reply.body})

    async def _answer(self, head: Head, receive: _Receive) -> Reply:
        # Read meanwhile, since a client may disconnect once all is sent; but not before it is told 100 Continue.
        body = None if "expect" in head.headers else asyncio.create_task(self._read(receive))
        why = refusal(head.method, head.target, head.fields, pages_here)
        answer = refuse(403, why) if why else await _in_thread(lambda: self.handler(head))
        if isinstance(answer, Reply):
            return answer
        if int(head.headers.get("content-length", 0)) > MAX_BODY_BYTES:
            return TOO_LONG
        read = await (body or self._read(receive))
        return read if isinstance(read, Reply) else await _in_thread(lambda: answer(read))

    async def _read(self, receive: _Receive) -> bytes | Reply:
        """Return the body, or an error as soon as it is too long or too late."""
        body, more = bytearray(), True
        try:
            async with asyncio.timeout(self.timeout):
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
        return refuse(505, "Only HTTP/1.0 and HTTP/1.1 are supported.", CLOSE)
    names, values = zip(*scope["headers"], strict=True) if scope["headers"] else ((), ())
    if sum(map(len, values)) > MAX_HEADERS_BYTES:
        return refuse(431, f"All header values together may have at most {MAX_HEADERS_BYTES} bytes.")
    # RFC 9112 6.1: a request with both may smuggle a second one past a proxy that goes by the other.
    if {b"content-length", b"transfer-encoding"} <= set(names):
        return refuse(400, "Send Content-Length or Transfer-Encoding, not both.", CLOSE)
    return None


async def _in_thread(work: Callable[[], T]) -> T:
    """Run a blocking function in a daemon thread, for which the end of the process does not wait."""
    done: Future[T] = Future()
    done.set_running_or_notify_cancel()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised where it is waited for
            done.set_exception(error)

    Thread(target=run, daemon=True).start()
    return await asyncio.wrap_future(done)
