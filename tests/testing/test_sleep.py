"""A task sleeps in simulated time: for as long as its tool said, whatever happens meanwhile."""

import pytest

from mcp_tasks.testing.client import Client, NoResult
from mcp_tasks.testing.harness import Harness


def test_a_task_sleeps_for_days_and_goes_on(client: Client, harness: Harness) -> None:
    task = client.start_task("doze", {"hours": [48]})
    harness.advance(hours=47, minutes=59)
    assert (task.status, task.status_message) == ("working", "asleep")
    assert harness.steps(task.id) == ["sleep 1"]

    harness.advance(minutes=2)
    assert (task.status, task.result.text) == ("completed", "rested")
    assert harness.steps(task.id) == ["sleep 1", "awake 1"]


def test_one_sleep_follows_the_other(client: Client, harness: Harness) -> None:
    task = client.start_task("doze", {"hours": [1, 0, 24, 2]})
    harness.advance(hours=1, minutes=1)
    assert harness.steps(task.id) == ["sleep 1", "awake 1", "sleep 2", "awake 2", "sleep 3"]

    harness.advance(hours=25, minutes=58)
    assert (task.status, harness.steps(task.id)[-1]) == ("working", "sleep 4")

    harness.advance(minutes=2)
    assert task.result.text == "rested"


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", ["sleep 1", "sleep 2", "awake 1"])
def test_a_crash_makes_no_sleep_longer(client: Client, harness: Harness, step: str, when: str) -> None:
    (harness.crash_before if when == "before" else harness.crash_after)(step)
    task = client.start_task("doze", {"hours": [1, 1]})

    harness.advance(hours=1, minutes=59)
    assert task.status == "working"
    harness.advance(minutes=2)
    assert task.result.text == "rested"
    assert harness.steps(task.id) == ["sleep 1", "awake 1", "sleep 2", "awake 2"]


def test_a_task_that_is_cancelled_in_its_sleep_never_wakes(client: Client, harness: Harness) -> None:
    task = client.start_task("doze", {"hours": [1]})
    harness.advance(minutes=30)
    task.cancel()
    harness.advance(hours=2)

    assert task.status == "cancelled"
    assert harness.steps(task.id) == ["sleep 1"]


def test_a_task_cannot_sleep_for_longer_than_it_is_kept(client: Client) -> None:
    result = client.start_task("doze", {"hours": [24, 96]}).wait()

    assert result.is_error
    assert result.text == (
        "The task cannot sleep for 4 days, 0:00:00: it is kept for 5 days, 0:00:00 after its creation. "
        "Its tool needs a longer ttl."
    )


def test_a_call_that_may_become_a_task_becomes_one_that_sleeps(client: Client, harness: Harness) -> None:
    task = client.start_task("nap")
    assert task.status == "working"

    harness.advance(hours=1, minutes=1)
    assert task.result.text == "slept for 3"
    assert harness.steps(task.id) == ["price", "sleep 1"]


def test_a_client_that_knows_no_tasks_is_given_the_id_of_one_that_sleeps(harness: Harness, revision: str) -> None:
    client = harness.client(revision, tasks=False)
    given = client.call_tool("nap").structured["task_id"]
    harness.advance(hours=1, minutes=1)

    assert client.call_tool("task_result", {"task_id": given}).text == "slept for 3"


def test_a_call_that_may_not_become_a_task_says_so(client: Client) -> None:
    result = client.call_tool("insomnia")

    assert result.is_error
    assert result.text.endswith(
        "only a task can sleep, and this call cannot become one: the tool needs tasks='allowed'"
    )


def test_a_task_that_sleeps_has_no_result(client: Client, harness: Harness) -> None:
    task = client.start_task("doze", {"hours": [1]})

    with pytest.raises(NoResult, match="working"):
        client.task_result(task.id)
