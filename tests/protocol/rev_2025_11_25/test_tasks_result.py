"""`tasks/get` and `tasks/result`: polling, waiting, and exactly the result that the call would have had."""

from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.tasks.model import Failed, Returned
from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client

RELATED = "io.modelcontextprotocol/related-task"


@requirement("A-TASK-20", "A-TASK-21", "A-TASK-22")
def test_tasks_get_shows_the_task_flat_and_as_json(ada: Client) -> None:
    task_id = ada.start()

    reply = ada.send_request("tasks/get", {"taskId": task_id})

    assert reply.headers["content-type"] == "application/json"
    assert reply.message["result"]["taskId"] == task_id
    assert "_meta" not in reply.message["result"]


@requirement("A-TASK-23", "A-TASK-25", "A-TASK-41")
@pytest.mark.parametrize("tool", ["add", "stumble"])
def test_the_result_of_a_task_is_that_of_the_call_with_the_task_named(harness: Harness, ada: Client, tool: str) -> None:
    arguments: dict[str, Any] = {"numbers": [40, 2]} if tool == "add" else {}
    at_once = ada.call(tool, **arguments)
    task_id = ada.result("tools/call", name=tool, arguments=arguments, task={})["task"]["taskId"]
    harness.run(task_id)

    reply = ada.send_request("tasks/result", {"taskId": task_id})

    assert reply.headers["content-type"] == "application/json"
    assert reply.message["result"] == {**at_once, "_meta": {RELATED: {"taskId": task_id}}}


@requirement("A-TASK-23")
def test_the_error_of_a_task_is_that_of_the_call(harness: Harness, ada: Client) -> None:
    at_once = ada.error("tools/call", name="refuse")
    task_id = ada.result("tools/call", name="refuse", task={})["task"]["taskId"]
    waiting = ada.send_request("tasks/result", {"taskId": task_id})
    harness.run(task_id)

    assert ada.error("tasks/result", taskId=task_id) == at_once
    assert ada.resume(waiting.last_event_id).messages[-1]["error"] == at_once


@requirement("A-TASK-23")
@pytest.mark.parametrize("data", [None, 0, "", [], {"a": [1, None]}])
def test_the_data_of_an_error_comes_through_as_it_is(harness: Harness, ada: Client, data: Any) -> None:
    task_id = ada.start()
    harness.finish(task_id, Failed(code=-1, message="no", data=data))

    error = ada.error("tasks/result", taskId=task_id)

    assert (error["code"], error["message"], error.get("data")) == (-1, "no", data)


@requirement("A-TASK-25")
def test_the_related_task_joins_what_the_result_says_itself(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    harness.finish(task_id, Returned(result={"content": [], "_meta": {"com.example/cost": 3}}))

    meta = ada.result("tasks/result", taskId=task_id)["_meta"]

    assert meta == {"com.example/cost": 3, RELATED: {"taskId": task_id}}


@requirement("A-TASK-24", "A-SSE-5", "A-SSE-2")
def test_the_result_of_a_live_task_is_waited_for_as_long_as_it_takes(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    nothing = [lambda: None] * 200
    harness.while_waiting(*nothing, lambda: harness.run(task_id))

    answer, replies = ada.outcome(task_id)

    assert answer["result"]["content"] == [{"type": "text", "text": "It depends: why?"}]
    assert len(replies) > 5
    assert all(reply.messages == [] for reply in replies[:-1])


@requirement("A-TASK-24", "A-TASK-29")
@pytest.mark.parametrize("when", ["before", "while waiting"])
def test_the_result_of_a_cancelled_task_is_one_error(harness: Harness, ada: Client, when: str) -> None:
    task_id = ada.start()
    place = ada.send_request("tasks/result", {"taskId": task_id}, id=60).last_event_id

    def cancel() -> None:
        ada.result("tasks/cancel", taskId=task_id)

    cancel() if when == "before" else harness.while_waiting(cancel)

    late, early = ada.resume(place).messages[-1], ada.error("tasks/result", taskId=task_id)

    assert late["id"] == 60
    assert late["error"] == early == {"code": -32603, "message": "The task was cancelled: there is no result."}


@requirement("A-TASK-24", "A-TASK-39")
def test_waiting_for_a_task_that_expires_ends_with_an_error(harness: Harness, ada: Client) -> None:
    task_id = ada.result("tools/call", name="hike", arguments={"steps": []}, task={"ttl": 1})["task"]["taskId"]
    place = ada.send_request("tasks/result", {"taskId": task_id}, id=9).last_event_id
    harness.while_waiting(lambda: harness.clock.advance(timedelta(hours=1)))

    reply = ada.resume(place)

    assert (reply.messages[-1]["id"], reply.messages[-1]["error"]["code"]) == (9, -32602)
    assert ada.resume(reply.last_event_id).status == 405


@requirement("A-TASK-26")
@pytest.mark.parametrize("verb", ["get", "result", "cancel"])
def test_only_the_params_say_which_task_is_meant(harness: Harness, ada: Client, verb: str) -> None:
    meant, other = ada.start(), ada.start()
    if verb == "result":
        harness.run(meant)

    result = ada.result(f"tasks/{verb}", taskId=meant, _meta={RELATED: {"taskId": other}})

    named = result["_meta"][RELATED]["taskId"] if verb == "result" else result["taskId"]
    assert named == meant
    assert ada.result("tasks/get", taskId=other)["status"] == "working"


@requirement("A-TASK-27", "A-TASK-23")
def test_a_result_can_be_had_until_the_task_is_gone(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    harness.run(task_id)

    results = [ada.result("tasks/result", taskId=task_id) for _ in range(3)]

    assert results[0] == results[1] == results[2]


@requirement("A-TASK-27", "A-TASK-24")
def test_those_who_wait_for_one_task_in_different_sessions_are_all_answered(harness: Harness, ada: Client) -> None:
    other = Client(harness)
    other.initialize()
    task_id = ada.start()
    waiting = [
        (client, client.send_request("tasks/result", {"taskId": task_id}, id=3).last_event_id)
        for client in (ada, other)
    ]
    harness.run(task_id)

    answers = [client.resume(place).messages[-1] for client, place in waiting]

    assert answers[0] == answers[1]
    assert answers[0]["id"] == 3
