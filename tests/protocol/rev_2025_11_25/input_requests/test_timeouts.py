"""Input requests without a response: cancelled with their task, or timed out."""

from datetime import timedelta

import pytest

from mcp_tasks.limits.waits import KEPT
from tests.protocol.harness import Harness
from tests.protocol.input_responses import MOON, YES
from tests.protocol.requirements import requirement
from tests.protocol.rev_2025_11_25.client import Client
from tests.protocol.rev_2025_11_25.input_requests.clients import STREAMS, open_request, status, suspended, wait
from tests.protocol.task_input_tools import HOUR

SECOND = timedelta(seconds=1)
GONE = {"code": -32603, "message": "The task was cancelled: there is no result."}


def text(ada: Client, task_id: str) -> str:
    return str(ada.result("tasks/result", taskId=task_id)["content"][0]["text"])


@requirement("A-TASK-35", "A-TASK-36", "A-INP-1")
def test_cancelling_a_task_that_asks_ends_it_at_once(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada)
    waiting = wait(ada, task_id)

    answer = ada.result("tasks/cancel", taskId=task_id)
    late = ada.respond(waiting.input_requests[0], MOON)
    harness.run(task_id)

    assert (answer["status"], list(harness.executor.stopped)) == ("cancelled", [task_id])
    assert (late.status, status(ada, task_id)) == (202, "cancelled")
    assert ada.resume(waiting.last_event_id).response["error"] == GONE


@requirement("A-TASK-35", "A-INP-6")
@pytest.mark.parametrize("stream", STREAMS)
def test_what_a_cancelled_task_asked_is_asked_no_more(ada: Client, stream: str) -> None:
    task_id = suspended(ada)
    before = wait(ada, task_id).events[0].id
    ada.result("tasks/cancel", taskId=task_id)

    assert ada.resume(before).input_requests == []
    assert STREAMS[stream](ada, task_id).input_requests == []


@requirement("A-TASK-35", "A-TASK-24")
def test_cancelling_ends_the_wait_of_a_client_that_is_asked(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada)
    place = wait(ada, task_id).last_event_id
    harness.while_waiting(lambda: ada.result("tasks/cancel", taskId=task_id))

    assert ada.resume(place).response["error"] == GONE


@requirement("A-INP-11", "A-TASK-12")
@pytest.mark.parametrize(
    ("default", "ended", "says"), [(True, "completed", "Declined"), (False, "failed", "Nobody answered 'consent'")]
)
def test_an_input_request_that_nobody_answers_in_time_ends_as_its_author_chose(
    harness: Harness, ada: Client, default: bool, ended: str, says: str
) -> None:
    task_id = suspended(ada, "hurry", default=default)
    input_request = open_request(ada, task_id)
    harness.clock.advance(HOUR - SECOND)
    harness.run(task_id)
    before = status(ada, task_id)
    harness.clock.advance(SECOND)
    harness.run(task_id)

    assert (before, status(ada, task_id), says in text(ada, task_id)) == ("input_required", ended, True)
    stored = harness.stored()
    assert (ada.respond(input_request, YES).status, harness.stored()) == (202, stored)


@requirement("A-INP-11", "A-INP-4")
def test_an_answer_in_the_last_second_is_one(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada, "hurry", default=True)
    harness.clock.advance(HOUR - SECOND)

    ada.respond(open_request(ada, task_id), YES)

    assert text(ada, task_id) == "Accepted"


@requirement("A-INP-11", "A-TASK-15", "A-TASK-23")
def test_without_a_time_of_its_own_it_lasts_until_shortly_before_the_task_is_gone(
    harness: Harness, ada: Client
) -> None:
    created = ada.result("tools/call", name="publish", arguments={"topic": "tides"}, task={"ttl": 36_000_000})
    task_id = created["task"]["taskId"]
    harness.run(task_id)
    place = wait(ada, task_id).last_event_id
    harness.clock.advance(10 * HOUR - KEPT - SECOND)
    harness.run(task_id)
    before = status(ada, task_id)
    harness.clock.advance(SECOND)
    harness.run(task_id)

    assert (before, status(ada, task_id)) == ("input_required", "failed")
    assert "Nobody answered 'title' in time" in ada.resume(place).response["result"]["content"][0]["text"]


@requirement("A-INP-11", "A-TASK-15", "A-TASK-39")
def test_with_the_task_its_input_requests_are_gone(harness: Harness, ada: Client) -> None:
    created = ada.result("tools/call", name="publish", arguments={"topic": "tides"}, task={"ttl": 7_200_000})
    task_id = created["task"]["taskId"]
    harness.run(task_id)
    waiting = wait(ada, task_id)
    harness.clock.advance(2 * HOUR)
    before = harness.kept()

    answered = ada.respond(waiting.input_requests[0], MOON)
    ended = ada.resume(waiting.last_event_id)

    assert (answered.status, harness.kept()) == (202, before)
    assert (ended.input_requests, ended.response["error"]["code"]) == ([], -32602)
    assert ada.error("tasks/get", taskId=task_id)["code"] == -32602


@requirement("A-INP-11", "A-INP-9")
def test_an_input_request_that_is_over_is_not_asked_but_the_next_one_is(harness: Harness, ada: Client) -> None:
    task_id = suspended(ada, "hurry", default=True)
    waiting = wait(ada, task_id)
    other = suspended(ada)
    harness.clock.advance(HOUR)
    harness.run(task_id)

    last = ada.resume(waiting.events[0].id)

    assert (last.input_requests, last.response["result"]["content"][0]["text"]) == ([], "Declined")
    assert open_request(ada, other)["params"]["message"] == "A title for a draft of tides?"
