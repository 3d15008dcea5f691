"""What the direct path misses, another one finds: the table's stream, EventBridge, the sweep, the time to live."""

from datetime import timedelta

import pytest

from mcp_tasks.authoring.errors import McpError
from mcp_tasks.testing.state_machines.resources import client
from tests.harness.executions import active, executions
from tests.harness.faults import refused
from tests.harness.tasks import DeployedTasks


def test_work_that_the_endpoint_could_not_start_is_started_by_the_stream(tasks: DeployedTasks) -> None:
    with refused("stepfunctions", "StartExecution") as calls:
        tasks.client().start_task("slow", {"steps": 1})
    assert (calls, executions(tasks)) == (["StartExecution"], [])

    tasks.harness.run_until_idle()
    assert executions(tasks) == ["RUNNING"]


def test_work_that_the_endpoint_started_is_not_started_again_by_the_stream(tasks: DeployedTasks) -> None:
    with refused("stepfunctions", "StartExecution", times=0) as calls:
        task = tasks.start("slow", steps=20)
        tasks.harness.run_until_idle()
    assert (task.status, calls, executions(tasks)) == ("working", ["StartExecution"], ["RUNNING"])


def test_work_that_the_endpoint_could_not_stop_is_stopped_by_the_stream(tasks: DeployedTasks) -> None:
    task = tasks.start("slow", steps=1)

    with refused("stepfunctions", "StopExecution") as calls:
        task.client.cancel_task(task.id)
    assert (task.status, calls, executions(tasks)) == ("cancelled", ["StopExecution"], ["RUNNING"])

    tasks.harness.run_until_idle()
    assert executions(tasks) == ["ABORTED"]


@pytest.mark.slow
def test_work_that_nobody_could_start_is_started_by_the_sweep(tasks: DeployedTasks) -> None:
    with refused("stepfunctions", "StartExecution"):
        task = tasks.start("slow", steps=1)
    assert tasks.harness.deliveries.lost.pop()

    tasks.advance(minutes=4, seconds=59)
    assert (task.status, executions(tasks)) == ("working", [])

    tasks.advance(seconds=2)
    assert executions(tasks) == ["RUNNING"]

    tasks.advance(seconds=10)
    assert task.result.text == "done"


def test_the_sweep_leaves_alone_what_goes_well(tasks: DeployedTasks) -> None:
    tasks.advance(minutes=3)
    task = tasks.start("slow", steps=20)

    tasks.advance(minutes=3)
    assert (task.status, executions(tasks)) == ("working", ["RUNNING"])

    tasks.advance(minutes=1)
    assert task.result.text == "done"


def test_an_execution_that_was_stopped_is_a_task_that_failed(tasks: DeployedTasks) -> None:
    task = tasks.start("slow", steps=1)

    stop_all(tasks)
    tasks.harness.run_until_idle()

    assert (task.status, task.message, active(tasks)) == ("failed", "The work was stopped.", 0)


def test_an_end_without_an_event_is_found_by_the_sweep(tasks: DeployedTasks) -> None:
    task = tasks.start("slow", steps=40)
    stop_all(tasks)
    tasks.harness.clock.run_until_idle()
    lost = list(tasks.harness.deliveries.execution_outcomes.poll())

    tasks.advance(minutes=4, seconds=59)
    assert (len(lost), task.status) == (1, "working")

    tasks.advance(seconds=2)
    assert (task.status, task.message) == ("failed", "The work ended, and its outcome was not recorded.")
    assert active(tasks) == 0


@pytest.mark.slow
def test_a_task_that_outlives_its_work_by_far_is_failed_by_the_sweep(tasks: DeployedTasks) -> None:
    with refused("stepfunctions", "StartExecution"):
        task = tasks.start("slow", steps=1)
        tasks.advance(minutes=10, seconds=1)
    tasks.harness.deliveries.lost.clear()

    assert (task.status, task.message) == ("failed", "The work did not end within 0:05:00.")
    assert active(tasks) == 0


def test_a_task_that_is_deleted_while_it_lives_is_stopped_and_not_counted_any_more(tasks: DeployedTasks) -> None:
    tasks.start("forgotten", after_seconds=100_000)
    unwatched(tasks, minutes=10)
    assert (active(tasks), executions(tasks)) == (1, ["RUNNING"])

    tasks.harness.expire()
    assert (active(tasks), executions(tasks)) == (0, ["ABORTED"])


def test_a_task_that_dynamodb_forgets_to_delete_is_deleted_by_the_sweep(tasks: DeployedTasks) -> None:
    task = tasks.start("forgotten", after_seconds=100_000)
    unwatched(tasks, minutes=10)

    tasks.harness.run_until_idle()
    assert (active(tasks), executions(tasks)) == (0, ["ABORTED"])
    with pytest.raises(McpError, match="no task"):
        task.status  # noqa: B018  (reading it raises)


def test_a_finished_task_that_is_deleted_is_not_counted_twice(tasks: DeployedTasks) -> None:
    tasks.run("forgotten", after_seconds=1)
    tasks.advance(minutes=8)
    tasks.start("slow", steps=100)
    assert active(tasks) == 1

    tasks.advance(minutes=2)
    tasks.harness.expire()
    assert active(tasks) == 1


def unwatched(tasks: DeployedTasks, **duration: float) -> None:
    """Let time pass while no function is called but by machines."""
    clock = tasks.harness.clock
    clock.advance(clock.now() + timedelta(**duration))


def stop_all(tasks: DeployedTasks) -> None:
    for execution in tasks.harness.deliveries.execution_outcomes.all():
        client("stepfunctions").stop_execution(executionArn=execution["executionArn"])
