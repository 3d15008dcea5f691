"""What keeps tenants from one another besides permissions, on AWS: their plans, their shares, and their processes.

Relied on: API Gateway counts a request by the `usageIdentifierKey` that the authorizer returned or that is cached, and
passes `Retry-After` on; and Lambda has no execution environment serve two values of `TenantId`.
"""

import base64
import json
import os
import sys
from subprocess import run

import boto3
import pytest

from local.emulator import ROOT
from mcp_tasks.wire.http import HttpReply
from mcp_tasks.wire.revisions import PACKAGES
from tests.flood import GREETING, REQUESTS, beside_a_flood
from tests.live.deployed import Stage, needs, until

pytestmark = pytest.mark.live

CALLS = 20
SHARE = 4
"""Requests a second, of which the flood of a test exhausts its tenant's share."""


@pytest.fixture(autouse=True)
def two_tenants() -> None:
    needs("OTHER_TOKEN" in os.environ, "OTHER_TOKEN would be the token of a subject of another tenant")


def suspend(stage: Stage, tenant: str, suspended: int) -> None:
    """Run `make tenant`."""
    named = ["--stage", "deployed", "--stack", stage.stack, "--tenant", tenant, "--suspend", str(suspended)]
    done = run([sys.executable, "-m", "local.tenant", *named], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_suspended_tenant_is_told_when_to_come_again(stage: Stage) -> None:
    """The tenant of `OTHER_TOKEN` is served by nobody for a minute or two."""
    http, payload = stage.http("OTHER_TOKEN"), os.environ["OTHER_TOKEN"].split(".")[1]
    tenant = os.environ.get("OTHER_TENANT") or json.loads(base64.urlsafe_b64decode(payload + "==="))["tenant"]

    def refused() -> HttpReply | None:
        reply = http.send(GREETING)
        return reply if '"error"' in reply.body else None

    suspend(stage, tenant, 1)
    try:
        reply = until(refused)
    finally:
        suspend(stage, tenant, 0)

    assert int(reply.headers["retry-after"]) > 0
    until(lambda: refused() is None)


def test_a_flood_of_one_tenant_is_refused_and_its_neighbour_is_served(stage: Stage) -> None:
    """Of 16 tenants one has the same key as the first: if the second is refused, try another before you believe it."""
    gateway, plans = boto3.client("apigateway"), stage.resources.get("AWS::ApiGateway::UsagePlan", ())
    rates = [gateway.get_usage_plan(usagePlanId=each)["throttle"]["rateLimit"] for each in plans]
    needs(
        rates and rates[0] <= SHARE,
        f"{stage.stack} has shares of {rates} a second: set `requests_per_second` 20, `tenant_share` 0.1",
    )
    (plan,) = plans
    key = gateway.get_usage_plan_keys(usagePlanId=plan)["items"][0]["id"]
    value = gateway.get_api_key(apiKey=key, includeValue=True)["value"]
    greedy, neighbour = stage.http(), stage.http("OTHER_TOKEN")

    flood, beside = beside_a_flood(greedy, [neighbour, neighbour], api_key=value)

    assert {reply.status for reply in flood} == {200, 429}
    assert sum(reply.status == 429 for reply in flood) > REQUESTS / 2
    assert [reply.status for reply in beside] == [200, 200]


@pytest.mark.parametrize("tool", ["process", "process_of_task"])
@pytest.mark.parametrize("revision", PACKAGES)
def test_no_process_of_tools_serves_two_tenants(stage: Stage, revision: str, tool: str) -> None:
    needs(
        "TenancyConfig" in stage.functions["run_inline"],
        f"{stage.stack} has one environment for all tenants: set `tool_isolation`",
    )
    clients = [stage.client(revision, transport=stage.http(token).send) for token in ("TOKEN", "OTHER_TOKEN")]
    ours, theirs = ({json.loads(client.call_tool(tool).text)["process"] for _ in range(CALLS)} for client in clients)

    assert ours & theirs == set()
