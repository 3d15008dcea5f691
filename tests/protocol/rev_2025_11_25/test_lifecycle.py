"""`initialize`, what is negotiated in it, and ping."""

from typing import Any

import pytest

from mcp_tasks.security.tenancy import ANONYMOUS
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client


@requirement("A-LIFE-2", "A-LIFE-10", "A-TOOL-1", "A-TASK-1", "A-TASK-7", "A-LOG-1")
def test_the_server_says_what_it_is_and_can(harness: Harness) -> None:
    result = Client(harness).initialize()

    assert result == {
        "protocolVersion": "2025-11-25",
        "capabilities": {
            "tools": {"listChanged": False},
            "logging": {},
            "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}},
            "extensions": {"io.modelcontextprotocol/tasks": {}},
        },
        "serverInfo": {"name": "test-server", "version": "1.2.3"},
        "instructions": "Long tools run as tasks.",
    }


@requirement("A-LIFE-2")
def test_a_server_without_instructions_gives_none(harness: Harness) -> None:
    harness.change(instructions=None)

    assert "instructions" not in Client(harness).initialize()


@requirement("A-LIFE-2")
def test_the_server_presents_itself_to_clients_that_can_show_it(harness: Harness) -> None:
    icons = [{"src": "https://example.com/icon.png", "sizes": ["48x48"]}]
    about = {"title": "Tests", "description": "A server.", "websiteUrl": "https://example.com", "icons": icons}
    harness.change(about=about)

    named = {"name": "test-server", "version": "1.2.3"}
    assert Client(harness).initialize()["serverInfo"] == named | about
    assert Client(harness, version="2025-03-26").initialize()["serverInfo"] == named


@requirement("A-LIFE-3")
@pytest.mark.parametrize("version", ["2025-11-25", "2025-06-18", "2025-03-26"])
def test_a_version_that_is_spoken_is_echoed(harness: Harness, version: str) -> None:
    assert Client(harness, version=version).initialize()["protocolVersion"] == version


@requirement("A-LIFE-3")
@pytest.mark.parametrize("version", ["1999-01-01", "2024-11-05", "2026-07-28", "", "x" * 100_000])
def test_any_other_version_is_answered_with_the_newest(harness: Harness, version: str) -> None:
    assert Client(harness, version=version).initialize()["protocolVersion"] == "2025-11-25"


@requirement("A-LIFE-6", "A-LIFE-8")
def test_a_client_may_be_late_with_saying_that_it_is_initialized(harness: Harness, ada: Client) -> None:
    eager = Client(harness)
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "n", "version": "1"}}
    eager.headers = {"mcp-session-id": eager.send_request("initialize", params).headers["mcp-session-id"]}

    assert eager.result("tools/list")["tools"]
    assert eager.send_notification("notifications/initialized").status == 202


@requirement("A-LIFE-7", "A-LIFE-9", "A-GET-2")
def test_nothing_is_asked_of_the_client(ada: Client) -> None:
    reply = ada.send("GET", accept="text/event-stream")

    assert reply.status == 405


@requirement("A-LIFE-9", "A-LIFE-10")
@pytest.mark.parametrize("capabilities", [{}, {"tasks": {}}, {"elicitation": {}, "extensions": {"a/b": {}}, "odd": 1}])
def test_what_the_client_can_does_not_change_what_the_server_can(harness: Harness, capabilities: Any) -> None:
    ada = Client(harness)

    assert ada.initialize(capabilities)["capabilities"]["tasks"]
    assert ada.start()


@requirement("A-LIFE-13")
def test_a_ping_is_answered_with_an_empty_result(ada: Client) -> None:
    assert ada.result("ping") == {}


@requirement("A-LIFE-13", "A-SESS-4")
def test_a_ping_needs_no_session(harness: Harness) -> None:
    assert Client(harness).result("ping") == {}


@requirement("A-LIFE-14")
def test_another_instance_of_the_server_knows_what_was_agreed_on(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    place = ada.send_request("tasks/result", {"taskId": task_id}, id=5).last_event_id
    harness.restart()
    harness.run(task_id)

    assert ada.resume(place).messages[-1]["id"] == 5
    assert ada.result("tasks/get", taskId=task_id)["status"] == "completed"


@requirement("A-LIFE-14", "A-SESS-5")
def test_a_session_in_use_lives_on(harness: Harness, ada: Client) -> None:
    from datetime import timedelta

    for _ in range(10):
        harness.clock.advance(timedelta(hours=20))
        assert ada.result("tools/list")
    harness.clock.advance(timedelta(hours=25))

    assert ada.send_request("tools/list").status == 404


@requirement("A-TASK-33", "A-TASK-1", "A-LIFE-10")
def test_tasks_of_callers_who_cannot_be_identified_are_not_listed(harness: Harness) -> None:
    somebody = Client(harness, ANONYMOUS)

    assert "list" not in somebody.initialize()["capabilities"]["tasks"]
    assert somebody.error("tasks/list")["code"] == -32601
    assert somebody.result("tasks/get", taskId=somebody.start())["status"] == "working"
