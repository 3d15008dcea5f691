"""What API Gateway makes of requests and of the server's responses, on AWS.

Relied on: a gateway response can set `WWW-Authenticate`, and that of a function is renamed to
`x-amzn-Remapped-WWW-Authenticate`; other headers are passed on; the authorizer's context has texts, and one that is
JSON arrives as it was; a path with a slash at its end leads to the same method, for which the authorizer's policy and
the function's permission are good.
"""

import base64
import json
import os
import re
from typing import Any, Final
from urllib.parse import urlsplit

import boto3
import pytest

from local.http_client import HttpClient
from mcp_tasks.authoring.errors import McpError
from mcp_tasks.wire.http import HttpReply, HttpRequest
from mcp_tasks.wire.revisions import PACKAGES
from tests.live.deployed import Stage, needs

pytestmark = pytest.mark.live

METADATA: Final = "/.well-known/oauth-protected-resource/mcp"
REMAPPED: Final = "x-amzn-remapped-www-authenticate"
HEADERS: Final = {"content-type": "application/json"}


def test_a_stranger_is_told_where_to_get_a_token(any_stage: Stage) -> None:
    stranger = HttpClient(any_stage.url)
    reply = stranger.send(HttpRequest(method="POST", headers=HEADERS, body=b"{}"))

    assert reply.status == 401
    challenge = re.search(r'resource_metadata="([^"]+)"', reply.headers["www-authenticate"])
    assert challenge
    found = stranger.get(urlsplit(challenge[1]).path)
    assert found.status == 200
    assert json.loads(found.body)["authorization_servers"]


def test_a_rejected_token_is_answered_with_invalid_token(any_stage: Stage) -> None:
    stranger = HttpClient(any_stage.url, "no.such.token")
    reply = stranger.send(HttpRequest(method="POST", headers=HEADERS, body=b"{}"))

    assert reply.status == 401
    assert reply.headers["www-authenticate"].startswith('Bearer error="invalid_token", resource_metadata="')


@pytest.mark.parametrize("revision", PACKAGES)
def test_who_lacks_a_scope_finds_the_challenge_under_another_name(stage: Stage, revision: str) -> None:
    """Behind what gives the header its name back (`URL`), it has that name."""
    replies: list[HttpReply] = []

    def send(request: HttpRequest) -> HttpReply:
        replies.append(stage.http().send(request))
        return replies[-1]

    with pytest.raises(McpError) as refused:
        stage.client(revision, transport=send).call_tool("sealed")

    header = REMAPPED if stage.url == stage.outputs["Url"] else "www-authenticate"
    assert (replies[-1].status, replies[-1].headers[header]) == (403, refused.value.data["challenge"])
    assert 'error="insufficient_scope"' in replies[-1].headers[header]
    assert "live:sealed" in replies[-1].headers[header]


@pytest.mark.parametrize("revision", PACKAGES)
def test_who_acts_for_the_caller_arrives_as_it_is(stage: Stage, revision: str) -> None:
    needs("ACTING_TOKEN" in os.environ, "ACTING_TOKEN would be a token whose `act` has letters that are not ASCII")
    act = _claims(os.environ["ACTING_TOKEN"])["act"]
    assert not json.dumps(act, ensure_ascii=False).isascii()

    client = stage.client(revision, transport=stage.http("ACTING_TOKEN").send)

    assert json.loads(client.call_tool("actor").text) == act


@pytest.mark.parametrize("revision", PACKAGES)
def test_a_slash_at_the_end_of_the_address_makes_no_difference(any_stage: Stage, revision: str) -> None:
    """By itself: make live STAGE=dev ONLY=slash."""
    client = any_stage.client(revision, transport=HttpClient(f"{any_stage.url}/", os.environ["TOKEN"]).send)

    assert client.request("tools/list", {})["tools"]
    stranger = HttpClient(f"{any_stage.url}/").send(HttpRequest(method="POST", headers=HEADERS, body=b"{}"))
    assert stranger.status == 401
    challenge = re.search(r'resource_metadata="([^"]+)"', stranger.headers["www-authenticate"])
    assert challenge
    assert HttpClient(any_stage.url).get(f"{urlsplit(challenge[1]).path}/").status == 200


def test_a_domain_leads_to_the_server_and_the_gateways_own_address_as_set(any_stage: Stage) -> None:
    domains = any_stage.resources.get("AWS::ApiGateway::DomainName", ())
    needs(domains, f"{any_stage.stack} has no domain of its own: set `domain`, with `disable_execute_api_endpoint`")
    gateway, (path,) = boto3.client("apigateway"), any_stage.resources["AWS::ApiGateway::Stage"]
    api = gateway.get_rest_api(restApiId=any_stage.outputs["ApiId"])
    own = f"https://{api['id']}.execute-api.{gateway.meta.region_name}.amazonaws.com"

    assert [HttpClient(f"https://{each}").get(METADATA).status for each in domains] == [200] * len(domains)
    assert HttpClient(own).get(f"/{path}{METADATA}").status == (403 if api["disableExecuteApiEndpoint"] else 200)


def _claims(token: str) -> Any:
    payload = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
