"""A tenant that floods the deployed server is refused by its own share of the gateway's rate, and nobody else is."""

import json

import pytest

from functions.authorize.handler import admission
from local.deploy import deploy
from local.emulator import EXAMPLES
from local.http_client import HttpClient
from local.stack import Stack, running_stack
from mcp_tasks.security.tenancy import Caller
from tests.flood import REQUESTS, beside_a_flood


def client(stack: Stack, tenant: str) -> HttpClient:
    return HttpClient(stack.url, stack.token(tenant, "ada"))


def key_of(tenant: str) -> str:
    named = admission(Caller(tenant=tenant, subject="ada"), method_arn="arn:aws:execute-api:eu:1:api/stage/POST/mcp")
    return str(named["usageIdentifierKey"])


def test_a_flood_of_one_tenant_takes_the_rate_of_none_but_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """All tenants get 20 requests a second, and one gets one of them; without shares, neighbours are refused."""
    monkeypatch.setenv("API_KEY_PREFIX", "Key")
    by_key = {key_of(name): name for name in ("greedy", *map(str, range(20)))}
    names = [name for key, name in by_key.items() if key != key_of("greedy")][:5]

    # As a stage gets there that exists: first there are keys, and then they are needed.
    with running_stack(app=EXAMPLES, requests_per_second=20, tenant_share=1) as stack:
        greedy, neighbours = client(stack, "greedy"), [client(stack, name) for name in names]
        api_key = stack.client("apigateway").get_api_keys(includeValues=True)["items"][0]["value"]
        _, starved = beside_a_flood(greedy, neighbours, api_key=api_key)
        deploy(stack.emulator, stack.app, {**stack.settings, "tenant_share": 0.05})
        flood, beside = beside_a_flood(greedy, neighbours, api_key=api_key)

    assert 429 in {reply.status for reply in starved}
    refused = [reply for reply in flood if reply.status == 429]
    assert {reply.status for reply in flood} == {200, 429}
    assert len(refused) > REQUESTS / 2
    assert [reply.status for reply in beside] == [200] * 5
    assert {reply.headers["retry-after"] for reply in refused} == {"1"}
    assert json.loads(refused[0].body) == {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Too Many Requests"}}
