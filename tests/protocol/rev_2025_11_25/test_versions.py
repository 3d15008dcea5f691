"""The versions before this one: no tasks, and no events without data."""

import pytest

from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client


@pytest.fixture(params=["2025-06-18", "2025-03-26"])
def old(request: pytest.FixtureRequest, harness: Harness) -> Client:
    client = Client(harness, version=request.param)
    client.initialize()
    return client


@requirement("A-LIFE-3", "A-LIFE-9", "A-TASK-1")
@pytest.mark.parametrize("version", ["2025-06-18", "2025-03-26"])
def test_an_older_version_has_no_tasks(harness: Harness, version: str) -> None:
    initialized = Client(harness, version=version).initialize()

    assert initialized["capabilities"] == {"tools": {"listChanged": False}, "logging": {}}


@requirement("A-LIFE-9", "A-BASE-9")
@pytest.mark.parametrize("verb", ["get", "result", "list", "cancel"])
def test_an_older_version_has_no_methods_for_tasks(harness: Harness, old: Client, ada: Client, verb: str) -> None:
    task_id = ada.start()

    error = old.error(f"tasks/{verb}", taskId=task_id)

    assert (error["code"], old.version in error["message"]) == (-32601, True)
    assert ada.result("tasks/get", taskId=task_id)["status"] == "working"


@requirement("A-TASK-2")
def test_an_older_version_ignores_the_field_task(old: Client) -> None:
    called = {"name": "greet", "arguments": {"name": "Zoë"}}

    assert old.result("tools/call", **called, task={"ttl": -1}) == old.result("tools/call", **called)


@requirement("A-TASK-6")
@pytest.mark.parametrize("more", [{}, {"task": {}}])
def test_a_tool_that_requires_a_task_says_from_which_version_on_there_are_any(
    harness: Harness, old: Client, more: dict[str, object]
) -> None:
    before = harness.kept()

    error = old.error("tools/call", name="ponder", arguments={"question": "?"}, **more)

    assert (error["code"], "2025-11-25" in error["message"], harness.kept()) == (-32601, True, before)


@requirement("A-SSE-15")
def test_an_older_version_gets_no_event_without_data(old: Client) -> None:
    reply = old.send_request(
        "tools/call", {"name": "climb", "arguments": {"steps": [1]}, "_meta": {"progressToken": 1}}
    )

    assert len(reply.events) == 2
    assert all(event.data and event.id is None for event in reply.events)


@requirement("A-SSE-15", "A-SSE-17")
def test_an_older_session_cannot_resume_the_stream_of_a_newer_one(harness: Harness, ada: Client, old: Client) -> None:
    place = ada.send_request("tasks/result", {"taskId": ada.start()}).last_event_id

    assert old.resume(place).status == 405
