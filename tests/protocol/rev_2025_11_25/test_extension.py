"""The tasks extension in a session: how it is declared, and how it works with this revision's own tasks."""

from typing import Any

import pytest

from mcp_tasks.features.listing import Features
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client
from tests.protocol.sample_tools import ponder
from tests.protocol.task_input_tools import hurry

TASKS = "io.modelcontextprotocol/tasks"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
DECLARED: dict[str, Any] = {"extensions": {TASKS: {}}}
PONDER: dict[str, Any] = {"name": "ponder", "arguments": {"question": "why?"}}
NO_RECORDS: list[Any] = [None, 7, [], {CAPABILITIES: None}, {CAPABILITIES: []}, {CAPABILITIES: {"extensions": [TASKS]}}]
NO_RECORDS += [{CAPABILITIES: {"extensions": {TASKS: wrong}}} for wrong in [None, True, "{}"]]
RELATED = "io.modelcontextprotocol/related-task"


@pytest.fixture
def ada(harness: Harness) -> Client:
    harness.idle = True
    client = Client(harness)
    client.initialize(DECLARED)
    return client


def created(ada: Client) -> str:
    """Let the server create a task, and return its id."""
    return str(ada.result("tools/call", **PONDER)["taskId"])


@requirement("B-DUAL-14", "A-TASK-9", "A-TASK-20", "A-TASK-34", "A-TASK-35")
def test_a_task_that_the_session_asked_for_stays_one_of_this_revision(ada: Client) -> None:
    asked_for = ada.result("tools/call", **PONDER, task={})
    task_id = asked_for["task"]["taskId"]
    polled = ada.result("tasks/get", taskId=task_id)
    cancelled = ada.result("tasks/cancel", taskId=task_id)

    assert asked_for.keys() == {"task", "_meta"}
    assert {"resultType", "ttlMs", "pollIntervalMs"}.isdisjoint(polled)
    assert cancelled["status"] == "cancelled"
    assert ada.error("tasks/cancel", taskId=task_id)["code"] == -32602


@requirement("B-DUAL-14", "A-TASK-23", "A-TASK-25", "A-TASK-32")
def test_a_task_of_the_servers_can_be_listed_and_waited_for_by_this_revision(harness: Harness, ada: Client) -> None:
    task_id = created(ada)
    place = ada.send_request("tasks/result", {"taskId": task_id}).last_event_id
    harness.run(task_id)
    (listed,) = ada.result("tasks/list")["tasks"]

    assert (listed["taskId"], "resultType" in listed) == (task_id, False)
    assert ada.resume(place).response["result"]["_meta"] == {RELATED: {"taskId": task_id}}


@requirement("B-DUAL-14", "A-TOOL-5", "A-TASK-7")
def test_a_handle_says_in_words_what_to_do_to_a_client_that_declares_and_ignores_the_extension(
    harness: Harness, ada: Client
) -> None:
    harness.change(page_size=100)
    handle = ada.result("tools/call", **PONDER)
    names = [each["name"] for each in ada.result("tools/list")["tools"]]
    harness.run(handle["taskId"])

    assert handle["taskId"] in handle["content"][0]["text"]
    assert "task_result" in handle["content"][0]["text"]
    assert "task_result" in names
    assert ada.call("task_result", task_id=handle["taskId"])["content"][0]["text"] == "It depends: why?"


@requirement("B-DUAL-14", "B-TASK-3")
def test_what_is_quick_is_answered_as_a_call_is(harness: Harness, ada: Client) -> None:
    harness.idle = False
    meta = {CAPABILITIES: DECLARED}

    assert ada.call("add", numbers=[1, 2], _meta=meta)["structuredContent"] == {"total": 3}
    assert ada.error("tools/call", name="refuse", arguments={}, _meta=meta)["code"] == 1969


