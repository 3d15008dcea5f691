"""A step that fails is retried in simulated time, and a test sees each retry."""

from datetime import timedelta

import pytest

from mcp_tasks.testing.client import Client
from mcp_tasks.testing.harness import Harness

MINUTE = timedelta(minutes=1)


def test_a_step_is_retried_until_it_succeeds_and_recorded_once(client: Client, harness: Harness) -> None:
    began = harness.clock.now()
    task = client.start_task("charge", {"failures": 3, "seconds": 10})

    assert task.wait().text == "charged"
    assert harness.retries(task.id) == ["charge"] * 3
    assert harness.steps(task.id) == ["charge"]
    # 10, 20 and 40 seconds, less up to half of each by chance.
    assert timedelta(seconds=35) <= harness.clock.now() - began <= 2 * MINUTE


def test_the_last_error_is_raised_when_no_retry_is_left(client: Client, harness: Harness) -> None:
    task = client.start_task("charge", {"failures": 3, "retries": 2})

    assert task.wait().text == "charge failed: ConnectionError: failure 2"
    assert harness.retries(task.id) == ["charge"] * 2
    assert harness.steps(task.id) == []


def test_a_step_is_not_retried_without_being_told_to(client: Client, harness: Harness) -> None:
    task = client.start_task("charge", {"failures": 1, "retries": 0})

    assert task.wait().text == "charge failed: ConnectionError: failure 0"
    assert harness.retries(task.id) == []


def test_no_retry_is_waited_for_that_the_run_would_not_see(client: Client, harness: Harness) -> None:
    task = client.start_task("charge", {"failures": 99, "retries": 99, "seconds": 60})

    assert "ConnectionError" in task.wait().text, "and not that the work did not end in time"
    assert 4 <= len(harness.retries(task.id)) <= 10, "a minute each, less up to half of it, within five"


def test_a_cancelled_task_is_not_retried(harness: Harness, revision: str) -> None:
    def cancel() -> None:
        other = harness.client(revision, tasks=False)
        (listed,) = other.call_tool("task_list").structured["tasks"]
        other.call_tool("task_cancel", {"task_id": listed["task_id"]})

    harness.clock.at(harness.clock.now() + 1.5 * MINUTE, cancel)
    task = harness.client(revision).start_task("charge", {"failures": 99, "retries": 99, "seconds": 60})

    assert task.status == "cancelled"
    assert 1 <= len(harness.retries(task.id)) <= 2, "a minute each, less up to half of it"


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_step_whose_process_crashes_after_retries_is_retried_as_often_again(
    client: Client, harness: Harness, when: str
) -> None:
    (harness.crash_before if when == "before" else harness.crash_after)("charge")
    task = client.start_task("charge", {"failures": 2})

    assert task.wait().text == "charged"
    assert harness.retries(task.id) == ["charge"] * (4 if when == "before" else 2)
