"""The envelope in `_meta` of every request, and which requests are of this revision."""

from typing import Any

import pytest

from tests.protocol.harness import ORIGIN, Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import CAPABILITIES, LEFT_OUT, LOG_LEVEL, NAME, TASKS, VERSION, Client

CALL = {"name": "ponder", "arguments": {"question": "why?"}}
FUTURE = "2031-01-01"

MALFORMED: list[tuple[str, Any]] = [
    (VERSION, None),
    (VERSION, 20260728),
    (VERSION, [NAME]),
    (VERSION, {}),
    (VERSION, True),
    (CAPABILITIES, None),
    (CAPABILITIES, []),
    (CAPABILITIES, "all"),
    (CAPABILITIES, True),
    (CAPABILITIES, 7),
]


@requirement("B-META-2", "B-DUAL-7", "B-DUAL-8", "B-ERR-3", "B-VER-7")
@pytest.mark.parametrize("missing", [[VERSION], [CAPABILITIES], [VERSION, CAPABILITIES]])
def test_an_envelope_that_is_incomplete_is_rejected_with_what_it_lacks(
    harness: Harness, ada: Client, missing: list[str]
) -> None:
    before = harness.kept()

    reply = ada.send_request("tools/call", CALL, meta=dict.fromkeys(missing, LEFT_OUT), mcp_protocol_version=NAME)

    assert (reply.status, reply.error["code"], harness.kept()) == (400, -32602, before)
    assert all((name in reply.error["message"]) == (name in missing) for name in (VERSION, CAPABILITIES))


@requirement("B-DUAL-7", "B-META-2")
@pytest.mark.parametrize("params", [{}, {"params": None}, {"params": {}}, {"params": {"_meta": None}}])
@pytest.mark.parametrize("version", [NAME, "2031-01-01", "nonsense", f" {NAME}"])
def test_a_request_without_an_envelope_is_none_of_this_revision(ada: Client, params: Any, version: str) -> None:
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", **params}

    reply = ada.post(request, mcp_protocol_version=version, mcp_method="tools/list")

    assert (reply.status, reply.error["code"]) == (400, -32602)
    assert VERSION in reply.error["message"]


@requirement("B-DUAL-8", "B-META-2")
@pytest.mark.parametrize(("field", "value"), MALFORMED, ids=repr)
@pytest.mark.parametrize("header", [NAME, None, "2025-11-25"])
def test_an_envelope_that_is_malformed_is_rejected_whatever_the_headers_say(
    harness: Harness, ada: Client, field: str, value: Any, header: str | None
) -> None:
    before = harness.kept()

    reply = ada.send_request("tools/call", CALL, meta={field: value}, mcp_protocol_version=header)

    assert (reply.status, reply.error["code"], harness.kept()) == (400, -32602, before)
    assert field in reply.error["message"]


@requirement("B-DUAL-8")
@pytest.mark.parametrize("meta", [[], "x", 7, True])
def test_a_meta_that_is_no_object_holds_no_envelope(ada: Client, meta: Any) -> None:
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}

    reply = ada.post(request, mcp_protocol_version=NAME, mcp_method="tools/list")

    assert (reply.status, reply.error["code"]) == (400, -32602)


