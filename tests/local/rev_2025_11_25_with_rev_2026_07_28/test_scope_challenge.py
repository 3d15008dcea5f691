"""The fixture for SEP-2350 of the official conformance tests (their pull request 481), over HTTP in both revisions.

Its scenario is of 2026-07-28 and not released yet.  Here a server with the same features, scopes and tokens is asked
the same questions, in a session as well.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from http.client import HTTPConnection
from typing import Any, Final
from urllib.parse import urlsplit

import pytest

from infra.resource_metadata import ResourceMetadata
from local.gateway import Gateway
from local.http_server import Head, listen, running
from mcp_tasks.features.listing import Features
from mcp_tasks.security.scopes import StageScopes
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.testing.rev_2026_07_28 import CAPABILITIES, CLIENT, VERSION, routing_headers
from mcp_tasks.wiring import Wiring
from tests.kit import memory_ports

LOW, FULL = "mcp-conformance-scope-low", "mcp-conformance-scope-full"
ALL: Final = "mcp:conformance:"
FIXTURE: list[tuple[str, dict[str, Any], set[str]]] = [
    ("tools/call", {"name": "test_simple_text"}, {"tools:call", "tools:test_simple_text"}),
    ("resources/read", {"uri": "test://static-text"}, {"resources:read", "resources:static"}),
    ("resources/read", {"uri": "test://template/123/data"}, {"resources:read", "resources:template:123"}),
    ("prompts/get", {"name": "test_simple_prompt"}, {"prompts:get", "prompts:test_simple_prompt"}),
]
EACH = pytest.mark.parametrize(
    ("method", "params", "needed"), FIXTURE, ids=[next(iter(f[1].values())) for f in FIXTURE]
)
REVISIONS = pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
GRANTED: Mapping[str, set[str]] = {LOW: {"baseline"}, FULL: {scope for _, _, needed in FIXTURE for scope in needed}}
SCOPES = {
    "test_simple_text": ["tools:test_simple_text"],
    "test://static-text": ["resources:static"],
    "test://template/{id}/data": ["resources:template:{id}"],
    "test_simple_prompt": ["prompts:get", "prompts:test_simple_prompt"],
}


def named(scopes: Any) -> list[str]:
    return [f"{ALL}{scope}" for scope in scopes]


def scoped() -> Features:
    """Return the features that the runner expects of a server, four of them with scopes."""
    found = Features.of_module("tests.conformance")
    return Features.of(
        [replace(each, scopes=named(SCOPES.get(each.name, []))) for each in found.tools],
        [replace(each, scopes=named(SCOPES.get(each.name, []))) for each in found.prompts],
        [replace(each, scopes=named(SCOPES.get(each.uri, []))) for each in found.resources],
    )


def admit(head: Head) -> Caller | None:
    scopes = GRANTED.get(head.headers.get("authorization", "").removeprefix("Bearer "))
    return None if scopes is None else Caller(tenant="acme", subject="ada", scopes=frozenset(named(scopes)))


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with listen() as listening:
        base = f"http://127.0.0.1:{listening.getsockname()[1]}"
        metadata = ResourceMetadata(base_url=base, issuers=["https://login.example"])
        stage = StageScopes(call=named(["tools:call"]), read=named(["resources:read"]))
        wiring = Wiring(ports=memory_ports(), scopes=stage)
        serving = wiring.server(scoped(), name="conformance", version="0", metadata_url=metadata.url)
        with running(Gateway(server=serving, admit=admit, metadata=metadata), listening):
            yield f"{base}/mcp"


class Sender:
    """Sends requests with a token."""

    def __init__(self, url: str, revision: str, token: str) -> None:
        self._at = urlsplit(url)
        self._revision = revision
        self._headers = {"authorization": f"Bearer {token}", "accept": "application/json, text/event-stream"}
        if revision == "2025-11-25":
            hello = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
            self._headers["mcp-session-id"] = self._post("initialize", hello, {})[1]["mcp-session-id"]

    def send(self, method: str, params: dict[str, Any]) -> tuple[int, Mapping[str, str], Any]:
        if self._revision == "2025-11-25":
            return self._post(method, params, {"mcp-protocol-version": self._revision})
        meta = {VERSION: self._revision, CLIENT: {"name": "t", "version": "1"}, CAPABILITIES: {}}
        with_meta = {**params, "_meta": meta}
        routing = routing_headers({"method": method, "params": with_meta})
        return self._post(method, with_meta, {name.replace("_", "-"): value for name, value in routing.items()})

    def _post(self, method: str, params: dict[str, Any], more: Mapping[str, str]) -> tuple[int, Any, Any]:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        connection = HTTPConnection(self._at.netloc, timeout=10)
        headers = {**self._headers, **more, "content-type": "application/json"}
        connection.request("POST", self._at.path, json.dumps(message), headers)
        response = connection.getresponse()
        body = json.loads(response.read())
        connection.close()
        return response.status, {name.lower(): value for name, value in response.getheaders()}, body


@REVISIONS
@EACH
def test_a_valid_token_with_too_few_scopes_is_challenged_once_for_all_of_them(
    url: str, revision: str, method: str, params: dict[str, Any], needed: set[str]
) -> None:
    status, headers, body = Sender(url, revision, LOW).send(method, params)
    challenge = headers["www-authenticate"]
    parts = dict(re.findall(r'(\w+)="([^"]*)"', challenge))

    assert status == 403
    assert challenge.startswith("Bearer ")
    assert parts["error"] == "insufficient_scope"
    assert set(parts["scope"].split()) == set(named(needed))
    assert parts["resource_metadata"] == url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp")
    assert body["error"]["data"]["challenge"] == challenge


@REVISIONS
@EACH
def test_the_same_request_succeeds_with_the_scopes(
    url: str, revision: str, method: str, params: dict[str, Any], needed: set[str]
) -> None:
    status, _, body = Sender(url, revision, FULL).send(method, params)
    shown = {"tools/call": "content", "resources/read": "contents", "prompts/get": "messages"}
    (first, *_) = body["result"][shown[method]]

    assert status == 200
    match method:
        case "tools/call":
            assert (first["type"], type(first["text"])) == ("text", str)
        case "resources/read":
            assert first["uri"] == params["uri"]
            assert "123" in first["text"] or "template" not in params["uri"]
        case _:
            assert (first["role"], type(first["content"])) == ("user", dict)
