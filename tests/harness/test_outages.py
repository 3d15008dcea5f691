"""The table is throttled for a while with tasks of all kinds in flight: none of them ends by it."""

from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.adapters.dynamodb.plan_items import PlanItems
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.tasks.named_plans import Grant
from mcp_tasks.testing.state_machines.lambdas import FunctionDied
from mcp_tasks.testing.state_machines.resources import client
from tests.harness.executions import executions
from tests.harness.faults import outage
from tests.harness.tasks import DeployedTask, DeployedTasks
from tests.kit import ADA

OUTAGES = pytest.mark.parametrize("seconds", [45, 300])


@pytest.fixture
def tools_module() -> str:
    return "tests.harness.outage_tools"


def throttled(tasks: DeployedTasks, seconds: int, tool: str, /, after: float = 10, **arguments: object) -> DeployedTask:
    """Start a task, have the table throttled from ten seconds later on, and return the task twenty minutes later."""
    task = tasks.start(tool, **arguments)  # type: ignore[arg-type]
    tasks.advance(seconds=after)
    with outage("dynamodb", lasting=timedelta(seconds=seconds)):
        tasks.advance(minutes=20)
    return task


@OUTAGES
def test_a_run_in_flight_completes(tasks: DeployedTasks, seconds: int) -> None:
    assert throttled(tasks, seconds, "plain").result.text == "worked"


@OUTAGES
def test_a_run_with_steps_goes_on_after_those_that_were_recorded(tasks: DeployedTasks, seconds: int) -> None:
    assert throttled(tasks, seconds, "stepped", after=30).result.text == "1"


@OUTAGES
def test_reports_that_cannot_be_stored_end_no_run(tasks: DeployedTasks, seconds: int) -> None:
    task = throttled(tasks, seconds, "reporting", after=0)

    assert task.status == "completed"


def test_reports_that_cannot_be_stored_for_a_moment_leave_the_run_in_its_first_attempt(tasks: DeployedTasks) -> None:
    assert throttled(tasks, 5, "reporting").result.text == "attempt 1"


def test_a_host_that_waits_for_aws_until_its_own_time_is_over_is_asked_again(tasks: DeployedTasks) -> None:
    def host_run(event: Any, context: object) -> Any:
        if event["does"] == "finish" and len(timed_out) < 2:
            timed_out.append(event["does"])
            raise FunctionDied("Sandbox.Timedout")
        return host(event, context)

    timed_out: list[str] = []
    host = tasks.harness.replace("host_run", host_run)
    task = tasks.start("reporting")

    tasks.advance(seconds=25)
    assert (task.result.text, len(timed_out)) == ("attempt 1", 2)


@OUTAGES
def test_a_task_that_asks_is_answered(tasks: DeployedTasks, seconds: int) -> None:
    task = throttled(tasks, seconds, "asking")
    (question,) = task.client.input_requests(task.id)
    question.accept(said="yes")

    tasks.advance(minutes=1)
    assert task.result.text == "yes"


@OUTAGES
@pytest.mark.parametrize("after", [10, 21])
def test_a_task_that_sleeps_wakes(tasks: DeployedTasks, seconds: int, after: float) -> None:
    assert throttled(tasks, seconds, "dozing", after=after, minutes=8).result.text == "rested"


def test_a_sleep_that_begins_late_ends_in_time(tasks: DeployedTasks) -> None:
    def suspend_task(event: object, context: object) -> Any:
        if tasks.harness.clock.now() < ends:
            raise FunctionDied("Lambda.TooManyRequestsException")
        return suspend(event, context)

    ends = tasks.harness.clock.now() + timedelta(minutes=7)
    suspend = tasks.harness.replace("suspend_task", suspend_task)
    task = tasks.start("napping")

    tasks.advance(minutes=8, seconds=30)
    assert task.result.text == "rested"


@OUTAGES
def test_a_tools_own_error_is_its_outcome(tasks: DeployedTasks, seconds: int) -> None:
    assert throttled(tasks, seconds, "failing").result.text == "no such city"


@OUTAGES
def test_a_process_that_dies_each_time_is_the_reason_of_the_failure(tasks: DeployedTasks, seconds: int) -> None:
    task = throttled(tasks, seconds, "dying", after=1)

    assert (task.status, task.message) == ("failed", "The process that did the work died.")


@OUTAGES
def test_a_task_without_an_execution_completes(tasks: DeployedTasks, seconds: int) -> None:
    assert throttled(tasks, seconds, "direct").result.text == "worked"


@OUTAGES
def test_a_state_machine_of_ones_own_records_its_outcome(tasks: DeployedTasks, seconds: int) -> None:
    assert throttled(tasks, seconds, "machine", after_seconds=20).result.text == "waited 20 s"


@OUTAGES
def test_a_queued_task_has_its_turn(tasks: DeployedTasks, seconds: int) -> None:
    table = Table(client=client("dynamodb"), name=tasks.harness.table.name, clock=tasks.harness.clock)
    PlanItems(table=table).write(ADA.tenant, Grant(overrides={"running_tasks": 1}), replacing=0)
    first = tasks.start("plain")

    second = throttled(tasks, seconds, "plain")
    assert [first.result.text, second.result.text] == ["worked", "worked"]


def test_an_outage_beyond_the_time_of_a_task_ends_it_and_its_execution(tasks: DeployedTasks) -> None:
    task = throttled(tasks, 16 * 60, "plain")

    # The attempt after the outage came before the sweep, which would have failed the task.
    assert task.status == "completed"
    assert executions(tasks) == ["SUCCEEDED"]
    lost, tasks.harness.deliveries.lost[:] = [*tasks.harness.deliveries.lost], []
    # The sweeps of that time, each of which the next one repeats.
    assert [each.partition("sweep")[0] for each in lost] == ["Functions"] * len(lost)


def test_the_status_says_that_the_work_is_done_again(tasks: DeployedTasks) -> None:
    task = tasks.start("plain")
    tasks.advance(seconds=10)
    with outage("dynamodb", lasting=timedelta(minutes=3)):
        tasks.advance(minutes=3)
        while task.message == "The work is under way.":
            tasks.advance(seconds=5)

    assert (task.status, task.message) == (
        "working",
        "The server could not finish the work so far: attempt 9 has begun.",
    )


def test_a_run_is_repeated_after_hours_without_room(
    tasks: DeployedTasks,
) -> None:
    def run_tool(event: object, context: object) -> Any:
        if tasks.harness.clock.now() < ends:
            raise FunctionDied("Lambda.TooManyRequestsException")
        return run(event, context)

    run = tasks.harness.replace("run_tool", run_tool)
    ends = tasks.harness.clock.now() + timedelta(hours=3)
    task = tasks.start("machine", after_seconds=1)

    tasks.advance(hours=3, minutes=1)
    assert task.result.text == "waited 1 s"
