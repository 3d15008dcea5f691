"""The same situation ends in the same error, whichever revision a client speaks."""

from collections.abc import Callable
from typing import Any

import pytest

from mcp_tasks import McpError
from mcp_tasks.testing.client import Client, InputRequest, NoResult, Task
from mcp_tasks.testing.harness import Harness

INVALID_PARAMS = -32602
SAMPLE = {"role": "assistant", "model": "m", "content": {"type": "text", "text": "Something"}}


def only_request(task: Task) -> InputRequest:
    (request,) = task.input_requests
    return request


def invalid_response(request: InputRequest) -> Any:
    return {"action": "accept", "content": {}}


def test_a_response_that_does_not_fit_is_rejected_and_another_one_is_taken(client: Client) -> None:
    task = client.start_task("publish", {"title": "tides"})
    request = only_request(task)

    for _ in range(2):
        with pytest.raises(McpError, match="approved is missing") as rejected:
            request.accept()
        assert (rejected.value.code, task.status) == (INVALID_PARAMS, "input_required")
    request.accept(approved=True)
    assert task.wait().text == "published"


def test_a_message_of_the_model_that_does_not_fit_is_rejected(client: Client) -> None:
    task = client.start_task("ask")

    with pytest.raises(McpError) as rejected:
        only_request(task).respond({"role": "assistant"})
    assert rejected.value.code == INVALID_PARAMS
    only_request(task).respond(SAMPLE)
    only_request(task).decline()
    assert task.wait().text == "Something, Declined"


@pytest.mark.parametrize("tasks", [True, False], ids=["with tasks", "without"])
def test_a_call_ends_where_its_responder_does_not_fit(harness: Harness, revision: str, tasks: bool) -> None:
    client = harness.client(revision, tasks=tasks, responder=invalid_response)

    with pytest.raises(McpError, match="approved is missing") as rejected:
        client.call_tool("publish", {"title": "tides"})
    assert rejected.value.code == INVALID_PARAMS


def test_waiting_for_a_task_ends_where_its_responder_does_not_fit(harness: Harness, revision: str) -> None:
    client = harness.client(revision, responder=invalid_response)

    with pytest.raises(McpError, match="approved is missing"):
        client.start_task("publish", {"title": "tides"}).wait()


@pytest.mark.parametrize("tasks", [True, False], ids=["with tasks", "without"])
def test_a_call_that_asks_a_client_without_a_responder_has_no_result(
    harness: Harness, revision: str, tasks: bool
) -> None:
    client = harness.client(revision, tasks=tasks)

    with pytest.raises(NoResult, match="Publish a draft of tides"):
        client.call_tool("publish", {"title": "tides"})


def test_a_second_response_changes_nothing(client: Client) -> None:
    task = client.start_task("publish", {"title": "tides"})
    request = only_request(task)
    request.decline()

    request.accept(approved=True)

    assert task.wait().text == "not published"


def test_a_response_to_a_cancelled_task_changes_nothing(client: Client) -> None:
    task = client.start_task("publish", {"title": "tides"})
    request = only_request(task)
    task.cancel()

    request.accept(approved=True)

    assert (task.status, task.input_requests) == ("cancelled", [])


@pytest.mark.parametrize("tool", ["count_words", "refuse"])
def test_cancelling_a_task_that_has_ended_changes_nothing(client: Client, tool: str) -> None:
    task = client.start_task(tool, {"text": "a"} if tool == "count_words" else {})
    ended = task.status
    task.cancel()

    assert task.status == ended != "cancelled"


def test_a_task_is_cancelled_twice_as_well_as_once(client: Client) -> None:
    task = client.start_task("remind", {"hours": 1})
    task.cancel()
    task.cancel()

    assert task.status == "cancelled"


READS: list[Callable[[Task], object]] = [
    lambda task: task.status,
    lambda task: task.input_requests,
    lambda task: task.result,
    lambda task: task.wait(),
    lambda task: task.cancel(),
]


@pytest.mark.parametrize("read", READS, ids=["status", "input_requests", "result", "wait", "cancel"])
def test_there_is_nothing_to_read_of_a_task_that_never_was(client: Client, read: Callable[[Task], object]) -> None:
    with pytest.raises(McpError) as unknown:
        read(client.task("none"))
    assert unknown.value.code == INVALID_PARAMS


def test_a_task_has_no_result_before_it_has_ended_nor_once_it_is_cancelled(client: Client) -> None:
    task = client.start_task("remind", {"hours": 1})

    with pytest.raises(NoResult, match="working"):
        client.task_result(task.id)
    task.cancel()
    with pytest.raises(NoResult, match="cancelled"):
        client.task_result(task.id)


def test_an_error_of_the_tool_is_that_of_its_task(client: Client) -> None:
    with pytest.raises(McpError, match="out of stock") as error:
        client.start_task("refuse").wait()
    assert (error.value.code, error.value.data) == (7, {"left": 0})


def test_a_tool_that_is_always_a_task_is_called_and_waited_for(client: Client) -> None:
    assert client.call_tool("remind", {"hours": 1}).text == "waited 1 h"


def test_a_client_without_tasks_cannot_call_it(harness: Harness, revision: str) -> None:
    with pytest.raises(McpError, match="remind is always a task"):
        harness.client(revision, tasks=False).call_tool("remind", {"hours": 1})


def test_a_user_may_close_the_form(client: Client) -> None:
    task = client.start_task("ask")
    only_request(task).respond(SAMPLE)
    only_request(task).cancel()

    assert task.wait().text == "Something, Cancelled"
