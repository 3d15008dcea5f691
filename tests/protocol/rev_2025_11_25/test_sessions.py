"""Sessions: assigned by `initialize`, required in every request, and no authentication."""

from datetime import timedelta

import pytest

from mcp_tasks.limits.waits import SESSION_FRESH
from mcp_tasks.security.tenancy import Caller
from tests.kit import ADA, BOB, EVE
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client


@requirement("A-SESS-1", "A-SESS-2")
def test_every_initialize_opens_a_session_of_its_own(harness: Harness) -> None:
    clients = [Client(harness, caller) for caller in (ADA, ADA, BOB, EVE) for _ in range(5)]
    for client in clients:
        client.initialize()

    ids = {client.headers["mcp-session-id"] for client in clients}

    assert len(ids) == len(clients)
    assert all(len(each) >= 32 for each in ids)


@requirement("A-SESS-4")
def test_a_request_without_a_session_is_rejected(ada: Client) -> None:
    replies = [
        ada.send_request("tools/list", mcp_session_id=None),
        ada.post({"jsonrpc": "2.0", "method": "notifications/initialized"}, mcp_session_id=None),
        ada.post({"jsonrpc": "2.0", "id": "x", "result": {}}, mcp_session_id=None),
        ada.send("GET", accept="text/event-stream", mcp_session_id=None),
        ada.resume("anywhere", mcp_session_id=None),
        ada.send("DELETE", mcp_session_id=None),
    ]

    assert [reply.status for reply in replies] == [400] * 6
    assert {reply.error["code"] for reply in replies} == {-32600}
    assert all("Mcp-Session-Id" in reply.error["message"] for reply in replies)


@requirement("A-SESS-5")
@pytest.mark.parametrize("session", ["", "unknown", "\x00\x7f\u00ff", "~" * 9_000, "../..", "session#1"])
def test_an_unknown_session_is_not_found(harness: Harness, ada: Client, session: str) -> None:
    before = harness.kept()
    replies = [
        ada.send_request("tools/list", mcp_session_id=session),
        ada.send_request("ping", mcp_session_id=session),
        ada.resume("anywhere", mcp_session_id=session),
        ada.send("DELETE", mcp_session_id=session),
    ]

    assert [reply.status for reply in replies] == [404] * 4
    assert all("initialize" in reply.error["message"] for reply in replies)
    assert harness.kept() == before


@requirement("A-SESS-7", "A-SESS-5")
def test_delete_ends_the_session_and_nothing_else(harness: Harness, ada: Client) -> None:
    other = Client(harness)
    other.initialize()
    task_id = ada.start()
    place = ada.send_request("tasks/result", {"taskId": task_id}).last_event_id

    ended = ada.send("DELETE")

    assert (ended.status, ended.body) == (204, "")
    assert ada.send_request("tools/list").status == 404
    assert ada.resume(place).status == 404
    assert ada.send("DELETE").status == 404
    assert other.result("tasks/get", taskId=task_id)["status"] == "working"


def end_at_another_process(harness: Harness, client: Client) -> None:
    """Have one process end a session that another one has served, and go on with that."""
    here = harness.server
    harness.restart()
    elsewhere = harness.server
    assert client.send_request("tools/list").status == 200
    harness.server = here
    assert client.send("DELETE").status == 204
    harness.server = elsewhere


@requirement("A-SESS-5", "A-SESS-7")
def test_a_session_that_was_ended_at_another_process_is_refused_like_any_other_within_seconds(
    harness: Harness, ada: Client
) -> None:
    end_at_another_process(harness, ada)

    harness.clock.advance(SESSION_FRESH - timedelta(microseconds=1))
    assert ada.send_request("tools/list").status == 200
    harness.clock.advance(timedelta(microseconds=1))
    assert ada.send_request("tools/list", id=7) == ada.send_request("tools/list", id=7, mcp_session_id="unknown")


@requirement("A-SESS-5", "A-SESS-7")
def test_a_session_that_was_ended_at_another_process_gets_no_stream_and_is_not_known_to_a_new_process(
    harness: Harness, ada: Client
) -> None:
    end_at_another_process(harness, ada)

    assert ada.send("GET", accept="text/event-stream").status == 404
    harness.restart()
    assert ada.send_request("tools/list").status == 404


@requirement("A-SESS-8")
@pytest.mark.parametrize("thief", [BOB, EVE])
def test_another_callers_session_is_no_session(harness: Harness, ada: Client, thief: Caller) -> None:
    task_id = ada.start()
    place = ada.send_request("tasks/result", {"taskId": task_id}).last_event_id
    stolen = Client(harness, thief)
    stolen.headers = dict(ada.headers)
    before = harness.kept()

    assert stolen.send_request("tasks/get", {"taskId": task_id}).status == 404
    assert stolen.resume(place).status == 404
    assert stolen.send("DELETE").status == 404
    assert harness.kept() == before
    assert ada.result("tasks/get", taskId=task_id)
