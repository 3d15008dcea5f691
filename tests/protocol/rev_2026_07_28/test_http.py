"""HTTP: methods, Origin, Accept, streams and status codes."""

from typing import Any

import pytest

from tests.protocol.harness import ORIGIN, Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import LOG_LEVEL, NAME, Client

CLIMB = {"name": "climb", "arguments": {"steps": [1, 2]}}
BOTH = "application/json, text/event-stream"


@requirement("B-HTTP-1", "B-VER-7")
@pytest.mark.parametrize("method", ["PUT", "PATCH", "HEAD", "OPTIONS", "TRACE", "post", ""])
def test_other_methods_are_rejected(harness: Harness, ada: Client, method: str) -> None:
    before = harness.kept()

    reply = ada.send(method, mcp_protocol_version=NAME, mcp_method="tools/list")

    assert (reply.status, "POST" in reply.headers["allow"], harness.kept()) == (405, True, before)


@requirement("B-HTTP-2")
@pytest.mark.parametrize(
    ("origin", "status"),
    [(ORIGIN, 200), ("http://localhost:3000", 200), ("https://evil.example", 403), ("null", 403), ("", 403)],
)
def test_a_foreign_origin_is_rejected(ada: Client, origin: str, status: int) -> None:
    assert ada.send_request("tools/list", origin=origin).status == status


@requirement("B-HTTP-4")
@pytest.mark.parametrize(
    ("accept", "status"),
    [
        (None, 200),
        ("*/*", 200),
        ("text/*, application/*", 200),
        ("application/json", 406),
        ("text/event-stream", 406),
        ("text/html", 406),
    ],
)
def test_a_client_takes_both_kinds_of_answer(ada: Client, accept: str | None, status: int) -> None:
    assert ada.send_request("tools/list", accept=accept).status == status
    assert ada.send_request("subscriptions/listen", {"notifications": {}}, accept=accept).status == status


@requirement("B-HTTP-6", "B-PROG-1")
def test_an_answer_with_nothing_before_it_is_one_object(ada: Client) -> None:
    reply = ada.send_request("tools/call", CLIMB)

    assert reply.headers == {"content-type": "application/json"}
    assert reply.message["result"]["resultType"] == "complete"


@requirement("B-HTTP-6", "B-HTTP-7", "B-HTTP-9", "B-HTTP-10", "B-HTTP-11")
def test_an_answer_with_something_before_it_ends_a_stream(ada: Client) -> None:
    reply = ada.send_request("tools/call", CLIMB, id=5, meta={"progressToken": "t"})

    assert reply.headers == {
        "content-type": "text/event-stream",
        "cache-control": "no-store",
        "x-accel-buffering": "no",
    }
    assert [message.get("method", message.get("id")) for message in reply.messages] == [
        "notifications/progress",
        "notifications/progress",
        5,
    ]
    assert all((event.id, event.retry) == (None, None) for event in reply.events)


@requirement("B-HTTP-8", "B-BASE-3", "B-MRTR-1")
def test_an_input_request_on_a_stream_is_part_of_the_answer(ada: Client) -> None:
    reply = ada.send_request("tools/call", {"name": "wander"}, meta={"progressToken": 1, LOG_LEVEL: "debug"})

    assert reply.streamed
    assert [message.get("id") for message in reply.messages[:-1]] == [None, None]
    assert [each["method"] for each in reply.response["result"]["inputRequests"].values()] == ["roots/list"]


@requirement("B-HTTP-15", "B-ERR-6")
def test_what_is_an_error_in_the_end_begins_no_stream(plain: Client) -> None:
    reply = plain.send_request("tools/call", {"name": "wander"}, meta={"progressToken": 1, LOG_LEVEL: "debug"})

    assert (reply.status, reply.headers["content-type"]) == (400, "application/json")
    assert reply.error["code"] == -32021


@requirement("B-HTTP-14", "B-ERR-2")
@pytest.mark.parametrize("method", ["foo/bar", "", "tools", "tools/CALL", "tasks/", "server/discover/", "a" * 256])
def test_an_unknown_method_is_not_found(harness: Harness, ada: Client, method: str) -> None:
    before = harness.kept()

    reply = ada.send_request(method, {"anything": 1}, id=7)

    assert (reply.status, reply.error["code"], reply.message["id"]) == (404, -32601, 7)
    assert (repr(method) in reply.error["message"], harness.kept()) == (True, before)


@requirement("B-HTTP-16", "B-ERR-3")
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": "nope"}),
        ("prompts/get", {"name": "nope"}),
        ("prompts/get", {"name": "greeting"}),
        ("prompts/get", {"name": "quarrel", "arguments": {"about": "protocol"}}),
        ("resources/read", {"uri": "nope://"}),
        ("completion/complete", {"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": ""}}),
        ("tasks/get", {"taskId": "nope"}),
        ("tools/list", {"cursor": "nope"}),
        ("subscriptions/listen", {}),
    ],
)
def test_what_a_method_rejects_has_status_200(ada: Client, method: str, params: dict[str, Any]) -> None:
    reply = ada.send_request(method, params)

    assert (reply.status, "error" in reply.message) == (200, True)
