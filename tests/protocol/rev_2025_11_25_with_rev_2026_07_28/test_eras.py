"""Two eras at one address: which requests belong to which."""

import gzip
import json
from typing import Any

import pytest

from mcp_tasks.wire.http import HttpRequest
from mcp_tasks.wire.server import handle
from tests.kit import ADA
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25_with_rev_2026_07_28.clients import New, Old
from tests.protocol.rev_2026_07_28.client import CAPABILITIES, NAME, TASKS, VERSION

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "n", "version": "1"}}


@requirement("B-VER-6", "B-DUAL-1", "B-DUAL-6", "A-LIFE-9")
def test_both_are_served_at_one_address_in_any_order(old: Old, new: New) -> None:
    for _ in range(2):
        assert "resultType" not in old.result("tools/list")
        assert new.result("tools/list")["resultType"] == "complete"


@requirement("B-DUAL-1", "B-HTTP-13", "A-SESS-8")
def test_a_session_changes_nothing_for_a_request_in_an_envelope(old: Old, new: New) -> None:
    session = old.headers["mcp-session-id"]

    assert (
        new.send_request("tools/list", id=1, mcp_session_id=session).body == new.send_request("tools/list", id=1).body
    )


@requirement("B-DUAL-4", "A-LIFE-3", "A-HTTP-15")
@pytest.mark.parametrize("header", [None, "2025-11-25", "2025-03-26", "1999-01-01"])
def test_initialize_without_an_envelope_opens_a_session(harness: Harness, header: str | None) -> None:
    reply = Old(harness).send_request("initialize", HELLO, mcp_protocol_version=header)

    assert (reply.status, reply.message["result"]["protocolVersion"]) == (200, "2025-11-25")


@requirement("B-DUAL-4", "B-VER-3", "A-LIFE-3")
def test_initialize_never_negotiates_a_version_that_has_none(harness: Harness) -> None:
    assert Old(harness, version=NAME).initialize()["protocolVersion"] == "2025-11-25"


@requirement("B-DUAL-5", "A-SESS-1")
def test_initialize_in_an_envelope_is_an_unknown_method(harness: Harness, old: Old, new: New) -> None:
    before = harness.kept()

    for headers in ({}, {"mcp_session_id": old.headers["mcp-session-id"]}):
        reply = new.send_request("initialize", HELLO, **headers)

        assert (reply.status, reply.error["code"], harness.kept()) == (404, -32601, before)


@requirement("B-DUAL-6", "A-SESS-4", "A-HTTP-14")
@pytest.mark.parametrize("version", [None, "2025-11-25", "2025-06-18", "2025-03-26"])
def test_a_request_without_an_envelope_belongs_to_a_session(old: Old, new: New, version: str | None) -> None:
    request = {"jsonrpc": "2.0", "id": "x", "method": "tools/list"}

    lost = new.post(request, mcp_protocol_version=version)

    assert (lost.status, "Mcp-Session-Id" in lost.error["message"]) == (400, True)
    assert old.post(request, mcp_protocol_version=version).message["result"]["tools"]


@requirement("B-DUAL-6", "A-HTTP-12", "B-VER-7")
@pytest.mark.parametrize("version", ["1999-01-01", "2024-11-05", "2025-11-24", "2026-07-27", ""])
def test_a_version_of_neither_era_is_rejected(old: Old, version: str) -> None:
    reply = old.send_request("tools/list", mcp_protocol_version=version)

    assert (reply.status, reply.error["code"]) == (400, -32022)


@requirement("B-DUAL-10", "B-ERR-7", "B-VER-2", "A-HTTP-12")
def test_the_error_for_an_unsupported_version_lists_those_of_both_eras(old: Old, new: New) -> None:
    replies = [
        old.send_request("tools/list", mcp_protocol_version="1999-01-01"),
        old.send("GET", accept="text/event-stream", mcp_protocol_version="1999-01-01"),
        new.send_request("tools/list", meta={VERSION: "2099-01-01"}, mcp_protocol_version="2099-01-01"),
        new.send_request("tools/list", meta={VERSION: "2025-11-25"}, mcp_protocol_version="2025-11-25"),
    ]

    supported = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"]
    assert [(each.error["code"], each.error["data"]["supported"]) for each in replies] == [(-32022, supported)] * 4
    assert new.result("server/discover")["supportedVersions"] == supported


@requirement("B-DUAL-7", "B-DUAL-8", "A-HTTP-12")
@pytest.mark.parametrize(
    ("header", "meta", "code"),
    [
        (NAME, {}, -32602),
        (NAME, {CAPABILITIES: {}}, -32602),
        ("2025-11-25", {VERSION: NAME}, -32602),
        ("2025-11-25", {VERSION: 7, CAPABILITIES: {}}, -32602),
        ("2025-11-25", {VERSION: NAME, CAPABILITIES: {}}, -32020),
        (None, {VERSION: NAME, CAPABILITIES: {}}, -32020),
        ("2025-11-25", {VERSION: "2025-11-25", CAPABILITIES: {}}, -32020),
    ],
)
def test_half_an_envelope_is_rejected_even_within_a_session(
    harness: Harness, old: Old, header: str | None, meta: dict[str, Any], code: int
) -> None:
    call = {"name": "ponder", "arguments": {"question": "?"}, "task": {}, "_meta": meta}
    before = harness.kept()

    reply = old.send_request("tools/call", call, mcp_protocol_version=header)

    assert (reply.status, reply.error["code"], harness.kept()) == (400, code, before)


