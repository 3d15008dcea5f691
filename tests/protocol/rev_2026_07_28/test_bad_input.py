"""An invalid request is rejected with its HTTP status, code and a helpful message, and changes nothing."""

import json
from typing import Any

import pytest

from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import CAPABILITIES, NAME, VERSION, Client

CALL = {"name": "ponder", "arguments": {"question": "why?"}}
ENVELOPE = {VERSION: NAME, CAPABILITIES: {}}
HEADERS = {"mcp_protocol_version": NAME, "mcp_method": "tools/list"}
LONG = "x" * 100_000


def body(**fields: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **fields}).encode()


NO_JSON: list[tuple[bytes, str]] = [
    (b"", "not JSON"),
    (b"{", "not JSON"),
    (b"nonsense", "not JSON"),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"} x', "not JSON"),
    ('{"jsonrpc": "2.0", "id": "\xe9", "method": "tools/list"}'.encode("latin-1"), "UTF-8"),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"a": NaN}}', "not JSON"),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"a": "\\ud800"}}', "escapes a lone surrogate"),
    (b"[" * 100_000, "more than 100 deep"),
]


@requirement("B-ERR-1", "B-VER-7")
@pytest.mark.parametrize(("sent", "says"), NO_JSON, ids=lambda value: repr(value)[:60])
def test_what_is_not_json_in_utf_8_is_a_parse_error(harness: Harness, ada: Client, sent: bytes, says: str) -> None:
    before = harness.kept()

    reply = ada.post(sent, **HEADERS)

    assert (reply.status, reply.error["code"], harness.kept()) == (400, -32700, before)
    assert says in reply.error["message"]
    assert "id" not in reply.message


