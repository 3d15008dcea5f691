"""The addresses of the deployed server, as clients write them."""

import json
from importlib import import_module
from urllib.parse import urlsplit

import pytest

from local.http_client import HttpClient
from local.stack import Stack
from mcp_tasks.testing.client import RESPONDS
from mcp_tasks.wire.http import HttpRequest
from mcp_tasks.wire.revisions import PACKAGES

HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


@pytest.mark.parametrize("revision", PACKAGES)
def test_a_slash_at_the_end_leads_to_the_endpoint(stack: Stack, subject: str, revision: str) -> None:
    transport = HttpClient(f"{stack.url}/", stack.token("acme", subject))
    client = import_module(f"mcp_tasks.testing.{revision}").Client(transport.send, RESPONDS)

    assert "greet" in {each["name"] for each in client.request("tools/list", {})["tools"]}


def test_a_stranger_is_told_the_same_with_a_slash_at_the_end(stack: Stack) -> None:
    refused = HttpClient(f"{stack.url}/").send(HttpRequest(method="POST", headers=HEADERS, body=b"{}"))
    path = urlsplit(refused.headers["www-authenticate"].split('"')[1]).path
    found = HttpClient(stack.url)

    assert refused.status == 401
    documents = [json.loads(found.get(each).body)["resource"] for each in (path, f"{path}/")]
    assert documents == [stack.url, stack.url]
