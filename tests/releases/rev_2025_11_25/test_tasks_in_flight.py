"""Clients of 2025-11-25 go on with what a release before has given them: sessions, streams, ids, cursors."""

from typing import Any

import pytest

from mcp_tasks.testing.replies import key_of
from mcp_tasks.testing.rev_2025_11_25 import Client
from tests.harness.executions import active, executions
from tests.harness.tasks import DeployedTasks
from tests.protocol.rev_2025_11_25.checked import Checked
from tests.releases.rev_2025_11_25.scenario import client_of, said
from tests.releases.tools import NOTES

Flight = tuple[DeployedTasks, dict[str, Any]]


@pytest.fixture
def client(flight: Flight) -> Client:
    """The client of then, in its session."""
    client = client_of(flight[0])
    client.headers = flight[1]["headers"]
    assert isinstance(client.transport, Checked)
    client.transport.requests |= {
        key_of("follows"): ("tasks/result", False),
        key_of("calls"): ("tools/call", False),
    }
    return client


def followed(client: Client, event: str) -> Any:
    """Resume a stream until its response comes, and return that."""
    response, _ = client.follow(client.resume(event))
    return response["result"]["content"][0]["text"]


def test_an_answer_to_a_question_of_then_ends_the_task_and_its_stream_is_resumed(
    flight: Flight, client: Client
) -> None:
    tasks, held = flight
    assert client.respond(held["asked_request"], said("yes")).status == 202
    tasks.harness.run_until_idle()

    assert followed(client, held["asked_event"]) == "made before, yes"


def test_a_plain_call_of_then_is_answered_on_its_stream(flight: Flight, client: Client) -> None:
    tasks, held = flight
    assert client.respond(held["call_request"], said("yes")).status == 202
    tasks.harness.run_until_idle()

    assert followed(client, held["call_event"]) == "made before, yes"


def test_a_journal_replays_to_the_question_at_which_it_was_left(flight: Flight, client: Client) -> None:
    tasks, held = flight
    assert held["half_request"]["params"]["message"] == "two?"

    client.respond(held["half_request"], said("second"))
    tasks.harness.run_until_idle()
    assert client.task_result(held["half"]).text == "made before, first, second"


def test_a_task_that_sleeps_wakes_at_its_time(flight: Flight, client: Client) -> None:
    tasks, held = flight
    tasks.advance(hours=49)

    assert client_of(tasks).task_result(held["napping"]).text == "made before, rested"


def test_a_listening_stream_tells_of_a_resource_that_changes_after_the_deploy(flight: Flight, client: Client) -> None:
    _, held = flight
    client.call("write_note")
    messages = client.resume(held["listening_event"]).messages

    assert NOTES in [message["params"].get("uri") for message in messages]


def test_cursors_continue_their_lists(flight: Flight, client: Client) -> None:
    _, held = flight
    tools = client.result("tools/list", cursor=held["tools_cursor"])["tools"]
    rest = [task["taskId"] for task in client.result("tasks/list", cursor=held["tasks_cursor"])["tasks"]]

    assert [tool["name"] for tool in tools] == ["nap", "write_note"]
    assert {held["asked"], held["half"], held["napping"]} < {*held["tasks_listed"], *rest}
    assert (len(rest), set(rest) & set(held["tasks_listed"])) == (2, set())


def test_every_execution_of_then_ends_and_nothing_stays_counted(flight: Flight, client: Client) -> None:
    tasks, held = flight
    for request in (held["asked_request"], held["call_request"], held["half_request"]):
        assert client.respond(request, said("yes")).status == 202
    tasks.advance(hours=49)

    assert (set(executions(tasks)), active(tasks)) == ({"SUCCEEDED"}, 0)
