"""A tenant that floods the deployed server is refused by its own share of the gateway's rate, and nobody else is."""

import json
from collections.abc import Iterator
from typing import Final

import pytest

from functions.authorize.handler import admission
from local.deploy import deploy
from local.emulator import EXAMPLES
from local.stack import Stack, running_stack
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.wire.http import HttpReply, HttpRequest
from tests.http_client import HttpClient

PING: Final = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
HEADERS: Final = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
FLOOD: Final = 40
"""Requests, of a tenant that gets one a second; all tenants together get 20."""


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    """A stack that is prepared for shares first, and then has them, as one that exists should get them."""
    with running_stack(app=EXAMPLES, requests_per_second=20, tenant_share=1) as stack:
        assert post(stack, "early").status == 200
        deploy(stack.emulator, stack.app, {**stack.settings, "tenant_share": 0.05})
        yield stack


def post(stack: Stack, tenant: str, **headers: str) -> HttpReply:
    request = HttpRequest(method="POST", headers=HEADERS | headers, body=PING)
    return HttpClient(stack.url, stack.token(tenant, "ada")).send(request)


def key_of(tenant: str) -> str:
    named = admission(Caller(tenant=tenant, subject="ada"), method_arn="arn:aws:execute-api:eu:1:api/stage/POST/mcp")
    return str(named["usageIdentifierKey"])


def test_a_flood_of_one_tenant_is_refused_and_its_neighbours_are_served(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_KEY_PREFIX", "Key")
    by_key = {key_of(name): name for name in ("greedy", *map(str, range(20)))}
    neighbours = [name for key, name in by_key.items() if key != key_of("greedy")][:5]

    flood = [post(stack, "greedy") for _ in range(FLOOD)]
    beside = [post(stack, name) for name in neighbours]

    refused = [reply for reply in flood if reply.status == 429]
    assert flood[0].status == 200
    assert {reply.status for reply in flood} == {200, 429}
    assert len(refused) > FLOOD / 2
    assert [reply.status for reply in beside] == [200] * 5
    assert {reply.headers["retry-after"] for reply in refused} == {"1"}
    assert json.loads(refused[0].body) == {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Too Many Requests"}}
