"""`notifications/cancelled` ends a wait, never a task."""

from typing import Any

import pytest

from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client


@requirement("A-CANC-2", "A-CANC-3", "A-TASK-37")
@pytest.mark.parametrize("id", [0, "0", 7, "é" * 256])
def test_a_cancelled_waiting_gets_no_answer_and_the_task_goes_on(harness: Harness, ada: Client, id: Any) -> None:
    task_id = ada.start()
    place = ada.send_request("tasks/result", {"taskId": task_id}, id=id).last_event_id

    assert ada.send_notification("notifications/cancelled", {"requestId": id, "reason": "timeout"}).status == 202
    assert ada.resume(place).status == 405
    assert ada.result("tasks/get", taskId=task_id)["status"] == "working"
    assert harness.executor.stopped == {}


@requirement("A-CANC-3")
def test_after_that_the_result_can_be_waited_for_again(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    ada.send_request("tasks/result", {"taskId": task_id}, id="first")
    ada.send_notification("notifications/cancelled", {"requestId": "first"})
    harness.while_waiting(lambda: harness.run(task_id))

    answer, _ = ada.outcome(task_id, id="second")

    assert answer["id"] == "second"


@requirement("A-CANC-2", "A-CANC-3")
def test_seven_and_the_text_seven_are_two_requests(ada: Client) -> None:
    task_id = ada.start()
    number, text = (ada.send_request("tasks/result", {"taskId": task_id}, id=id).last_event_id for id in (7, "7"))
    ada.send_notification("notifications/cancelled", {"requestId": 7})

    assert ada.resume(number).status == 405
    assert ada.resume(text).status == 200


@requirement("A-CANC-2")
def test_one_session_cannot_cancel_what_another_waits_for(harness: Harness, ada: Client) -> None:
    other = Client(harness)
    other.initialize()
    place = ada.send_request("tasks/result", {"taskId": ada.start()}, id=7).last_event_id
    other.send_notification("notifications/cancelled", {"requestId": 7})

    assert ada.resume(place).status == 200


@requirement("A-CANC-2")
@pytest.mark.parametrize("params", [None, {}, {"requestId": None}, {"requestId": []}, {"requestId": True}, {"x": 1}])
def test_a_malformed_cancellation_is_ignored(harness: Harness, ada: Client, params: Any) -> None:
    place = ada.send_request("tasks/result", {"taskId": ada.start()}, id=1).last_event_id
    before = harness.kept()

    assert ada.send_notification("notifications/cancelled", params).status == 202
    assert harness.kept() == before
    assert ada.resume(place).status == 200


@requirement("A-CANC-4", "A-CANC-2")
@pytest.mark.parametrize("id", ["never asked", 0, 1, "v" * 300])
def test_a_late_or_pointless_cancellation_does_no_harm(harness: Harness, ada: Client, id: Any) -> None:
    task_id = ada.start()
    harness.run(task_id)
    ada.send_notification("notifications/cancelled", {"requestId": id})

    assert ada.result("tasks/result", taskId=task_id)["isError"] is False


@requirement("A-CANC-4", "A-CANC-2")
def test_cancelling_a_call_that_returned_a_task_handle_leaves_its_task_alone(harness: Harness, ada: Client) -> None:
    ada.initialize({})
    harness.idle = True
    answer, _ = ada.follow(ada.send_request("tools/call", {"name": "add", "arguments": {"numbers": [1]}}, id="slow"))
    task_id = answer["result"]["structuredContent"]["task_id"]

    assert ada.send_notification("notifications/cancelled", {"requestId": "slow"}).status == 202
    harness.run(task_id)
    assert ada.call("task_result", task_id=task_id)["isError"] is False
    assert harness.executor.stopped == {}


def called(ada: Client, tool: str, **more: Any) -> Any:
    """Call a tool by a request that is cancelled while its POST is held, and return the reply."""
    harness = ada.harness
    harness.idle = True
    harness.while_waiting(lambda: ada.send_notification("notifications/cancelled", {"requestId": "slow"}))
    call = {"name": tool, "arguments": {"numbers": [1]}, **more}
    return ada.send_request("tools/call", call, id="slow").response["result"]


@requirement("A-CANC-2", "A-CANC-3")
@pytest.mark.parametrize("version", ["2025-11-25", "2025-06-18", "2025-03-26"])
def test_a_call_that_is_cancelled_before_its_task_handle_returns_none(harness: Harness, version: str) -> None:
    old = Client(harness, version=version)
    old.initialize({})

    answer = called(old, "add")

    assert (answer["isError"], "structuredContent" in answer) == (True, False)
    assert len(harness.executor.stopped) == 1


@requirement("A-CANC-2", "A-CANC-3")
def test_no_handle_is_left_of_a_call_that_was_cancelled_before_there_was_one(harness: Harness, ada: Client) -> None:
    capabilities: dict[str, Any] = {"extensions": {"io.modelcontextprotocol/tasks": {}}}
    declared: dict[str, Any] = {"io.modelcontextprotocol/clientCapabilities": capabilities}

    assert called(ada, "add", _meta=declared)["status"] == "cancelled"
    assert len(harness.executor.stopped) == 1


@requirement("A-CANC-2")
def test_giving_up_task_result_ends_the_waiting_and_not_the_task(harness: Harness, ada: Client) -> None:
    ada.initialize({})
    harness.idle = True
    task_id = ada.call("add", numbers=[1])["structuredContent"]["task_id"]
    harness.while_waiting(lambda: ada.send_notification("notifications/cancelled", {"requestId": "waiting"}))

    ada.send_request("tools/call", {"name": "task_result", "arguments": {"task_id": task_id}}, id="waiting")

    assert harness.executor.stopped == {}
