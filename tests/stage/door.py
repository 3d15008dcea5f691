"""A client at the server's door: JSON-RPC in the sessions of revision 2025-11-25, streams followed to their end."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from mcp_tasks.authoring.errors import McpError
from mcp_tasks.tasks.model import JSON
from mcp_tasks.wire.http import HttpRequest
from tests.protocol.replies import Reply, read
from tests.stage.gateway import Gateway

VERSION: Final = "2025-11-25"
ABLE: Final[Mapping[str, JSON]] = {"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}, "roots": {}}
"""All that a client can be asked."""


@dataclass(slots=True, kw_only=True)
class Door:
    """One caller's client.

    `told` is every notification that it received, `asked` every request, to which `user` says the result; without one,
    the client leaves what it is asked to others.
    """

    gateway: Gateway
    capabilities: Mapping[str, JSON] = field(default_factory=lambda: ABLE)
    user: Callable[[Mapping[str, JSON]], JSON] | None = None
    told: list[dict[str, JSON]] = field(default_factory=list)
    asked: list[dict[str, JSON]] = field(default_factory=list)
    _session: str | None = None
    _sent: int = 0

    def ask(self, method: str, params: Mapping[str, JSON]) -> JSON:
        """Send a request and return its result, however many connections that takes; raises `McpError`."""
        self._sent += 1
        request = {"jsonrpc": "2.0", "id": self._sent, "method": method, "params": params}
        for message in self._messages(request):
            if "method" in message:
                self._take(message)
            elif "error" in message:
                error = message["error"]
                raise McpError(error["code"], error["message"], error.get("data"))
            else:
                return message["result"]
        raise AssertionError(f"{method} was not answered")

    def _take(self, message: dict[str, JSON]) -> None:
        if "id" not in message:
            self.told.append(message)
            return
        self.asked.append(message)
        if self.user is not None:
            self._send("POST", {}, {"jsonrpc": "2.0", "id": message["id"], "result": self.user(message)})

    def _messages(self, request: Mapping[str, JSON]) -> Iterator[dict[str, JSON]]:
        reply = self._within_session(request)
        yield from reply.messages
        while reply.streamed:
            (retry,) = {event.retry for event in reply.events if event.retry is not None}
            self.gateway.lambdas.clock.sleep(timedelta(milliseconds=retry))
            reply = self._send("GET", {"last-event-id": reply.place})
            yield from reply.messages

    def _within_session(self, request: Mapping[str, JSON]) -> Reply:
        for _ in range(2):
            if self._session is None:
                self._initialize()
            reply = self._send("POST", {}, request)
            if reply.status != 404:
                return reply
            self._session = None
        raise AssertionError("the server does not know the session that it has just opened")

    def _initialize(self) -> None:
        client = {"clientInfo": {"name": "stage", "version": "1"}, "capabilities": self.capabilities}
        params = {"protocolVersion": VERSION, **client}
        reply = self._send("POST", {}, {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
        self._session = reply.headers["mcp-session-id"]
        self._send("POST", {}, {"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _send(self, method: str, headers: Mapping[str, str], body: Mapping[str, JSON] | None = None) -> Reply:
        fixed = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
        session = {"mcp-session-id": self._session, "mcp-protocol-version": VERSION} if self._session else {}
        content = json.dumps(body).encode() if body is not None else b""
        request = HttpRequest(method=method, headers={**fixed, **session, **headers}, body=content)
        reply = read(self.gateway.bring(request))
        assert reply.status in {200, 202, 404}, reply
        return reply
