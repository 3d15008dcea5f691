"""What an adopter's test can see and do, in the same words in each revision."""

from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks import Caller, McpError
from mcp_tasks.testing.client import Client, InputRequest, NoResult, NotATask
from mcp_tasks.testing.harness import REVISIONS, Harness, client_module

BOB = Caller(tenant="acme", subject="bob")


def approve(request: InputRequest) -> Any:
    assert request.message == "Publish a draft of tides?"
    return {"action": "accept", "content": {"approved": True}}


@pytest.mark.parametrize("revision", REVISIONS)
def test_each_revision_that_is_spoken_has_a_client(revision: str) -> None:
    assert revision == client_module(revision).REVISION


def test_a_tool_is_called(client: Client) -> None:
    assert client.call_tool("greet", {"name": "Ada"}).text == "Hello, Ada!"


def test_a_tool_that_never_is_a_task_cannot_be_started_as_one(client: Client) -> None:
    with pytest.raises(NotATask):
        client.start_task("greet", {"name": "Ada"})


def test_a_call_that_becomes_a_task_is_waited_for(client: Client) -> None:
    assert client.call_tool("count_words", {"text": "a b"}).text == "2 words in attempt 1"


def test_a_task_is_started_and_done(client: Client, harness: Harness) -> None:
    task = client.start_task("count_words", {"text": "a b c"})

    assert (task.status, task.result.text) == ("completed", "3 words in attempt 1")
    assert harness.steps(task.id) == ["split", "count"]


@pytest.mark.parametrize("step", ["split", "count"])
def test_a_tool_whose_process_crashes_after_a_step_is_replayed_and_the_step_runs_once(
    client: Client, harness: Harness, step: str
) -> None:
    harness.crash_after(step)
    task = client.start_task("count_words", {"text": "a b c"})

    assert task.wait().text == "3 words in attempt 2"
    assert harness.steps(task.id) == ["split", "count"]


def test_a_tool_whose_process_crashes_before_a_step_is_recorded_runs_it_again(client: Client, harness: Harness) -> None:
    harness.crash_before("count")

    assert client.start_task("count_words", {"text": "a"}).wait().text == "1 words in attempt 2"


def test_time_passes_when_the_test_says_so(client: Client, harness: Harness) -> None:
    task = client.start_task("remind", {"hours": 10})

    harness.advance(hours=9, minutes=59)
    assert task.status == "working"
    with pytest.raises(NoResult, match="working"):
        task.result  # noqa: B018  (reading it raises)

    harness.advance(minutes=2)
    assert task.result.text == "waited 10 h"


def test_who_waits_lets_as_much_time_pass_as_it_takes(client: Client, harness: Harness) -> None:
    before = harness.clock.now()

    assert client.start_task("remind", {"hours": 30}).wait().text == "waited 30 h"
    assert timedelta(hours=30) <= harness.clock.now() - before <= timedelta(hours=31)


def test_a_test_responds_to_what_a_task_asks(client: Client, harness: Harness) -> None:
    task = client.start_task("publish", {"title": "tides"})
    (request,) = task.input_requests

    assert (task.status, request.method, request.message) == (
        "input_required",
        "elicitation/create",
        "Publish a draft of tides?",
    )
    request.accept(approved=True)
    assert (task.result.text, task.input_requests) == ("published", [])
    assert harness.steps(task.id) == ["draft"]


def test_a_user_may_decline(client: Client) -> None:
    task = client.start_task("publish", {"title": "tides"})
    (request,) = task.input_requests
    request.decline()

    assert task.wait().text == "not published"


def test_a_task_that_nobody_responds_to_goes_on_when_its_time_is_over(client: Client, harness: Harness) -> None:
    task = client.start_task("publish", {"title": "tides"})
    harness.advance(minutes=59)
    assert task.status == "input_required"

    harness.advance(minutes=2)
    assert task.wait().text == "nobody answered"


def test_waiting_for_a_task_that_requests_input_uses_the_responder_or_raises(harness: Harness, revision: str) -> None:
    with pytest.raises(NoResult, match="Publish a draft"):
        harness.client(revision).start_task("publish", {"title": "tides"}).wait()

    eager = harness.client(revision, responder=approve)
    assert eager.start_task("publish", {"title": "tides"}).wait().text == "published"
    assert eager.call_tool("publish", {"title": "tides"}).text == "published"


def test_a_client_that_knows_no_tasks_is_asked_within_its_call(harness: Harness, revision: str) -> None:
    client = harness.client(revision, tasks=False, responder=approve)

    assert client.call_tool("publish", {"title": "tides"}).text == "published"


def test_a_cancelled_task_stays_so(client: Client, harness: Harness) -> None:
    task = client.start_task("remind", {"hours": 10})
    task.cancel()
    harness.advance(hours=11)

    assert task.status == "cancelled"
    with pytest.raises(NoResult, match="cancelled"):
        task.wait()


def test_a_tool_that_fails_says_so_in_its_result(client: Client) -> None:
    result = client.start_task("fail").wait()

    assert (result.is_error, result.text) == (True, "fail failed: ZeroDivisionError: by nought")


def test_somebody_elses_task_is_none(harness: Harness, revision: str) -> None:
    task = harness.client(revision).start_task("remind", {"hours": 1})

    with pytest.raises(McpError):
        harness.client(revision, BOB).task(task.id).status  # noqa: B018  (reading it raises)


def test_a_state_machine_hands_over_data_in_every_run_of_the_tool(client: Client, harness: Harness) -> None:
    task = client.start_task("squares", {"numbers": [1, 2, 3]})
    harness.advance(hours=1, minutes=1)
    (request,) = task.input_requests
    request.accept(approved=True)

    assert task.wait().text == "14"