@requirement("B-META-3")
def test_the_envelope_need_not_name_the_client(ada: Client) -> None:
    envelope = {VERSION: NAME, CAPABILITIES: {}}
    request = {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": envelope}}

    assert ada.post(request, mcp_protocol_version=NAME, mcp_method="server/discover").status == 200


@requirement("B-META-4", "B-ERR-3")
@pytest.mark.parametrize("level", ["verbose", "DEBUG", "", 3, ["info"], {}])
def test_another_log_level_is_rejected_with_those_that_there_are(harness: Harness, ada: Client, level: Any) -> None:
    before = harness.kept()

    reply = ada.send_request("tools/call", CALL, meta={LOG_LEVEL: level})

    assert (reply.status, reply.error["code"], harness.kept()) == (200, -32602, before)
    assert "emergency" in reply.error["message"]


@requirement("B-VER-1", "B-VER-2", "B-DUAL-10", "B-ERR-7")
@pytest.mark.parametrize("version", [FUTURE, "v999.0.0", "2025-11-25", "2025-06-18", "2024-11-05", "", "2026-07-28b"])
def test_a_version_that_is_not_spoken_is_rejected_with_those_that_are(
    harness: Harness, ada: Client, version: str
) -> None:
    before = harness.kept()

    reply = ada.send_request("tools/call", CALL, meta={VERSION: version}, mcp_protocol_version=version)

    assert (reply.status, reply.error["code"], harness.kept()) == (400, -32022, before)
    assert reply.error["data"] == {
        "supported": ada.result("server/discover")["supportedVersions"],
        "requested": version,
    }


@requirement("B-VER-1", "B-BASE-5")
def test_each_request_is_judged_by_its_own_version(ada: Client) -> None:
    statuses = [
        ada.send_request("tools/list", meta={VERSION: version}, mcp_protocol_version=version).status
        for version in (NAME, FUTURE, NAME)
    ]

    assert statuses == [200, 400, 200]


@requirement("B-DUAL-9", "B-HDR-1", "B-ERR-5")
@pytest.mark.parametrize("claimed", [NAME, FUTURE, "2025-11-25"])
@pytest.mark.parametrize("header", [None, "2027-01-01", "2025-06-18", "", f"{NAME}, {NAME}"])
def test_an_envelope_and_a_header_that_differ_are_rejected_before_the_version_is(
    harness: Harness, ada: Client, claimed: str, header: str | None
) -> None:
    before = harness.kept()

    reply = ada.send_request("tools/call", CALL, meta={VERSION: claimed}, mcp_protocol_version=header)

    assert (reply.status, reply.error["code"], harness.kept()) == (400, -32020, before)
    assert "mcp-protocol-version" in reply.error["message"]


@requirement("B-DUAL-1", "B-HTTP-11", "B-HTTP-13")
@pytest.mark.parametrize("headers", [{"mcp_session_id": "any"}, {"mcp_session_id": ""}, {"last_event_id": "x.y"}])
def test_session_ids_and_event_ids_are_ignored(ada: Client, headers: dict[str, str]) -> None:
    call = {"name": "climb", "arguments": {"steps": [1]}}

    reply = ada.send_request("tools/call", call, id=1, meta={"progressToken": 2}, **headers)

    assert reply == ada.send_request("tools/call", call, id=1, meta={"progressToken": 2})
    assert "mcp-session-id" not in reply.headers


@requirement("B-DUAL-4")
@pytest.mark.parametrize("version", [NAME, FUTURE])
def test_initialize_with_a_header_of_this_revision_is_rejected(harness: Harness, ada: Client, version: str) -> None:
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "n", "version": "1"}}
    before = harness.kept()

    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    reply = ada.post(request, mcp_protocol_version=version, mcp_method="initialize")

    assert (reply.status, reply.error["code"], harness.kept()) == (400, -32020, before)
    assert "initialize" in reply.error["message"]


@requirement("B-DUAL-11", "B-HTTP-5", "B-TASK-26")
@pytest.mark.parametrize("method", ["notifications/cancelled", "notifications/initialized", "tools/call", "no/such"])
def test_a_notification_is_taken_and_dropped(harness: Harness, ada: Client, method: str) -> None:
    created = ada.send_request("tools/call", CALL, id=99).response["result"]
    before = harness.kept()

    reply = ada.send_notification(method, {**CALL, "requestId": 99, "reason": "enough"})

    assert (reply.status, reply.body, harness.kept()) == (202, "", before)
    assert ada.tasks_get(created["taskId"])["status"] == "working"


