"""The challenge to a caller who lacks scopes, behind an API Gateway that renames a function's `WWW-Authenticate`."""

import json
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest

from local.http_client import HttpClient
from local.stack import Stack
from tests.protocol.rev_2025_11_25 import over_http as rev_2025_11_25
from tests.protocol.rev_2026_07_28 import over_http as rev_2026_07_28

CLIENTS: dict[str, Any] = {"2025-11-25": rev_2025_11_25.client, "2026-07-28": rev_2026_07_28.client}
CALL = {"name": "seal", "arguments": {"name": "the ledger"}}


def speaker(revision: str, stack: Stack, subject: str, **claims: Any) -> Any:
    """Return a client whose token has these claims, with a session if it needs one."""
    made = CLIENTS[revision](stack.url, stack.token("acme", subject, **claims))
    if revision == "2025-11-25":
        made.initialize({})
    return made


@pytest.mark.parametrize("revision", CLIENTS)
def test_the_challenge_survives_in_the_error_where_the_gateway_renames_its_header(
    stack: Stack, subject: str, revision: str
) -> None:
    refused = speaker(revision, stack, subject, scope="archive:write").send_request("tools/call", CALL)
    challenge = refused.message["error"]["data"]["challenge"]
    error, scope, metadata = challenge.removeprefix("Bearer ").split(", ")
    document = HttpClient(stack.url).get(urlsplit(metadata.split('"')[1]).path)

    assert (refused.status, error, scope) == (403, 'error="insufficient_scope"', 'scope="archive:write archive:seal"')
    assert refused.headers["x-amzn-remapped-www-authenticate"] == challenge
    assert "www-authenticate" not in refused.headers
    assert json.loads(document.body)["resource"] == stack.url


@pytest.mark.parametrize("revision", CLIENTS)
def test_a_token_with_the_scopes_is_served(stack: Stack, subject: str, revision: str) -> None:
    able = speaker(revision, stack, subject, scope="archive:seal archive:write", ttl=timedelta(minutes=5))
    reply = able.send_request("tools/call", CALL)
    assert (reply.status, "error" in reply.response) == (200, False)
