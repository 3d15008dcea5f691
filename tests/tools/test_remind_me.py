"""What the reminder says, how long it may take, and that it comes when it should."""

import pytest

from mcp_tasks.authoring.errors import BadArguments
from mcp_tasks.testing.client import Client
from mcp_tasks.testing.harness import Harness
from tools.remind_me import remind_me


def test_it_says_what_about() -> None:
    assert remind_me(after_seconds=40, about="the oven") == "Reminder after 40 s: the oven"


def test_it_need_not_be_about_anything() -> None:
    assert remind_me(after_seconds=40) == "Reminder after 40 s: time is up"


@pytest.mark.parametrize("seconds", [1, 6 * 24 * 3600])
def test_a_second_is_enough_and_six_days_are_not_too_much(seconds: int) -> None:
    assert remind_me.work.check({"after_seconds": seconds})["after_seconds"] == seconds


@pytest.mark.parametrize("seconds", [0, -1, 6 * 24 * 3600 + 1, 1.5, "40", None])
def test_another_wait_is_rejected(seconds: object) -> None:
    with pytest.raises(BadArguments, match="after_seconds"):
        remind_me.work.check({"after_seconds": seconds})


def test_the_task_outlives_the_longest_wait() -> None:
    longest = remind_me.work.input_schema["properties"]["after_seconds"]["maximum"]

    assert remind_me.timeout.total_seconds() > longest


def test_the_reminder_comes_after_an_hour(client: Client, harness: Harness) -> None:
    task = client.start_task("remind_me", {"after_seconds": 3600, "about": "tea"})

    harness.advance(minutes=59)
    assert task.status == "working"

    harness.advance(minutes=2)
    assert task.result.text == "Reminder after 3600 s: tea"


@pytest.mark.slow
def test_the_reminder_comes_after_six_days(client: Client) -> None:
    task = client.start_task("remind_me", {"after_seconds": 6 * 24 * 3600})

    assert task.wait().text == "Reminder after 518400 s: time is up"


def test_a_reminder_that_is_cancelled_never_comes(client: Client, harness: Harness) -> None:
    task = client.start_task("remind_me", {"after_seconds": 3600})
    harness.advance(minutes=30)

    task.cancel()
    harness.advance(hours=1)

    assert task.status == "cancelled"


def test_a_wrong_wait_is_rejected_in_its_result(client: Client) -> None:
    result = client.call_tool("remind_me", {"after_seconds": 0})

    assert result.is_error
    assert "after_seconds" in result.text


def test_a_client_that_knows_no_tasks_is_given_the_task_at_once_and_its_result_later(
    harness: Harness, revision: str
) -> None:
    client = harness.client(revision, tasks=False)
    handed = client.call_tool("remind_me", {"after_seconds": 3600, "about": "tea"})
    harness.advance(hours=1, minutes=1)

    later = client.call_tool("task_result", {"task_id": handed.structured["task_id"]})
    assert later.text == "Reminder after 3600 s: tea"


def test_a_call_that_is_repeated_at_once_is_one_reminder(harness: Harness, revision: str) -> None:
    client = harness.client(revision, tasks=False)
    wanted = {"after_seconds": 3600}
    first, again = (client.call_tool("remind_me", wanted).structured["task_id"] for _ in range(2))
    harness.advance(minutes=1)

    assert first == again != client.call_tool("remind_me", wanted).structured["task_id"]
