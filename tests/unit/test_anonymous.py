"""Nobody is anonymous but at this machine: no deployed function takes a caller for somebody without an identity."""

import json
import socket

import pytest

from local.http_server import listen, refuse, running
from mcp_tasks.security.tenancy import ANONYMOUS
from mcp_tasks.wire import apigateway
from mcp_tasks.wire.http import HttpRequest
from mcp_tasks.wire.server import handle
from tests.protocol.harness import Harness

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "greet", "arguments": {"name": "Ada"}}}


@pytest.mark.parametrize("address", ["0.0.0.0", ""])
def test_what_is_served_here_is_served_on_loopback_alone(address: str) -> None:
    with (
        socket.create_server((address, 0)) as everywhere,
        pytest.raises(ValueError, match="is not loopback"),
        running(lambda head: refuse(500, "never asked"), everywhere),
    ):
        pass
    with listen() as here, running(lambda head: refuse(500, "not asked"), here):
        assert here.getsockname()[0] == "127.0.0.1"


@pytest.mark.parametrize("claims", [{}, {"subject": "ada"}, {"tenant": "acme"}, {"principalId": "acme#ada"}])
def test_an_event_that_does_not_say_who_calls_has_no_caller(claims: dict[str, str]) -> None:
    with pytest.raises(KeyError):
        apigateway.caller({"requestContext": {"authorizer": claims}})


@pytest.mark.parametrize(("tenant", "subject"), [("anonymous", "anonymous"), ("", "ada"), ("acme", ""), ("", "")])
def test_no_caller_of_the_gateway_is_anonymous(tenant: str, subject: str) -> None:
    with pytest.raises(ValueError, match=r"kept for those|needs a tenant"):
        apigateway.caller({"requestContext": {"authorizer": {"tenant": tenant, "subject": subject}}})


@pytest.mark.parametrize("preflight", [{}, {"origin": "https://a.example", "access-control-request-method": "POST"}])
def test_a_preflight_which_nobody_is_asked_a_token_for_calls_nothing(preflight: dict[str, str]) -> None:
    harness = Harness()
    harness.change(origins=frozenset({"https://a.example"}))
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream", **preflight}
    request = HttpRequest(method="OPTIONS", headers=headers, body=json.dumps(CALL).encode())

    reply = handle(harness.server, request, ANONYMOUS)
    assert (reply.status, "Hello" in reply.body) == (204 if preflight else 405, False)
    assert not harness.executor.started
