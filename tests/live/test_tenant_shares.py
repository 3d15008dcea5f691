"""Tenants' shares of the gateway's rate, on AWS: needs a stage's URL, and tokens of two of its tenants.

    MCP_URL=... MCP_TOKEN=... MCP_OTHER_TOKEN=... python -m pytest -m live tests/live/test_tenant_shares.py

The stage is deployed with `requests_per_second=20` and `tenant_share=0.1`.  Two tenants in 16 have the same API key: if
the second one is refused, try a third before you believe it.
"""

import os

import pytest

from tests.flood import REQUESTS, beside_a_flood
from tests.http_client import HttpClient


@pytest.mark.live
def test_a_flood_of_one_tenant_is_refused_and_its_neighbour_is_served() -> None:
    greedy, neighbour = (
        HttpClient(os.environ["MCP_URL"], os.environ[name]) for name in ("MCP_TOKEN", "MCP_OTHER_TOKEN")
    )

    flood, beside = beside_a_flood(greedy, [neighbour])

    assert {reply.status for reply in flood} == {200, 429}
    assert sum(reply.status == 429 for reply in flood) > REQUESTS / 2
    assert [reply.status for reply in beside] == [200]
