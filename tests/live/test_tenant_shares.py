"""Tenants' shares of the gateway's rate, on AWS: needs a stage's URL, tokens of two of its tenants, and an API key.

    export MCP_URL=... MCP_TOKEN=... MCP_OTHER_TOKEN=... MCP_API_KEY=...
    python -m pytest -m live tests/live/test_tenant_shares.py

The stage is deployed with `requests_per_second=20` and `tenant_share=0.1`; the key is any value that
`aws apigateway get-api-keys --include-values` shows.  Of 16 tenants one has the same key as the first: if the second is
refused, try a third before you believe it.
"""

import os

import pytest

from local.http_client import HttpClient
from tests.flood import REQUESTS, beside_a_flood


@pytest.mark.live
def test_a_flood_of_one_tenant_is_refused_and_its_neighbour_is_served() -> None:
    greedy, neighbour = (
        HttpClient(os.environ["MCP_URL"], os.environ[name]) for name in ("MCP_TOKEN", "MCP_OTHER_TOKEN")
    )

    flood, beside = beside_a_flood(greedy, [neighbour, neighbour], api_key=os.environ["MCP_API_KEY"])

    assert {reply.status for reply in flood} == {200, 429}
    assert sum(reply.status == 429 for reply in flood) > REQUESTS / 2
    assert [reply.status for reply in beside] == [200, 200]
