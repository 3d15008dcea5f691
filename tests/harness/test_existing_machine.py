"""A state machine that exists already does a tool's work: what is given to it, and what becomes of the task."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import pytest
from botocore.awsrequest import AWSResponse
from moto.stepfunctions.parser.asl.utils.boto_client import boto_client_for

from mcp_tasks import McpError
from mcp_tasks.testing.state_machines.resources import client
from tests.harness.executions import active, executions
from tests.harness.faults import death, places
from tests.harness.tasks import DeployedTasks
from tests.harness.test_deaths import CALLS_OF_A_CANCEL, answered_all, connected, only
from tests.states import sequence

CALLS = (
    *("PutItem", "TransactWriteItems", "PutItem", "StartExecution", "UpdateItem"),  # serve_mcp
    *("PutItem", "TransactWriteItems"),  # record_outcome
    "UpdateItem",  # on_task_change counts how long it took
)
THROTTLED = {
    "Error": {"Code": "ExecutionLimitExceeded", "Message": "Too many"},
    "ResponseMetadata": {"HTTPStatusCode": 400, "RequestId": "1"},
}
ROLE = "arn:aws:iam::123456789012:role/theirs"
A_MINUTE = {"Type": "Wait", "Seconds": 60}
AN_HOUR = {"Type": "Wait", "Seconds": 3600}
COUNTS = {"Type": "Pass", "Output": {"day": "{% $states.input.day %}", "rows": 7}}
FAILS = {"Type": "Fail", "Error": "NoDisk", "Cause": "the disk of host 7 is full"}


@pytest.fixture
def tools_module() -> str:
    return "tests.harness.machine_tools"


@pytest.fixture
def machines_module() -> str:
    return "tests.harness.sample_machines"


def deploy(*states: dict[str, Any]) -> str:
    """Create the other team's state machine, of these states, and return its ARN."""
    definition = json.dumps({"QueryLanguage": "JSONata", **sequence(*states)})
    made = client("stepfunctions").create_state_machine(name="nightly-load", definition=definition, roleArn=ROLE)
    return str(made["stateMachineArn"])


@contextmanager
def starts_refused(*, times: int) -> Iterator[list[str]]:
    """Have Step Functions throttle the first starts of one machine by another; what it yields fills with these."""
    refused: list[str] = []

    def refuse(**_: Any) -> tuple[AWSResponse, Any] | None:
        if len(refused) == times:
            return None
        refused.append("StartExecution")
        return AWSResponse("", 400, {}, None), THROTTLED

    events = boto_client_for("us-east-1", "stepfunctions").meta.events
    events.register("before-call.sfn.StartExecution", refuse)
    try:
        yield refused
    finally:
        events.unregister("before-call.sfn.StartExecution", refuse)


def theirs(machine: str) -> dict[str, Any]:
    """Return the one execution of the other team's state machine."""
    (execution,) = client("stepfunctions").list_executions(stateMachineArn=machine)["executions"]
    found: dict[str, Any] = client("stepfunctions").describe_execution(executionArn=execution["executionArn"])
    return found


def test_it_is_given_the_arguments_and_its_output_is_the_result(tasks: DeployedTasks) -> None:
    machine = deploy(AN_HOUR, COUNTS)
    task = tasks.start("load", day="2026-11-22")
    assert (task.status, theirs(machine)["status"]) == ("working", "RUNNING")

    tasks.advance(hours=1, seconds=1)

    assert task.result.structured == {"day": "2026-11-22", "rows": 7}
    assert json.loads(theirs(machine)["input"]) == {"day": "2026-11-22"}
    assert theirs(machine)["name"] == task.id


def test_a_start_that_is_throttled_is_tried_again_for_minutes(tasks: DeployedTasks) -> None:
    machine = deploy(COUNTS)
    with starts_refused(times=6) as refused:
        task = tasks.start("load", day="2026-11-22")
        tasks.advance(minutes=3)

    assert task.result.structured == {"day": "2026-11-22", "rows": 7}
    assert (len(refused), theirs(machine)["name"]) == (6, task.id)


