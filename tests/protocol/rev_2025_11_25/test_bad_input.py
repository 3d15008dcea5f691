"""An invalid request is rejected with its HTTP status, code and a helpful message, and changes nothing."""

import json
from typing import Any

import pytest

from mcp_tasks.security.tenancy import Caller
from tests.kit import BOB, EVE
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client

CALL = {"name": "ponder", "arguments": {"question": "why?"}}
LONG = "x" * 100_000


def body(**fields: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **fields}).encode()


NO_JSON: list[tuple[bytes, str]] = [
    (b"", "not JSON"),
    (b"{", "not JSON"),
    (b"nonsense", "not JSON"),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "ping"} x', "not JSON"),
    ('{"jsonrpc": "2.0", "id": "\xe9", "method": "ping"}'.encode("latin-1"), "UTF-8"),
    ('{"jsonrpc": "2.0", "id": 1, "method": "ping"}'.encode("utf-16"), "UTF-8"),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": NaN}}', "not JSON"),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": -Infinity}}', "not JSON"),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": 1e400}}', "not JSON"),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": "\\ud800"}}', "escapes a lone surrogate"),
    (b'{"jsonrpc": "2.0", "id": %s, "method": "ping"}' % (b"9" * 5_000), "out of range"),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": ' + b'{"a":' * 100 + b"1" + b"}" * 101, "100 deep"),
    (b"[" * 100_000, "more than 100 deep"),
]


@requirement("A-BASE-1", "A-BASE-4", "A-HTTP-11", "A-HTTP-7")
@pytest.mark.parametrize(("sent", "says"), NO_JSON, ids=lambda value: repr(value)[:60])
def test_what_is_not_json_in_utf_8_is_a_parse_error(harness: Harness, ada: Client, sent: bytes, says: str) -> None:
    before = harness.kept()

    reply = ada.post(sent)

    assert (reply.status, reply.error["code"], harness.kept()) == (400, -32700, before)
    assert says in reply.error["message"]
    assert "id" not in reply.message


NO_MESSAGE: list[tuple[bytes, Any, str]] = [
    (b"[]", None, "has no batches"),
    (json.dumps([{"jsonrpc": "2.0", "id": 1, "method": "ping"}]).encode(), None, "has no batches"),
    (b"null", None, "object"),
    (b"7", None, "object"),
    (b'"ping"', None, "object"),
    (b"{}", None, '"jsonrpc": "2.0"'),
    (json.dumps({"id": 1, "method": "ping"}).encode(), None, '"jsonrpc": "2.0"'),
    (json.dumps({"jsonrpc": "1.0", "id": 1, "method": "ping"}).encode(), None, '"jsonrpc": "2.0"'),
    (json.dumps({"jsonrpc": 2.0, "id": 1, "method": "ping"}).encode(), None, '"jsonrpc": "2.0"'),
    (body(), None, "method"),
    (body(id=1), None, "method"),
    (body(id=1, result=[]), None, "result"),
    (body(id=1, result={}, error={"code": 1, "message": "both"}), None, "result"),
    (body(id=1, error="no"), None, "error"),
    (body(id=1, method=7), 1, "method"),
    (body(id=1, method=None), 1, "method"),
    (body(id="a", method=LONG), "a", "256"),
    (body(id=1, method="ping", params=[]), 1, "params"),
    (body(id="1", method="ping", params="x"), "1", "params"),
    (body(method="notifications/initialized", params=7), None, "params"),
]


@requirement("A-BASE-1", "A-BASE-4", "A-HTTP-11", "A-HTTP-7")
@pytest.mark.parametrize(("sent", "id", "says"), NO_MESSAGE, ids=lambda value: repr(value)[:60])
def test_what_is_no_message_is_an_invalid_request(
    harness: Harness, ada: Client, sent: bytes, id: Any, says: str
) -> None:
    before = harness.kept()

    reply = ada.post(sent)

    assert (reply.status, reply.error["code"], harness.kept()) == (400, -32600, before)
    assert says in reply.error["message"]
    assert reply.message.get("id") == id


