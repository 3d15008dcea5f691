"""What becomes of executions, on AWS; nobody else may call the stage meanwhile.

Relied on: Step Functions matches the error of a function in Python by the name of its exception, and `$parse` reads the
`Cause`; and CloudTrail has an event for each call of StartExecution, whose `requestParameters` have its name.
"""

import json
import uuid
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Final

import boto3
import pytest

from mcp_tasks.wire.revisions import PACKAGES
from tests.live.deployed import MACHINE, Stage, accept, ended, history, states_entered, status, until
from tests.transitions import transitions

pytestmark = [pytest.mark.live, pytest.mark.parametrize("revision", PACKAGES)]

TRAILED: Final = 20 * 60
"""Seconds after which CloudTrail has an event."""

TASKS: Final = 20


def test_a_task_goes_on_once_it_is_answered(stage: Stage, revision: str) -> None:
    """Were SendTaskSuccess refused, which IAM grants by the machine's ARN, it would work until its time is over."""
    task = stage.client(revision).start_task("ask")
    (request,) = until(lambda: task.input_requests)
    request.accept(really=True)

    assert ended(stage.execution_of(task)) == "SUCCEEDED"
    assert "really=True" in task.wait().text


def test_a_task_that_asks_nothing_takes_two_transitions(stage: Stage, revision: str) -> None:
    execution = stage.run_as_task(stage.client(revision), "fill")

    assert (ended(execution), transitions(history(execution))) == ("SUCCEEDED", 2)


def test_a_task_without_a_state_machine_completes_and_has_no_execution(stage: Stage, revision: str) -> None:
    """Lambda's queue brings its run: each function may invoke the one that runs tools, and an event is enough."""
    task = stage.client(revision).start_task("fill_directly")

    assert task.wait().text == "filled"
    states = boto3.client("stepfunctions")
    for machine in stage.resources[MACHINE]:
        with pytest.raises(states.exceptions.ExecutionDoesNotExist):
            states.describe_execution(executionArn=f"{machine.replace(':stateMachine:', ':execution:')}:{task.id}")


def test_a_task_that_asks_once_is_suspended_by_the_name_of_its_error(stage: Stage, revision: str) -> None:
    execution = stage.run_as_task(stage.client(revision, accept), "ask")

    assert ended(execution) == "SUCCEEDED"
    assert states_entered(execution) == ["Run", "Suspend", "Run"]
    assert transitions(history(execution)) == 4


def test_a_cancelled_tasks_execution_is_aborted_and_listed_no_more(stage: Stage, revision: str) -> None:
    """The sweep goes by ListExecutions: it knows of a start within a minute, and of an end within minutes."""
    task = stage.client(revision).start_task("wait_an_hour")
    execution = stage.execution_of(task)

    task.cancel()

    assert ended(execution) == "ABORTED"
    until(lambda: task.id not in stage.executions(statusFilter="RUNNING"), within=5 * 60)


def test_an_execution_that_has_ended_is_stopped_in_vain(stage: Stage, revision: str) -> None:
    """A task that is cancelled as its work ends is stopped then: AWS may say so, but by no other code than this one."""
    execution, states = stage.run_as_task(stage.client(revision), "fill"), boto3.client("stepfunctions")
    assert ended(execution) == "SUCCEEDED"

    with suppress(states.exceptions.ValidationException):
        states.stop_execution(executionArn=execution)

    assert status(execution) == "SUCCEEDED"


def test_an_execution_without_a_ticket_goes_on_in_the_function_that_makes_one(stage: Stage, revision: str) -> None:
    states = boto3.client("stepfunctions")
    found = states.describe_execution(executionArn=stage.run_as_task(stage.client(revision), "fill"))
    without = {name: value for name, value in json.loads(found["input"]).items() if name != "ticket"}

    started = states.start_execution(
        stateMachineArn=found["stateMachineArn"], name=f"live-{uuid.uuid4().hex}", input=json.dumps(without)
    )

    assert ended(started["executionArn"]) == "SUCCEEDED"
    assert states_entered(started["executionArn"])[:2] == ["Run", "RunWithoutTicket"]


def test_nearly_every_execution_is_started_by_one_call(stage: Stage, revision: str) -> None:
    """The mark of a start is written before the stream's record of the task is handled, unless something is slow."""
    client, began = stage.client(revision), datetime.now(UTC) - timedelta(minutes=1)
    tasks = [client.start_task("wait_an_hour") for _ in range(TASKS)]
    for task in tasks:
        until(lambda: status(stage.execution_of(task)) == "RUNNING")  # noqa: B023
        task.cancel()

    def calls() -> Counter[str]:
        started = [{"AttributeKey": "EventName", "AttributeValue": "StartExecution"}]
        trail = boto3.client("cloudtrail").get_paginator("lookup_events")
        pages = trail.paginate(LookupAttributes=started, StartTime=began)
        found = (json.loads(event["CloudTrailEvent"]) for page in pages for event in page["Events"])
        return Counter(each["requestParameters"]["name"] for each in found if each.get("requestParameters"))

    until(lambda: calls().keys() >= {task.id for task in tasks}, within=TRAILED)
    assert sum(calls()[task.id] for task in tasks) <= TASKS * 1.1
