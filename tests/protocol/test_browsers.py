"""CORS: browsers get headers for web pages of allowed origins, and none for others."""

import json
from typing import Any

import pytest

from mcp_tasks.security.tenancy import ANONYMOUS
from mcp_tasks.wire.http import HttpReply, HttpRequest
from mcp_tasks.wire.server import handle
from tests.kit import ADA
from tests.protocol.all_features import ALL
from tests.protocol.harness import ORIGIN, Harness
from tests.protocol.requirements import requirement

SENT = (
    "authorization, content-type, accept, mcp-session-id, mcp-protocol-version, last-event-id, mcp-method, mcp-name, "
    "mcp-param-region"
)
FOREIGN = [
    "https://evil.example",
    "null",
    "",
    "https://app.example.evil",
    "http://localhost:\r\nx: y",
    "http://localhost: ",
    "http://localhost:1@evil.example",
    "http://localhost:.evil.example",
]


def send(harness: Harness, method: str, /, body: bytes = b"", **headers: Any) -> HttpReply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return handle(harness.server, HttpRequest(method=method, headers=named, body=body), ANONYMOUS)


def preflight(harness: Harness, origin: str, names: str = SENT) -> HttpReply:
    preflight: Any = {"access_control_request_method": "POST", "access_control_request_headers": names}
    return send(harness, "OPTIONS", origin=origin, **preflight)


def listed(reply: HttpReply, name: str) -> set[str]:
    return {each.strip().lower() for each in reply.headers[name].split(",")}


@pytest.fixture
def harness() -> Harness:
    return Harness(ALL)


@requirement("A-HTTP-2", "B-HTTP-2")
@pytest.mark.parametrize("origin", [ORIGIN, "http://localhost:3000"])
def test_a_page_may_send_all_that_a_client_sends(harness: Harness, origin: str) -> None:
    before = harness.kept()

    reply = preflight(harness, origin)

    assert (reply.status, reply.body, harness.kept()) == (204, "", before)
    assert reply.headers["access-control-allow-origin"] == origin
    assert reply.headers["vary"] == "Origin"
    assert listed(reply, "access-control-allow-methods") == {"post", "get", "delete"}
    assert set(SENT.split(", ")) <= listed(reply, "access-control-allow-headers")
    assert "access-control-allow-credentials" not in reply.headers


@requirement("A-HTTP-2", "B-HTTP-2")
def test_of_other_headers_none_is_let_through(harness: Harness) -> None:
    reply = preflight(
        harness, ORIGIN, "authorization, X-Evil, mcp-param-a b, mcp-param-\r\nx, *, mcp-param-" + "x" * 200
    )

    assert listed(reply, "access-control-allow-headers") < set(SENT.split(", "))


@requirement("A-HTTP-2", "B-HTTP-2")
@pytest.mark.parametrize("origin", FOREIGN)
def test_a_page_of_another_origin_is_rejected_without_cors_headers(harness: Harness, origin: str) -> None:
    for reply in (preflight(harness, origin), send(harness, "POST", b"{}", origin=origin)):
        assert reply.status == 403
        assert not [name for name in reply.headers if name.startswith("access-control")]


@requirement("A-HTTP-2", "B-HTTP-2")
@pytest.mark.parametrize("headers", [{}, {"origin": ORIGIN}, {"access_control_request_method": "POST"}])
def test_other_options_are_rejected(harness: Harness, headers: Any) -> None:
    assert send(harness, "OPTIONS", **headers).status == 405


BODIES: list[tuple[Any, int]] = [
    ({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, 400),
    (7, 400),
]


@requirement("A-HTTP-2", "B-HTTP-2")
@pytest.mark.parametrize(("message", "status"), BODIES)
def test_a_page_may_read_the_answer(harness: Harness, message: Any, status: int) -> None:
    usual = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    request = HttpRequest(method="POST", headers=usual | {"origin": ORIGIN}, body=json.dumps(message).encode())

    reply = handle(harness.server, request, ADA)

    assert (reply.status, reply.headers["access-control-allow-origin"]) == (status, ORIGIN)
    assert listed(reply, "access-control-expose-headers") == {"mcp-session-id", "retry-after", "www-authenticate"}
    assert reply.headers["vary"] == "Origin"


@requirement("A-HTTP-2", "B-HTTP-2")
def test_a_request_without_an_origin_gets_no_cors_headers(harness: Harness) -> None:
    assert not [name for name in send(harness, "POST", b"{}").headers if name.startswith("access-control")]


@requirement("A-HTTP-2", "B-HTTP-2")
@pytest.mark.parametrize(
    ("pattern", "origin", "status"),
    [
        ("https://*.app.example", "https://a.app.example", 204),
        ("https://*.app.example", "https://evil.example/.app.example", 403),
        ("https://*.app.example", "https://evil.example#.app.example", 403),
        ("https://*.app.example", "https://evil.example:1.app.example", 403),
        ("https://*.app.example", "https://ada@evil.example?.app.example", 403),
        ("http://[::1]:*", "http://[::1]:6274", 204),
        ("http://[::1]:*", "http://1:6274", 403),
        ("https://?.example", "https://a.example", 403),
        ("chrome-extension://*", "chrome-extension://abcdef", 204),
        ("file://", "file://", 204),
        ("*", "null", 204),
    ],
)
def test_a_star_stands_for_a_part_of_an_origin_and_nothing_else_is_special(
    harness: Harness, pattern: str, origin: str, status: int
) -> None:
    harness.change(origins=frozenset({pattern}))

    assert preflight(harness, origin).status == status