@requirement("A-BASE-2", "A-BASE-4")
@pytest.mark.parametrize("id", [None, True, False, 1.5, -0.1, 1e300, [], [1], {}, {"a": 1}, LONG, 10**300], ids=repr)
def test_what_is_no_id_is_an_invalid_request(harness: Harness, ada: Client, id: Any) -> None:
    before = harness.kept()

    reply = ada.post(body(id=id, method="tools/call", params={**CALL, "task": {}}))

    assert (reply.status, reply.error["code"], harness.kept()) == (400, -32600, before)
    assert "id of a request" in reply.error["message"]
    assert "id" not in reply.message


@requirement("A-BASE-2", "A-BASE-3")
@pytest.mark.parametrize("id", [0, "0", ""])
def test_an_id_that_is_used_twice_is_answered_twice(harness: Harness, ada: Client, id: Any) -> None:
    tasks = [
        ada.send_request("tools/call", {**CALL, "task": {}}, id=id).message["result"]["task"]["taskId"]
        for _ in range(2)
    ]
    places = [ada.send_request("tasks/result", {"taskId": task_id}, id=id).last_event_id for task_id in tasks]
    for task_id in tasks:
        harness.run(task_id)

    answers = [ada.resume(place).messages[-1] for place in places]

    assert [answer["id"] for answer in answers] == [id, id]
    related = [answer["result"]["_meta"]["io.modelcontextprotocol/related-task"]["taskId"] for answer in answers]
    assert related == tasks
    assert tasks[0] != tasks[1]


WRONG_PARAMS: list[tuple[str, Any, str]] = [
    ("initialize", {}, "protocolVersion is missing"),
    ("initialize", {"protocolVersion": 20251125, "capabilities": {}}, "protocolVersion"),
    ("initialize", {"protocolVersion": "2025-11-25"}, "capabilities is missing"),
    ("initialize", {"protocolVersion": "2025-11-25", "capabilities": []}, "capabilities"),
    ("initialize", {"protocolVersion": "2025-11-25", "capabilities": {"experimental": {"a": LONG}}}, "at most 20000"),
    ("tools/list", {"cursor": 7}, "cursor"),
    ("tools/call", None, "name is missing"),
    ("tools/call", {"name": ["ponder"]}, "name"),
    ("tools/call", {"name": LONG, "task": {}}, "256"),
    ("tools/call", {"name": "nope", "task": {}}, "no tool 'nope'"),
    ("tools/call", {"name": "Ponder", "task": {}}, "no tool 'Ponder'"),
    ("tools/call", {"name": ""}, "no tool ''"),
    ("tools/call", {"name": "ponder", "arguments": "why?", "task": {}}, "arguments"),
    ("tools/call", {"name": "ponder", "arguments": ["why?"], "task": {}}, "arguments"),
    ("tools/call", {**CALL, "task": True}, "task"),
    ("tools/call", {**CALL, "task": []}, "task"),
    (
        "tools/call",
        {**CALL, "task": {"ttl": -1}},
        "task.ttl should be a number of milliseconds that is not negative",
    ),
    ("tools/call", {**CALL, "task": {"ttl": -1e-9}}, "task.ttl"),
    ("tools/call", {**CALL, "task": {"ttl": "1000"}}, "task.ttl"),
    ("tools/call", {**CALL, "task": {"ttl": True}}, "task.ttl"),
    ("tools/call", {**CALL, "task": {"ttl": 10**400}}, "task.ttl"),
    ("tools/call", {**CALL, "task": {"ttl": {}}}, "task.ttl"),
    ("tools/call", {**CALL, "task": {}, "_meta": []}, "_meta"),
    ("tools/call", {**CALL, "task": {}, "_meta": {"progressToken": {}}}, "_meta.progressToken"),
    ("tools/call", {**CALL, "task": {}, "_meta": {"io.github.mcp-task-server/idempotency-key": LONG}}, "256"),
    ("tools/call", {**CALL, "arguments": {"question": "x" * 4_000_000}, "task": {}}, "takes at most 4000000"),
    ("tasks/list", {"cursor": ["x"]}, "cursor"),
    ("tasks/get", {"taskId": LONG}, "256"),
    ("logging/setLevel", {}, "level is missing"),
]


