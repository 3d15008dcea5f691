"""The reminder comes when it should, by the state machine that is deployed."""

import pytest

from tests.harness.tasks import DeployedTasks


@pytest.fixture
def tools_module() -> str:
    return "examples"


def test_the_reminder_comes_after_an_hour(tasks: DeployedTasks) -> None:
    task = tasks.start("remind_me", after_seconds=3600, about="tea")

    tasks.advance(minutes=59)
    assert task.status == "working"

    tasks.advance(minutes=2)
    assert task.result.text == "Reminder after 3600 s: tea"


@pytest.mark.slow
def test_the_reminder_comes_after_six_days(tasks: DeployedTasks) -> None:
    assert tasks.run("remind_me", after_seconds=6 * 24 * 3600).text == "Reminder after 518400 s: time is up"


def test_a_reminder_that_is_cancelled_never_comes(tasks: DeployedTasks) -> None:
    task = tasks.start("remind_me", after_seconds=3600)
    tasks.advance(minutes=30)

    task.cancel()
    tasks.advance(hours=1)

    assert task.status == "cancelled"


def test_an_invalid_wait_is_rejected_as_a_task_too(tasks: DeployedTasks) -> None:
    result = tasks.run("remind_me", after_seconds=0)

    assert result.is_error
    assert "after_seconds" in result.text


def test_without_a_task_it_is_answered_with_a_handle_at_once_and_its_result_had_later(tasks: DeployedTasks) -> None:
    handed = tasks.call("remind_me", after_seconds=3600, about="tea")
    tasks.advance(hours=1)

    assert tasks.call("task_result", task_id=handed.structured["task_id"]).text == "Reminder after 3600 s: tea"


def test_a_call_that_is_repeated_at_once_is_one_reminder(tasks: DeployedTasks) -> None:
    first, again = (tasks.call("remind_me", after_seconds=3600).structured["task_id"] for _ in range(2))
    tasks.advance(minutes=1)

    assert first == again != tasks.call("remind_me", after_seconds=3600).structured["task_id"]


def test_an_invalid_wait_is_rejected_without_a_task_too(tasks: DeployedTasks) -> None:
    result = tasks.call("remind_me", after_seconds=0)

    assert result.is_error
    assert "after_seconds" in result.text
