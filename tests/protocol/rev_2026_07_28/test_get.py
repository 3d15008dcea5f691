"""Requests without a message that name this revision: it has no streams to GET and no sessions to DELETE."""

from typing import Any

import pytest

from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import NAME, Client


@requirement("B-HTTP-13", "B-DUAL-2")
@pytest.mark.parametrize("method", ["GET", "DELETE"])
@pytest.mark.parametrize("headers", [{}, {"mcp_session_id": "x"}, {"last_event_id": "x"}])
def test_the_error_says_so_and_names_the_alternative(harness: Harness, ada: Client, method: str, headers: Any) -> None:
    before = harness.kept()

    reply = ada.send(method, accept="text/event-stream", mcp_protocol_version=NAME, **headers)

    assert (reply.status, reply.headers["allow"], harness.kept()) == (405, "POST", before)
    assert "no sessions and no streams to GET" in reply.error["message"]
    assert "subscriptions/listen" in reply.error["message"]


@requirement("B-DUAL-2", "B-DUAL-6")
@pytest.mark.parametrize("version", ["1999-01-01", "2099-01-01", "zzz"])
def test_versions_that_nobody_speaks_are_still_rejected_as_such(ada: Client, version: str) -> None:
    reply = ada.send("GET", accept="text/event-stream", mcp_protocol_version=version)

    assert (reply.status, reply.error["code"]) == (400, -32022)


@requirement("B-DUAL-12")
def test_an_array_that_names_it_is_no_batch(harness: Harness, ada: Client) -> None:
    reply = ada.post(b'[{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}]', mcp_protocol_version=NAME)

    assert (reply.status, reply.error["code"]) == (400, -32600)
    assert f"Version {NAME} has no batches" in reply.error["message"]
