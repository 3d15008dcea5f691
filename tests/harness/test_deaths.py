"""The process that does something may die at any time; the task ends all the same, with a result or with a reason."""

from collections.abc import Callable
from typing import Literal

import pytest

from mcp_tasks.authoring.errors import McpError
from tests.harness.executions import active, executions
from tests.harness.faults import death, places, refused
from tests.harness.gateway import BadGateway
from tests.harness.tasks import DeployedTask, DeployedTasks

CALLS_OF_A_RUN = (
    *("PutItem", "TransactWriteItems"),  # serve_mcp stores the arguments, and creates the task
    *("PutItem", "StartExecution", "UpdateItem"),  # makes the key of tickets, starts the work, and says so
    "Invoke",  # run_tool has its run loaded
    *("Invoke", "PutItem", "TransactWriteItems"),  # and its outcome recorded by host_run
    "UpdateItem",  # on_task_change counts how long it took
)
CALLS_OF_A_CANCEL = (
    *("TransactWriteItems", "StopExecution"),  # serve_mcp
    "StopExecution",  # on_task_change, once more
)


@pytest.mark.parametrize("deaths", [1, 2, 4])
def test_a_tool_whose_process_crashes_runs_again(tasks: DeployedTasks, deaths: int) -> None:
    assert tasks.run("frail", deaths=deaths).text == f"attempt {deaths + 1}"


def test_a_tool_that_always_crashes_fails_with_a_reason(tasks: DeployedTasks) -> None:
    task = tasks.start("frail", deaths=99)
    tasks.advance(minutes=1)

    assert (task.status, task.message) == ("failed", "The process that did the work died.")
    assert (active(tasks), executions(tasks)) == (0, ["SUCCEEDED"])
    with pytest.raises(McpError, match="died"):
        task.result  # noqa: B018  (reading it raises)


def test_a_tool_that_runs_out_of_memory_runs_again(tasks: DeployedTasks) -> None:
    assert tasks.run("frail", deaths=1, error="Runtime.OutOfMemory").text == "attempt 2"


def test_a_tool_that_always_runs_out_of_memory_fails_with_that_reason(tasks: DeployedTasks) -> None:
    task = tasks.start("frail", deaths=99, error="Runtime.OutOfMemory")
    tasks.advance(minutes=1)

    assert (task.status, task.message) == ("failed", "The process that did the work ran out of memory.")


def test_a_run_that_ends_in_an_error_of_aws_is_replayed(tasks: DeployedTasks) -> None:
    task = tasks.start("forgotten", after_seconds=60)
    with refused("dynamodb", "TransactWriteItems", times=2) as calls:
        tasks.advance(minutes=2)

    assert (task.status, len(calls)) == ("completed", 3)


def test_a_tool_that_lambda_ends_after_its_longest_time_is_not_run_again(tasks: DeployedTasks) -> None:
    task = tasks.start("frail", deaths=1, error="Sandbox.Timedout")

    assert (task.status, task.message) == ("failed", "The work did not end in time.")


def test_a_tool_that_raises_is_not_run_again(tasks: DeployedTasks) -> None:
    task = tasks.start("fails")

    assert task.result.is_error
    assert task.result.text == "fails failed: ZeroDivisionError: by nought"


def test_a_tool_that_takes_too_long_fails_with_a_reason(tasks: DeployedTasks) -> None:
    task = tasks.start("slow", steps=100)

    tasks.advance(minutes=4, seconds=59)
    assert task.status == "working"

    tasks.advance(seconds=1)
    assert (task.status, task.message) == ("failed", "The work did not end in time.")


def connected(tasks: DeployedTasks) -> None:
    tasks.client().request("tools/list", {})


def only(tasks: DeployedTasks) -> DeployedTask | None:
    """Return the one task that the server knows of, if it knows of any."""
    stored = tasks.all()
    assert len(stored) <= 1
    return stored[0] if stored else None


def run(tasks: DeployedTasks) -> None:
    tasks.start("forgotten", after_seconds=60)
    tasks.advance(seconds=60)


def test_these_are_the_calls_of_a_run(tasks: DeployedTasks) -> None:
    connected(tasks)
    with death("before") as calls:
        run(tasks)

    assert tuple(calls) == CALLS_OF_A_RUN


@places(CALLS_OF_A_RUN)
def test_a_run_survives_every_crash(tasks: DeployedTasks, place: int, when: Literal["before", "after"]) -> None:
    connected(tasks)

    with death(when, place) as calls:
        answered = answered_all(tasks, run)
        tasks.advance(minutes=2)
    task = only(tasks)

    assert len(calls) > place
    assert answered or place < 5
    if task is None:
        assert (active(tasks), executions(tasks)) == (0, [])
    else:
        assert (task.status, active(tasks), executions(tasks)) == ("completed", 0, ["SUCCEEDED"])


def test_these_are_the_calls_of_a_cancel(tasks: DeployedTasks) -> None:
    task = tasks.start("forgotten", after_seconds=60)
    with death("before") as calls:
        task.cancel()

    assert tuple(calls) == CALLS_OF_A_CANCEL


@places(CALLS_OF_A_CANCEL)
def test_a_cancel_survives_every_crash(tasks: DeployedTasks, place: int, when: Literal["before", "after"]) -> None:
    task = tasks.start("forgotten", after_seconds=60)

    with death(when, place) as calls:
        answered = answered_all(tasks, lambda tasks: task.cancel())
        tasks.harness.run_until_idle()
    cancelled = task.status == "cancelled"

    assert len(calls) > place
    assert cancelled or not answered
    assert executions(tasks) == (["ABORTED"] if cancelled else ["RUNNING"])
    assert active(tasks) == (0 if cancelled else 1)


def answered_all(tasks: DeployedTasks, act: Callable[[DeployedTasks], None]) -> bool:
    """Do something as a client, and return whether every request was answered."""
    try:
        act(tasks)
    except BadGateway:
        return False
    return True