def test_its_failure_is_the_tasks_and_the_client_is_not_told_what_is_in_it(tasks: DeployedTasks) -> None:
    deploy(FAILS)
    task = tasks.start("load", day="2026-11-22")
    tasks.advance(seconds=1)

    with pytest.raises(McpError, match=r"^The work failed: States.TaskFailed\.$"):
        task.result  # noqa: B018  # reading it is asking for it


def test_it_is_stopped_when_the_task_is_cancelled(tasks: DeployedTasks) -> None:
    machine = deploy(AN_HOUR, COUNTS)
    task = tasks.start("load", day="2026-11-22")

    task.cancel()
    tasks.advance(hours=2)

    assert (task.status, executions(tasks), theirs(machine)["status"]) == ("cancelled", ["ABORTED"], "ABORTED")


def test_one_that_takes_longer_than_the_tool_may_fails_the_task(tasks: DeployedTasks) -> None:
    deploy(AN_HOUR, AN_HOUR, AN_HOUR, COUNTS)
    task = tasks.start("load", day="2026-11-22")
    tasks.advance(hours=2, seconds=1)

    with pytest.raises(McpError, match=r"^The work did not end in time\.$"):
        task.result  # noqa: B018  # as above


def test_one_that_is_not_there_fails_the_task(tasks: DeployedTasks) -> None:
    task = tasks.start("load", day="2026-11-22")
    tasks.advance(seconds=1)

    with pytest.raises(McpError, match="StateMachineDoesNotExist"):
        task.result  # noqa: B018  # as above


def run(tasks: DeployedTasks) -> None:
    """Have a task start the other team's machine, and wait until that has ended."""
    tasks.start("load", day="2026-11-22")
    tasks.advance(minutes=1)


def test_these_are_the_calls(tasks: DeployedTasks) -> None:
    deploy(A_MINUTE, COUNTS)
    connected(tasks)
    with death("before") as calls:
        run(tasks)
        tasks.advance(minutes=2)

    assert tuple(calls) == CALLS


@places(CALLS)
@pytest.mark.parametrize(
    ("ends", "status", "theirs_ends"),
    [(COUNTS, "completed", "SUCCEEDED"), (FAILS, "failed", "FAILED")],
    ids=["returns", "fails"],
)
def test_a_crash_starts_it_once_and_loses_no_outcome(
    tasks: DeployedTasks,
    ends: dict[str, Any],
    status: str,
    theirs_ends: str,
    place: int,
    when: Literal["before", "after"],
) -> None:
    machine = deploy(A_MINUTE, ends)
    connected(tasks)

    with death(when, place) as calls:
        answered = answered_all(tasks, run)
        tasks.advance(minutes=2)
    task = only(tasks)

    # A failure is written with its task, by one call less.
    assert len(calls) > place or (ends is FAILS and place == len(CALLS) - 1)
    assert answered or place < 5
    if task is None:
        assert (active(tasks), executions(tasks)) == (0, [])
    else:
        assert (task.status, active(tasks), executions(tasks)) == (status, 0, ["SUCCEEDED"])
        assert (theirs(machine)["status"], theirs(machine)["name"]) == (theirs_ends, task.id)


@places(CALLS_OF_A_CANCEL)
def test_a_crash_while_it_is_cancelled_stops_both_or_neither(
    tasks: DeployedTasks, place: int, when: Literal["before", "after"]
) -> None:
    machine = deploy(AN_HOUR, COUNTS)
    task = tasks.start("load", day="2026-11-22")

    with death(when, place) as calls:
        answered = answered_all(tasks, lambda tasks: task.cancel())
        tasks.harness.run_until_idle()
    cancelled = task.status == "cancelled"

    assert len(calls) > place
    assert cancelled or not answered
    assert executions(tasks) == [theirs(machine)["status"]] == (["ABORTED"] if cancelled else ["RUNNING"])