NO_MESSAGE: list[tuple[bytes, Any, str]] = [
    (b"[]", None, "has no batches"),
    (
        json.dumps([{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": ENVELOPE}}]).encode(),
        None,
        "has no batches",
    ),
    (b"null", None, "object"),
    (b'"tools/list"', None, "object"),
    (b"{}", None, '"jsonrpc": "2.0"'),
    (json.dumps({"id": 1, "method": "tools/list", "params": {"_meta": ENVELOPE}}).encode(), None, '"jsonrpc": "2.0"'),
    (body(), None, "method"),
    (body(id=1), None, "method"),
    (body(id=1, method=7, params={"_meta": ENVELOPE}), 1, "method"),
    (body(id="a", method=LONG, params={"_meta": ENVELOPE}), "a", "256"),
    (body(id=1, method="tools/list", params=[]), 1, "params"),
    (body(id="1", method="tools/list", params="x"), "1", "params"),
]


@requirement("B-ERR-1", "B-DUAL-12", "B-BASE-2")
@pytest.mark.parametrize(("sent", "id", "says"), NO_MESSAGE, ids=lambda value: repr(value)[:60])
def test_what_is_no_message_is_an_invalid_request(
    harness: Harness, ada: Client, sent: bytes, id: Any, says: str
) -> None:
    before = harness.kept()

    reply = ada.post(sent, **HEADERS)

    assert (reply.status, reply.error["code"], harness.kept()) == (400, -32600, before)
    assert says in reply.error["message"]
    assert reply.message.get("id") == id


@requirement("B-BASE-1", "B-ERR-1")
@pytest.mark.parametrize("id", [None, True, False, 1.5, 1e300, [], {}, LONG, 10**300], ids=lambda id: repr(id)[:9])
def test_what_is_no_id_is_an_invalid_request(harness: Harness, ada: Client, id: Any) -> None:
    before = harness.kept()

    reply = ada.post(body(id=id, method="tools/call", params={**CALL, "_meta": ENVELOPE}), mcp_protocol_version=NAME)

    assert (reply.status, reply.error["code"], harness.kept()) == (400, -32600, before)
    assert ("id of a request" in reply.error["message"], "id" in reply.message) == (True, False)


@requirement("B-DUAL-3", "B-BASE-4")
@pytest.mark.parametrize("answer", [{"result": {}}, {"error": {"code": -1, "message": "no"}}])
@pytest.mark.parametrize("version", [NAME, None])
def test_a_response_is_nothing_of_this_revision(
    harness: Harness, ada: Client, answer: dict[str, Any], version: str | None
) -> None:
    before = harness.kept()

    reply = ada.post({"jsonrpc": "2.0", "id": "x", **answer}, mcp_protocol_version=version)

    assert (reply.status, "error" in reply.message, harness.kept()) == (400, True, before)


WRONG_PARAMS: list[tuple[str, Any, str]] = [
    ("tools/list", {"cursor": 7}, "cursor"),
    ("prompts/list", {"cursor": []}, "cursor"),
    ("resources/list", {"cursor": {}}, "cursor"),
    ("tools/call", {}, "name is missing"),
    ("tools/call", {"name": None}, "name is missing"),
    ("tools/call", {"name": ["ponder"]}, "name"),
    ("tools/call", {"name": LONG}, "256"),
    ("tools/call", {"name": "ponder", "arguments": "why?"}, "arguments"),
    ("tools/call", {"name": "ponder", "arguments": ["why?"]}, "arguments"),
    ("tools/call", {**CALL, "_meta": {"progressToken": {}}}, "_meta.progressToken"),
    ("tools/call", {**CALL, "_meta": {"io.github.mcp-task-server/idempotency-key": LONG}}, "256"),
    ("tools/call", {**CALL, "arguments": {"question": "x" * 4_000_000}}, "takes at most 4000000"),
    ("tools/call", {"name": "introduce", "requestState": 7}, "requestState"),
    ("tools/call", {"name": "introduce", "inputResponses": []}, "inputResponses"),
    ("tools/call", {"name": "introduce", "inputResponses": {"name": 7}}, "inputResponses.name"),
    ("prompts/get", {"name": LONG}, "256"),
    ("resources/read", {}, "uri is missing"),
    ("tasks/get", {"taskId": LONG}, "256"),
    ("tasks/update", {"taskId": "x"}, "inputResponses is missing"),
]


@requirement("B-ERR-3", "B-TOOL-5", "B-TASK-18", "B-MRTR-8")
@pytest.mark.parametrize(("method", "params", "says"), WRONG_PARAMS, ids=lambda value: repr(value)[:60])
def test_wrong_params_are_rejected_by_name(harness: Harness, ada: Client, method: str, params: Any, says: str) -> None:
    before = harness.kept()

    reply = ada.send_request(method, params)

    assert (reply.status, reply.error["code"], harness.kept()) == (200, -32602, before)
    assert says in reply.error["message"]
    assert len(reply.error["message"]) < 500


@requirement("B-TOOL-6", "B-TOOL-5")
def test_arguments_that_are_nested_as_deeply_as_may_be_are_the_tools_to_reject(ada: Client) -> None:
    deep: Any = "x"
    for _ in range(97):
        deep = [deep]

    result = ada.call("greet", name=deep)

    assert (result["isError"], "name" in result["content"][0]["text"]) == (True, True)


@requirement("B-META-2", "B-TOOL-4")
def test_fields_that_are_null_are_as_good_as_absent(ada: Client) -> None:
    nothing = {"arguments": None, "task": None, "inputResponses": None, "requestState": None}

    assert ada.result("tools/call", name="introduce", **nothing)["resultType"] == "input_required"
    assert ada.result("tools/list", cursor=None)["tools"]
    assert (
        ada.send_request("tools/list", meta={"progressToken": None, "io.modelcontextprotocol/logLevel": None}).status
        == 200
    )


@requirement("B-ERR-3", "B-HTTP-14")
@pytest.mark.parametrize("method", ["x" * 256, "\x00", "two words", "é", "tools/list\n"])
def test_a_method_of_any_name_is_rejected_in_words_that_can_be_read(ada: Client, method: str) -> None:
    reply = ada.send_request(method)

    assert reply.status in (400, 404)
    assert len(reply.error["message"]) < 600
