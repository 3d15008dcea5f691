"""A web page of an allowed origin calls the deployed server, as its browser lets it; one of another cannot."""

import json
from urllib.parse import urlsplit

from local.http_client import HttpClient
from local.stack import Stack
from mcp_tasks.wire.http import HttpReply, HttpRequest

ORIGIN = "http://localhost:3000"
PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


def preflight(stack: Stack, origin: str) -> HttpReply:
    headers = {
        "origin": origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,mcp-param-x",
    }
    return HttpClient(stack.url).send(HttpRequest(method="OPTIONS", headers=headers))


def post(stack: Stack) -> HttpReply:
    return HttpClient(stack.url, None).send(HttpRequest(method="POST", headers=HEADERS | {"origin": ORIGIN}, body=PING))


def test_a_preflight_is_answered_without_a_token(stack: Stack) -> None:
    reply = preflight(stack, ORIGIN)

    assert (reply.status, reply.headers["access-control-allow-origin"]) == (204, ORIGIN)
    allowed = reply.headers["access-control-allow-headers"].split(", ")
    assert {"authorization", "content-type", "mcp-session-id", "mcp-param-x"} <= set(allowed)
    assert "access-control-allow-credentials" not in reply.headers


def test_a_page_of_another_origin_gets_no_leave(stack: Stack) -> None:
    reply = preflight(stack, "https://evil.example")

    assert (reply.status, "access-control-allow-origin" in reply.headers) == (403, False)


def test_a_page_without_a_token_may_read_where_to_get_one(stack: Stack) -> None:
    refused = post(stack)
    address = refused.headers["www-authenticate"].split('"')[1]
    found = HttpClient(stack.url).get(urlsplit(address).path)

    assert (refused.status, refused.headers["access-control-allow-origin"]) == (401, "*")
    assert (found.status, found.headers["access-control-allow-origin"]) == (200, "*")
