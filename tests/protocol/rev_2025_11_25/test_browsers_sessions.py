"""A web page of an allowed origin may read the header with its session id."""

import json

from mcp_tasks.wire.http import HttpRequest
from mcp_tasks.wire.server import handle
from tests.kit import ADA
from tests.protocol.harness import ORIGIN, Harness
from tests.protocol.requirements import requirement

HELLO = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "x", "capabilities": {}}}


@requirement("A-HTTP-2", "B-HTTP-2")
def test_a_page_may_read_the_answer_and_its_session(harness: Harness) -> None:
    usual = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    request = HttpRequest(method="POST", headers=usual | {"origin": ORIGIN}, body=json.dumps(HELLO).encode())

    reply = handle(harness.server, request, ADA)
    exposed = {each.strip().lower() for each in reply.headers["access-control-expose-headers"].split(",")}

    assert (reply.status, reply.headers["access-control-allow-origin"]) == (200, ORIGIN)
    assert exposed == {"mcp-session-id", "retry-after", "www-authenticate"}
    assert reply.headers["vary"] == "Origin"