@requirement("B-DUAL-14", "A-TASK-5", "A-ELI-2")
def test_initialize_alone_leaves_a_call_that_may_be_plain_as_it_is(harness: Harness) -> None:
    harness.change(features=Features.of([hurry, ponder]))
    idle = Client(harness)
    idle.initialize({**DECLARED, "elicitation": {"form": {}}})

    reply = idle.send_request("tools/call", {"name": "hurry", "arguments": {"default": False}})
    idle.respond(reply.input_requests[0], {"action": "decline"})
    plain = idle.resume(reply.last_event_id).response["result"]
    required = idle.result("tools/call", **PONDER)

    assert (plain["content"][0]["text"], "resultType" in plain) == ("Declined", False)
    assert required["resultType"] == "task"


@requirement("B-DUAL-14", "B-TASK-3", "B-TASK-27", "A-TASK-5")
def test_a_plain_call_that_lasts_returns_a_task_handle_and_can_then_be_followed(harness: Harness, ada: Client) -> None:
    place = ada.resume(None).last_event_id
    handle = ada.call("add", numbers=[1, 2])
    harness.run(handle["taskId"])
    (sent,) = ada.resume(place).notifications("notifications/tasks")

    assert (handle["resultType"], handle["structuredContent"]["task_id"]) == ("task", handle["taskId"])
    assert sent["result"]["structuredContent"] == {"total": 3}


@requirement("B-DUAL-14", "A-INP-7", "A-TASK-20")
def test_another_session_that_declares_it_is_asked_what_a_task_of_this_revision_asks(harness: Harness) -> None:
    harness.change(features=Features.of([hurry]))
    first, second = Client(harness), Client(harness)
    for each in (first, second):
        each.initialize({**DECLARED, "elicitation": {"form": {}}})
    task_id = first.start("hurry", default=False)
    harness.run(task_id)

    polled = second.result("tasks/get", taskId=task_id)
    waited = second.send_request("tasks/result", {"taskId": task_id})

    assert (polled["status"], "resultType" in polled, len(waited.input_requests)) == ("input_required", False, 1)


@requirement("B-DUAL-14", "A-LIFE-9")
@pytest.mark.parametrize("version", ["2025-06-18", "2025-03-26"])
@pytest.mark.parametrize("by", ["handshake", "request"])
def test_versions_before_this_one_do_not_have_it(harness: Harness, version: str, by: str) -> None:
    old = Client(harness, version=version)
    initialized = old.initialize(DECLARED if by == "handshake" else {})
    meta = {"_meta": {CAPABILITIES: DECLARED}} if by == "request" else {}

    assert "extensions" not in initialized["capabilities"]
    assert old.error("tools/call", **PONDER, **meta)["code"] == -32601
    assert old.error("tasks/update", taskId="x", inputResponses={}, **meta)["code"] == -32601


@requirement("B-DUAL-14", "A-BASE-7")
@pytest.mark.parametrize("meta", NO_RECORDS)
def test_what_is_no_declaration_declares_nothing(harness: Harness, meta: Any) -> None:
    old = Client(harness)
    old.initialize()

    assert old.error("tasks/update", taskId="x", inputResponses={}, _meta=meta)["code"] == -32601
    assert "tools" in old.result("tools/list", _meta=meta)


@requirement("B-DUAL-14", "B-TASK-22", "B-MRTR-8")
@pytest.mark.parametrize(
    ("params", "complaint"),
    [
        ({}, "inputResponses is missing"),
        ({"inputResponses": []}, "should be an object"),
        ({"inputResponses": {"a": 7}}, "inputResponses.a should be an object"),
        ({"inputResponses": {}, "taskId": 7}, "taskId should be"),
        ({"inputResponses": {}, "taskId": "nope"}, "There is no task"),
    ],
)
def test_a_malformed_update_is_rejected_with_what_is_wrong(
    harness: Harness, ada: Client, params: dict[str, Any], complaint: str
) -> None:
    task_id = created(ada)
    before = harness.stored()

    error = ada.error("tasks/update", **{"taskId": task_id, **params})

    assert (error["code"], complaint in error["message"], harness.stored()) == (-32602, True, before)
