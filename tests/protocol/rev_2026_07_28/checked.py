"""A transport of revision 2026-07-28 that validates every message of the server before the client gets it."""

import json

from mcp_tasks.testing.client import Transport
from mcp_tasks.testing.replies import Reply, key_of, read
from mcp_tasks.wire.http import HttpReply, HttpRequest
from mcp_tasks.wire.rev_2026_07_28.listen import LIMIT_REACHED, LISTEN_AGAIN
from tests.protocol.rev_2026_07_28.official import ClientRequest, check


class Checked:
    """Sends the requests of one client."""

    def __init__(self, transport: Transport) -> None:
        self.requests: dict[str, ClientRequest] = {}
        """The client's requests, by id."""
        self._transport = transport

    def __call__(self, request: HttpRequest) -> HttpReply:
        self._record_request(request)
        reply = self._transport(request)
        self.check(read(reply))
        return reply

    def check(self, reply: Reply) -> None:
        """Fail unless the reply is valid by its schemas, and has no session, no event ids and no needless `retry`."""
        assert "mcp-session-id" not in reply.headers
        assert all(event.id is None and event.data for event in reply.events)
        if any(event.retry is not None for event in reply.events):
            assert {LIMIT_REACHED, LISTEN_AGAIN} & set(reply.response["result"]["_meta"])
        if reply.messages:
            check(reply, self.requests.get(key_of(reply.response.get("id"))))

    def _record_request(self, request: HttpRequest) -> None:
        try:
            message = json.loads(request.body)
            key = key_of(message["id"])
        except (ValueError, RecursionError, OverflowError, TypeError, KeyError, IndexError):
            return
        if "method" in message:
            self.requests[key] = ClientRequest.by(message)
