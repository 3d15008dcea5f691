"""Batches: in sessions of 2025-03-26, which has them, each message is served as if it came alone; nowhere else.

"MCP implementations [...] MUST support receiving JSON-RPC batches."  -- 2025-03-26, Base Protocol, Batching
"""

import json
import tracemalloc
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.testing.replies import parse_events
from mcp_tasks.wire.http import HttpReply, HttpRequest
from mcp_tasks.wire.server import handle
from tests.kit import ADA, EVE
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
NOTIFICATION = {"jsonrpc": "2.0", "method": "notifications/initialized"}
NOBODYS = {"jsonrpc": "2.0", "id": "nobody's", "result": {}}


def rpc_request(id: Any, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


@pytest.fixture
def old(harness: Harness) -> Client:
    """A client of the version that has batches."""
    client = Client(harness, version="2025-03-26")
    client.initialize()
    return client


def post(client: Client, messages: Any, **headers: str) -> HttpReply:
    usual = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = json.dumps(messages).encode()
    request = HttpRequest(method="POST", headers=usual | client.headers | named, body=body)
    return handle(client.harness.server, request, client.caller)


def answers(reply: HttpReply) -> list[Any]:
    assert (reply.status, reply.headers["content-type"]) == (200, "application/json")
    found = json.loads(reply.body)
    assert isinstance(found, list)
    return found


@requirement("A-BASE-1")
def test_each_request_of_a_batch_is_answered_and_nothing_else(old: Client) -> None:
    found = answers(post(old, [PING, NOTIFICATION, rpc_request("two", "tools/list"), rpc_request(3, "no/such")]))

    assert [each["id"] for each in found] == [1, "two", 3]
    assert ("result" in found[0], "tools" in found[1]["result"]) == (True, True)
    assert found[2]["error"]["code"] == -32601


@requirement("A-BASE-1", "A-BASE-4")
def test_a_bad_message_does_not_spoil_the_others(harness: Harness, old: Client) -> None:
    bad = [
        7,
        [PING],
        {},
        {**PING, "id": True},
        {**PING, "method": 7},
        rpc_request(9, "tools/call"),
        rpc_request("i", "initialize"),
    ]

    found = answers(post(old, [*bad, {**PING, "id": "x" * 300}, PING]))

    assert [each["error"]["code"] for each in found[:-1]] == [-32600] * 5 + [-32602] + [-32600] * 2
    assert found[-1] == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert "comes alone" in found[6]["error"]["message"]


@requirement("A-BASE-1")
def test_a_batch_that_wants_no_answer_is_accepted(old: Client) -> None:
    assert post(old, [NOTIFICATION, NOTIFICATION]) == HttpReply(status=202)


@requirement("A-BASE-1", "A-HTTP-10")
def test_a_batch_without_requests_that_cannot_be_accepted_is_rejected(old: Client) -> None:
    reply = post(old, [NOTIFICATION, NOBODYS])

    assert (reply.status, json.loads(reply.body)[0]["error"]["code"]) == (400, -32600)


@requirement("A-BASE-1", "A-HTTP-8")
def test_a_notification_makes_the_response_a_stream_of_all_responses(old: Client) -> None:
    climb = {"name": "climb", "arguments": {"steps": [1, 2]}, "_meta": {"progressToken": "t"}}

    reply = post(old, [PING, rpc_request(2, "tools/call", **climb), {**PING, "id": 3}])

    messages = [event.message for event in parse_events(reply.body)]
    assert (reply.status, reply.headers["content-type"]) == (200, "text/event-stream")
    assert [each.get("id", each.get("method")) for each in messages] == [
        1,
        "notifications/progress",
        "notifications/progress",
        2,
        3,
    ]


@requirement("A-BASE-1")
@pytest.mark.parametrize(("count", "status"), [(0, 400), (1, 200), (20, 200), (21, 400), (1_000, 400)])
def test_a_batch_has_one_to_twenty_messages(harness: Harness, old: Client, count: int, status: int) -> None:
    before = harness.kept()

    reply = post(old, [{**PING, "id": number} for number in range(count)])

    assert reply.status == status
    if status == 400:
        assert (json.loads(reply.body)["error"]["code"], harness.kept()) == (-32600, before)


@requirement("A-BASE-1")
def test_the_messages_of_a_batch_that_is_too_long_are_not_read(old: Client) -> None:
    messages = [0] * 100_000
    tracemalloc.start()
    try:
        reply = post(old, messages)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert (reply.status, "this one has 100000" in reply.body) == (400, True)
    assert peak < 20 * len(json.dumps(messages))


@requirement("A-BASE-1")
def test_all_messages_share_the_time_that_one_request_has(harness: Harness, old: Client) -> None:
    harness.change(max_hold=timedelta(seconds=20))
    began = harness.clock.now()
    call = {"name": "hike", "arguments": {"steps": [1]}}

    found = answers(post(old, [rpc_request(number, "tools/call", **call) for number in range(3)]))

    assert all("task_id" in each["result"]["structuredContent"] for each in found)
    assert harness.clock.now() - began <= timedelta(seconds=25)


@requirement("A-BASE-1", "A-SESS-5")
@pytest.mark.parametrize("version", ["2025-11-25", "2025-06-18"])
def test_sessions_of_later_versions_have_no_batches(harness: Harness, version: str) -> None:
    client = Client(harness, version=version)
    client.initialize()
    before = harness.kept()

    reply = post(client, [PING])

    assert (reply.status, harness.kept()) == (400, before)
    assert f"Version {version} has no batches" in json.loads(reply.body)["error"]["message"]


@requirement("A-BASE-1", "A-SESS-5")
def test_without_a_session_of_the_callers_there_are_none_either(harness: Harness, old: Client) -> None:
    stranger = Client(harness, EVE)
    stranger.headers = old.headers
    nobody = Client(harness, ADA)

    assert post(stranger, [PING]).status == 404
    assert post(nobody, [PING]).status == 400
    assert "sessions of version 2025-03-26" in post(nobody, [PING]).body