@requirement("A-TOOL-5", "A-TASK-39", "A-HTTP-10", "A-TASK-44")
@pytest.mark.parametrize(("method", "params", "says"), WRONG_PARAMS, ids=lambda value: repr(value)[:60])
def test_wrong_params_are_rejected_by_name(harness: Harness, ada: Client, method: str, params: Any, says: str) -> None:
    before = harness.kept()

    reply = ada.send_request(method, params)

    assert (reply.status, reply.error["code"], harness.kept()) == (200, -32602, before)
    assert says in reply.error["message"]
    assert len(reply.error["message"]) < 500


@requirement("A-TASK-39", "A-TASK-42")
@pytest.mark.parametrize("stranger", [BOB, EVE])
@pytest.mark.parametrize("verb", ["get", "result", "cancel"])
def test_a_foreign_task_is_rejected_and_untouched(harness: Harness, ada: Client, stranger: Caller, verb: str) -> None:
    other = Client(harness, stranger)
    other.initialize()
    task_id = ada.start()
    before = harness.kept()

    reply = other.send_request(f"tasks/{verb}", {"taskId": task_id})

    assert (reply.status, reply.error["code"], harness.kept()) == (200, -32602, before)
    assert "There is no task" in reply.error["message"]


@requirement("A-HTTP-4", "A-HTTP-7")
@pytest.mark.parametrize(
    "accept",
    [
        "",
        "text/html",
        "application/json",
        "text/event-stream",
        "application/json;q=0, text/event-stream",
        "application/json, text/event-stream; q=0.00",
        "application/json-seq, text/event-streams",
        ",;,",
        "\x00",
    ],
)
def test_a_client_that_does_not_take_both_kinds_of_answer_is_rejected(
    harness: Harness, ada: Client, accept: str
) -> None:
    before = harness.kept()

    reply = ada.send_request("tools/call", {**CALL, "task": {}}, accept=accept)

    assert (reply.status, reply.error["code"], harness.kept()) == (406, -32600, before)
    assert "list both in Accept" in reply.error["message"]


@requirement("A-HTTP-7")
@pytest.mark.parametrize("accept", ["application/json", "text/html, text/event-stream;q=0"])
def test_a_get_that_takes_no_stream_is_rejected(harness: Harness, ada: Client, accept: str) -> None:
    place = ada.send_request("tasks/result", {"taskId": ada.start()}).last_event_id
    before = harness.kept()

    reply = ada.resume(place, accept=accept)

    assert (reply.status, reply.error["code"], harness.kept()) == (406, -32600, before)
    assert "text/event-stream" in reply.error["message"]


@requirement("A-HTTP-11", "A-HTTP-7")
@pytest.mark.parametrize("kind", [None, "", "text/plain", "application/x-www-form-urlencoded", "application/json-rpc"])
def test_a_body_of_another_kind_is_rejected(harness: Harness, ada: Client, kind: str | None) -> None:
    before = harness.kept()

    reply = ada.send_request("tools/call", {**CALL, "task": {}}, content_type=kind)

    assert (reply.status, reply.error["code"], harness.kept()) == (415, -32600, before)
    assert "application/json" in reply.error["message"]


@requirement("A-HTTP-2")
@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "", "https://app.example.evil", "https://app.example:444", "http://app.example"],
)
@pytest.mark.parametrize("method", ["POST", "GET", "DELETE", "OPTIONS"])
def test_a_foreign_origin_is_rejected_whatever_it_asks(harness: Harness, ada: Client, origin: str, method: str) -> None:
    before = harness.kept()
    call = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {**CALL, "task": {}}}).encode()

    reply = ada.send(method, call, content_type="application/json", origin=origin)

    assert (reply.status, reply.error["code"], harness.kept()) == (403, -32600, before)
    assert repr(origin) in reply.error["message"]


@requirement("A-TOOL-8", "A-TOOL-6")
def test_arguments_that_are_nested_as_deeply_as_may_be_are_the_tools_to_reject(ada: Client) -> None:
    deep: Any = "x"
    for _ in range(97):
        deep = [deep]

    result = ada.call("greet", name=deep)

    assert (result["isError"], "name" in result["content"][0]["text"]) == (True, True)
