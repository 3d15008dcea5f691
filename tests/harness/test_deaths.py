"""The process that does something may die at any time; the task ends all the same, with a result or with a reason."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

import pytest

from mcp_tasks.authoring.errors import McpError
from tests.harness.executions import active, executions
from tests.harness.faults import death, places, refused
from tests.harness.gateway import BadGateway
from tests.harness.tasks import DeployedTask, DeployedTasks


class Way(NamedTuple):
    """A tool that takes its time, what is called for it, and for how long after a crash its task may go on."""

    tool: str
    arguments: Mapping[str, Any]
    calls: tuple[str, ...]
    executions: list[str]
    minutes: int


CALLS_OF_A_RUN = (
    *("PutItem", "TransactWriteItems"),  # serve_mcp stores the arguments, and creates the task
    *("PutItem", "StartExecution", "UpdateItem"),  # makes the key of tickets, starts the work, and says so
    "Invoke",  # run_tool has its run loaded
    *("Invoke", "PutItem", "TransactWriteItems"),  # and its outcome recorded by host_run
    "UpdateItem",  # on_task_change counts how long it took
)
CALLS_OF_A_DIRECT_RUN = (
    *("PutItem", "TransactWriteItems"),  # serve_mcp stores the arguments, and creates the task
    *("PutItem", "Invoke", "UpdateItem"),  # makes the key of tickets, sends the event, and says so
    *("Invoke", "UpdateItem"),  # run_tool has its run loaded, for which host_run takes the lease
    *("Invoke", "UpdateItem"),  # and after twenty seconds renewed
    *("Invoke", "PutItem", "TransactWriteItems"),  # and the outcome recorded by host_run
    "UpdateItem",  # on_task_change counts how long it took
)
BY_EXECUTION = Way("forgotten", {"after_seconds": 60}, CALLS_OF_A_RUN, ["SUCCEEDED"], minutes=2)
DIRECT = Way("steady_direct", {"seconds": 30}, CALLS_OF_A_DIRECT_RUN, [], minutes=15)
WAYS = [pytest.param(BY_EXECUTION, id="by execution"), pytest.param(DIRECT, id="direct")]

CALLS_OF_A_CANCEL = (
    *("TransactWriteItems", "StopExecution"),  # serve_mcp
    "StopExecution",  # on_task_change, once more
)


@pytest.mark.parametrize(
    ("tool", "deaths"), [("frail", 1), ("frail", 2), ("frail", 4), ("frail_direct", 1), ("frail_direct", 2)]
)
def test_a_tool_whose_process_crashes_runs_again(tasks: DeployedTasks, tool: str, deaths: int) -> None:
    assert tasks.run(tool, deaths=deaths).text == f"attempt {deaths + 1}"


def test_a_tool_that_always_crashes_fails_with_a_reason(tasks: DeployedTasks) -> None:
    task = tasks.start("frail", deaths=99)
    tasks.advance(minutes=1)

    assert (task.status, task.message) == ("failed", "The process that did the work died.")
    assert (active(tasks), executions(tasks)) == (0, ["SUCCEEDED"])
    with pytest.raises(McpError, match="died"):
        task.result  # noqa: B018  (reading it raises)


def test_a_tool_without_an_execution_runs_three_times_at_the_most(tasks: DeployedTasks) -> None:
    task = tasks.start("frail_direct", deaths=99)
    tasks.advance(minutes=10)
    assert task.status == "working"

    # Its last run is believed to work until its time is over.
    tasks.advance(minutes=30)
    assert (task.status, task.message) == (
        "failed",
        "The process that did the work died each time, or could not reach the server.",
    )
    assert active(tasks) == 0


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

    assert (task.status, len(calls)) == ("completed", 4)


def test_a_tool_that_lambda_ends_after_its_longest_time_is_not_run_again(tasks: DeployedTasks) -> None:
    task = tasks.start("frail", deaths=1, error="Sandbox.Timedout")

    assert (task.status, task.message) == ("failed", "The work did not end in time.")


@pytest.mark.parametrize("tool", ["fails", "fails_direct"])
def test_a_tool_that_raises_is_not_run_again(tasks: DeployedTasks, tool: str) -> None:
    task = tasks.start(tool)

    assert task.result.is_error
    assert task.result.text == f"{tool} failed: ZeroDivisionError: by nought"


@pytest.mark.parametrize("tool", ["slow", "slow_direct"])
def test_a_tool_that_takes_too_long_fails_with_a_reason(tasks: DeployedTasks, tool: str) -> None:
    task = tasks.start(tool, steps=100)

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


def run(tasks: DeployedTasks, way: Way) -> None:
    tasks.start(way.tool, **way.arguments)
    tasks.advance(seconds=60)


@pytest.mark.parametrize("way", WAYS)
def test_these_are_the_calls_of_a_run(tasks: DeployedTasks, way: Way) -> None:
    connected(tasks)
    with death("before") as calls:
        run(tasks, way)

    assert tuple(calls) == way.calls


@places(CALLS_OF_A_RUN)
def test_a_run_survives_every_crash(tasks: DeployedTasks, place: int, when: Literal["before", "after"]) -> None:
    survives(tasks, BY_EXECUTION, place, when)


@places(CALLS_OF_A_DIRECT_RUN)
def test_a_run_without_an_execution_survives_every_crash(
    tasks: DeployedTasks, place: int, when: Literal["before", "after"]
) -> None:
    survives(tasks, DIRECT, place, when)


def survives(tasks: DeployedTasks, way: Way, place: int, when: Literal["before", "after"]) -> None:
    connected(tasks)

    with death(when, place) as calls:
        answered = answered_all(tasks, lambda tasks: run(tasks, way))
        tasks.advance(minutes=way.minutes)
    task = only(tasks)

    assert len(calls) > place
    assert answered or place < 5
    if task is None:
        assert (active(tasks), executions(tasks)) == (0, [])
    else:
        assert (task.status, active(tasks), executions(tasks)) == ("completed", 0, way.executions)


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
