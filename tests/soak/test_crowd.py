"""A client of the crowd sends again what was not served, and tells of each failure, which has to be beside a fault."""

from dataclasses import replace
from typing import cast

import pytest

from local.http_client import HttpClient
from mcp_tasks.wire import jsonrpc
from mcp_tasks.wire.http import HttpReply, HttpRequest, json_reply
from mcp_tasks.wire.refusals import unavailable
from tests.soak import crowd
from tests.soak.crowd import Patient, Tally

REQUEST = HttpRequest(method="POST", headers={}, body=b"{}")
DONE = json_reply({"jsonrpc": "2.0", "id": 7, "result": {}})
NO_CAPACITY = json_reply(jsonrpc.error(7, unavailable()))
"""The answer to a request of a session while the table is away."""

TOO_LONG = json_reply({"error": {"code": -32603, "message": "Internal error: this took too long."}, "id": 7})
"""The answer to a call that may have been done."""


class Replies:
    """Answers with one reply after another."""

    def __init__(self, *replies: HttpReply) -> None:
        self.left = [*replies]

    def send(self, request: HttpRequest) -> HttpReply:
        """Return the next one."""
        return self.left.pop(0)


@pytest.mark.parametrize(
    ("refused", "failed"),
    [
        *((NO_CAPACITY, [200]), (replace(NO_CAPACITY, status=503), [503])),
        *((TOO_LONG, [200]), (replace(DONE, status=429), [])),
    ],
)
def test_a_request_that_was_not_served_is_sent_again(
    monkeypatch: pytest.MonkeyPatch, refused: HttpReply, failed: list[int]
) -> None:
    monkeypatch.setattr(crowd, "BETWEEN_POLLS", 0.0)
    tally, replies = Tally(), Replies(refused, refused, DONE)

    assert Patient(client=cast(HttpClient, replies), tally=tally).send(REQUEST) is DONE
    assert replies.left == []
    assert [status for _, _, status in tally.failures] == 2 * failed