@requirement("B-DUAL-2", "A-GET-2", "A-SESS-7")
def test_get_and_delete_belong_to_sessions(old: Old, new: New) -> None:
    lost = [new.send(method, accept="text/event-stream") for method in ("GET", "DELETE")]
    resumed = old.resume(old.send_request("tasks/result", {"taskId": new.start()}).last_event_id)

    assert [(reply.status, "Mcp-Session-Id" in reply.error["message"]) for reply in lost] == [(400, True)] * 2
    assert resumed.streamed
    assert old.send("DELETE").status == 204


@requirement("B-DUAL-3", "B-BASE-4", "A-HTTP-5")
def test_responses_belong_to_sessions(old: Old, new: New) -> None:
    response: dict[str, Any] = {"jsonrpc": "2.0", "id": "x", "result": {}}

    replies = [each.post(response) for each in (old, new)]

    assert [reply.status for reply in replies] == [400, 400]
    assert "sent no request" in replies[0].error["message"]
    assert "Mcp-Session-Id" in replies[1].error["message"]


@requirement("B-DUAL-11", "A-CANC-2")
def test_a_notification_belongs_to_the_era_that_its_header_names(old: Old, new: New) -> None:
    place = old.send_request("tasks/result", {"taskId": new.start()}, id=7).last_event_id
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}

    assert old.post(cancelled, mcp_protocol_version=NAME).status == 202
    still = old.resume(place)
    assert old.post(cancelled).status == 202

    assert (still.status, old.resume(still.last_event_id).status) == (200, 405)


@requirement("B-DUAL-12", "A-BASE-1")
@pytest.mark.parametrize("version", ["2025-11-25", NAME, "2025-03-26"])
@pytest.mark.parametrize("size", [0, 1, 2])
def test_there_are_no_batches_in_either(harness: Harness, old: Old, version: str, size: int) -> None:
    call = {
        "name": "ponder",
        "arguments": {"question": "?"},
        "task": {},
        "_meta": {VERSION: version, CAPABILITIES: {}},
    }
    batch = [{"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": call} for n in range(size)]
    before = harness.kept()

    reply = old.post(batch, mcp_protocol_version=version)

    assert (reply.status, reply.error["code"], harness.kept()) == (400, -32600, before)


@requirement("B-DUAL-14", "A-TASK-1", "A-TASK-6")
@pytest.mark.parametrize(
    "capabilities",
    [{"extensions": {TASKS: None}}, {"experimental": {TASKS: {}}}, {TASKS: {}}],
)
def test_the_extension_is_declared_in_initialize_under_its_own_name_only(
    harness: Harness, capabilities: dict[str, Any]
) -> None:
    old = Old(harness)
    old.initialize(capabilities)
    harness.change(page_size=100)

    names = [each["name"] for each in old.result("tools/list")["tools"]]

    assert names[-3:] == ["task_result", "task_cancel", "task_list"]
    assert old.error("tools/call", name="ponder", arguments={"question": "?"})["code"] == -32601
    assert old.call("add", numbers=[1, 2])["structuredContent"] == {"total": 3}


@requirement("B-DUAL-15", "B-TASK-30", "A-TASK-1")
def test_the_field_task_belongs_to_one_era_and_the_extension_to_the_other(old: Old, new: New) -> None:
    call = {"name": "add", "arguments": {"numbers": [1, 2]}}

    created_old = old.result("tools/call", **call, task={})
    created_new = new.result("tools/call", **call, task={"ttl": 1})
    waited = new.send_request("tools/call", {**call, "task": {}}, meta={CAPABILITIES: {"tasks": {}}}).message["result"]

    assert created_old.keys() == {"task", "_meta"}
    assert (created_new["resultType"], "task" in created_new) == ("task", False)
    assert waited["structuredContent"] == {"total": 3}


@requirement("B-DUAL-1", "B-MRTR-6", "A-SSE-17", "A-PAG-2")
def test_cursors_and_ids_of_one_era_are_rejected_in_the_other(old: Old, new: New) -> None:
    place = old.send_request("tasks/result", {"taskId": new.start()}).last_event_id
    state = new.call("introduce")["requestState"]

    assert old.resume(state).status == 405
    assert old.error("tasks/list", cursor=state)["code"] == -32602
    assert new.error("tools/call", name="introduce", arguments={}, requestState=place)["code"] == -32602
    assert new.error("tools/list", cursor=place)["code"] == -32602


PING = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
DISCOVER = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "server/discover",
        "params": {"_meta": {VERSION: NAME, CAPABILITIES: {}}},
    }
).encode()
NAMES = {"mcp-protocol-version": NAME, "mcp-method": "server/discover"}


def status_and_error(harness: Harness, body: bytes, **headers: str) -> tuple[int, int | None]:
    """Return the status of a POST of these bytes, and the code of its error if there is one."""
    sent = {"content-type": "application/json"} | headers
    reply = handle(harness.server, HttpRequest(method="POST", headers=sent, body=body), ADA)
    return reply.status, json.loads(reply.body).get("error", {}).get("code")


@requirement("A-HTTP-11", "B-HTTP-1")
@pytest.mark.parametrize(("body", "names"), [(PING, {}), (DISCOVER, NAMES)], ids=["2025-11-25", NAME])
def test_a_body_may_begin_with_a_byte_order_mark_and_be_compressed(
    harness: Harness, body: bytes, names: dict[str, str]
) -> None:
    marked = b"\xef\xbb\xbf" + body

    assert status_and_error(harness, marked, **names) == (200, None)
    assert status_and_error(harness, gzip.compress(marked), **names, **{"content-encoding": "gzip"}) == (200, None)
    assert status_and_error(harness, b"\xef\xbb\xbf" + marked, **names) == (400, -32700)
    assert status_and_error(harness, body, **names, **{"content-encoding": "br"}) == (415, -32600)