@requirement("B-DUAL-11")
def test_a_notification_in_an_envelope_without_any_header_is_accepted_and_dropped(
    harness: Harness, ada: Client
) -> None:
    before = harness.kept()

    sent = {"jsonrpc": "2.0", "method": "tools/call", "params": {**CALL, "_meta": {VERSION: NAME}}}

    assert (ada.post(sent).status, harness.kept()) == (202, before)


@requirement("B-DUAL-15", "B-TASK-30", "B-TASK-2")
@pytest.mark.parametrize(
    "capabilities",
    [
        {"tasks": {"requests": {"tools": {"call": {}}}}},
        {"extensions": {}},
        {"extensions": {TASKS: None}},
        {"extensions": {"com.example/tasks": {}}},
        {"experimental": {TASKS: {}}},
        {TASKS: {}},
        {"extensions": [TASKS]},
    ],
)
def test_tasks_are_declared_by_the_extension_and_by_nothing_else(
    harness: Harness, ada: Client, capabilities: dict[str, Any]
) -> None:
    task_id = ada.start()
    before = harness.kept()

    for method, params in (("tools/call", CALL), ("tasks/get", {"taskId": task_id})):
        reply = ada.send_request(method, params, meta={CAPABILITIES: capabilities})

        assert (reply.status, reply.error["code"], harness.kept()) == (400, -32021, before)
        assert reply.error["data"] == {"requiredCapabilities": {"extensions": {TASKS: {}}}}


# In the order of validation: headers and fields of `_meta`, then status, code and a word of the message.
LADDER: list[tuple[dict[str, Any], dict[str, Any], int, int, str]] = [
    ({"origin": "https://evil.example"}, {}, 403, -32600, "origin"),
    ({"accept": "application/json"}, {}, 406, -32600, "Accept"),
    ({"content_type": "text/plain"}, {}, 415, -32600, "application/json"),
    ({}, {CAPABILITIES: LEFT_OUT}, 400, -32602, CAPABILITIES),
    ({"mcp_protocol_version": "2025-11-25"}, {}, 400, -32020, "mcp-protocol-version"),
    ({"mcp_method": "tools/list"}, {}, 400, -32020, "mcp-method"),
    ({"mcp_name": "ponder"}, {}, 400, -32020, "mcp-name"),
    ({"mcp_protocol_version": FUTURE}, {VERSION: FUTURE}, 400, -32022, FUTURE),
    ({"mcp_param_region": "elsewhere"}, {}, 400, -32020, "Mcp-Param-Region"),
    ({}, {}, 200, 0, "nothing"),
]


@requirement("B-DUAL-9", "B-DUAL-10", "B-HTTP-2", "B-HTTP-4", "B-HDR-10")
@pytest.mark.parametrize("rung", range(len(LADDER)), ids=lambda rung: LADDER[rung][-1])
def test_of_several_errors_the_first_is_reported(ada: Client, rung: int) -> None:
    headers: dict[str, Any] = {"origin": ORIGIN, "mcp_param_region": "here"}
    meta: dict[str, Any] = {}
    for wrong, fields, *_ in reversed(LADDER[rung:]):
        headers |= wrong
        meta |= fields

    reply = ada.send_request("tools/call", {"name": "send", "arguments": {"region": "here"}}, meta=meta, **headers)

    _, _, status, code, word = LADDER[rung]
    found = reply.message.get("error", {"code": 0, "message": "nothing"})
    assert (reply.status, found["code"]) == (status, code)
    assert word in found["message"]


@requirement("B-ERR-2", "B-DUAL-10")
def test_an_unknown_method_is_named_before_its_params_and_after_its_version(ada: Client) -> None:
    params = {"taskId": [], "cursor": 7, "name": None}

    unknown = ada.send_request("no/such", params)
    future = ada.send_request("no/such", params, meta={VERSION: FUTURE}, mcp_protocol_version=FUTURE)

    assert (unknown.status, unknown.error["code"]) == (404, -32601)
    assert (future.status, future.error["code"]) == (400, -32022)
