"""A transport of revision 2025-11-25 that validates every message of the server before the client gets it."""

import json
import re
from collections.abc import Mapping
from typing import Any

from mcp_tasks.testing.client import Transport
from mcp_tasks.testing.replies import Reply, key_of, read
from mcp_tasks.testing.rev_2025_11_25 import REVISION
from mcp_tasks.wire.http import HttpReply, HttpRequest
from tests.protocol.rev_2025_11_25.official import check, may_be_sent

VISIBLE_ASCII = re.compile(r"[\x21-\x7e]+")


class Checked:
    """Sends the requests of one client; `event_ids` are those of all events that the server sent to any client."""

    def __init__(self, transport: Transport, event_ids: set[str] | None = None) -> None:
        self.requests: dict[str, tuple[str, bool]] = {}
        """The method of each request by its id, and whether it is task-augmented."""
        self._transport = transport
        self._event_ids = set() if event_ids is None else event_ids
        self._capabilities: Mapping[str, Any] = {}
        self._received: dict[str, Any] = {}

    def __call__(self, request: HttpRequest) -> HttpReply:
        self._record_request(_message(request))
        reply = self._transport(request)
        read_reply = read(reply)
        self.check(read_reply)
        self._check_input_requests(read_reply, request)
        return reply

    def forget(self) -> None:
        """Forget the requests so far, since another client will use the same ids."""
        self.requests.clear()

    def check(self, reply: Reply) -> None:
        """Fail unless each message is valid by its schema, and the ids of events and sessions are as specified."""
        for message in reply.messages:
            method, as_task = self.requests.get(key_of(message.get("id")), (None, False))
            check(message, method, as_task=as_task and "task" in message.get("result", ()))
        if "mcp-session-id" in reply.headers:
            assert "protocolVersion" in reply.message["result"], "only the answer to `initialize` names the session"
            assert VISIBLE_ASCII.fullmatch(reply.headers["mcp-session-id"])
        for event in reply.events:
            assert event.id not in self._event_ids, "an event id came twice"
            if event.id is not None:
                self._event_ids.add(event.id)

    def _record_request(self, message: Mapping[str, Any]) -> None:
        if not {"method", "id"} <= message.keys():
            return
        params = message.get("params")
        given = params if isinstance(params, dict) else {}
        self.requests[key_of(message["id"])] = (message["method"], given.get("task") is not None)
        if message["method"] == "initialize":
            self._capabilities = given.get("capabilities", {})

    def _check_input_requests(self, reply: Reply, request: HttpRequest) -> None:
        for input_request in reply.input_requests:
            known = self._received.setdefault(input_request["id"], input_request)
            assert known == input_request, "an id stands for one request, however often that is sent"
            assert request.headers["mcp-protocol-version"] == REVISION
            assert may_be_sent(input_request["method"], input_request["params"], self._capabilities)


def _message(request: HttpRequest) -> Mapping[str, Any]:
    """Return the message of a request; empty if the body is no valid message."""
    try:
        message = json.loads(request.body)
        key_of(message["id"])
    except (ValueError, RecursionError, OverflowError, TypeError, KeyError, IndexError):
        return {}
    return message if isinstance(message, dict) else {}
