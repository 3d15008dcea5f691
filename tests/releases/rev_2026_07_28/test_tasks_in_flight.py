"""Clients of 2026-07-28 go on with what a release before has given them, and tasks with what it has stored."""

from typing import Any

from mcp_tasks.testing.rev_2026_07_28 import Client
from tests.harness.executions import active, executions
from tests.harness.tasks import DeployedTasks
from tests.releases.rev_2026_07_28.scenario import client_of, said

Flight = tuple[DeployedTasks, dict[str, Any]]


def ended(tasks: DeployedTasks, client: Client, task_id: str) -> str:
    """Return the text of a task that has completed."""
    tasks.harness.run_until_idle()
    return client.task_result(task_id).text


def test_a_question_is_shown_and_its_answer_ends_the_task(flight: Flight) -> None:
    tasks, held = flight
    client = client_of(tasks, knows_tasks=True)
    shown = client.tasks_get(held["asked"])
    assert (shown["status"], list(shown["inputRequests"])) == ("input_required", ["one"])

    client.result("tasks/update", taskId=held["asked"], inputResponses={"one": said("yes")})
    assert ended(tasks, client, held["asked"]) == "made before, yes"


def test_a_journal_replays_to_the_question_at_which_it_was_left(flight: Flight) -> None:
    tasks, held = flight
    client = client_of(tasks, knows_tasks=True)
    assert list(client.tasks_get(held["half"])["inputRequests"]) == ["two"]

    client.result("tasks/update", taskId=held["half"], inputResponses={"two": said("second")})
    assert ended(tasks, client, held["half"]) == "made before, first, second"


def test_a_task_that_sleeps_wakes_at_its_time(flight: Flight) -> None:
    tasks, held = flight
    client = client_of(tasks, knows_tasks=True)
    tasks.advance(hours=47)
    assert client.get_task(held["napping"]).status == "working"

    tasks.advance(hours=2)
    assert ended(tasks, client, held["napping"]) == "made before, rested"


def test_a_request_state_goes_on_with_the_task_behind_its_call(flight: Flight) -> None:
    tasks, held = flight
    result = client_of(tasks, knows_tasks=False).retry(held["backed"], "ask", {"keys": ["call"]}, call=said("yes"))

    assert result["content"][0]["text"] == "made before, yes"


def test_a_request_state_goes_on_with_the_journal_in_it(flight: Flight) -> None:
    tasks, held = flight
    arguments = {"keys": ["one", "two"]}
    result = client_of(tasks, knows_tasks=False).retry(held["inline"], "ask_at_once", arguments, two=said("second"))

    assert result["content"][0]["text"] == "made before, first, second"


def test_a_cursor_continues_the_list_of_a_catalogue_of_then(flight: Flight) -> None:
    tasks, held = flight
    listed = client_of(tasks, knows_tasks=True).result("tools/list", cursor=held["tools_cursor"])

    assert [tool["name"] for tool in listed["tools"]] == ["nap", "write_note"]


def test_every_execution_of_then_ends_and_nothing_stays_counted(flight: Flight) -> None:
    tasks, held = flight
    client = client_of(tasks, knows_tasks=True)
    for task_id, key in ((held["asked"], "one"), (held["half"], "two")):
        client.result("tasks/update", taskId=task_id, inputResponses={key: said("yes")})
    client_of(tasks, knows_tasks=False).retry(held["backed"], "ask", {"keys": ["call"]}, call=said("yes"))
    tasks.advance(hours=49)

    assert (set(executions(tasks)), active(tasks)) == ({"SUCCEEDED"}, 0)
