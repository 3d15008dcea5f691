"""What Step Functions makes of the definitions of state machines, on AWS.

Relied on: ValidateStateMachineDefinition answers `FAIL` for what could not be created; and a function of the machine's
own is found by Lambda in the layer of the tools.
"""

import json
import uuid
from collections.abc import Iterator
from typing import Any

import boto3
import pytest

from mcp_tasks.authoring.errors import McpError
from mcp_tasks.testing.client import Client
from mcp_tasks.wire.revisions import PACKAGES
from tests.live.deployed import MACHINE, Stage, ended, states_entered, status, until

pytestmark = pytest.mark.live


@pytest.fixture(params=PACKAGES)
def client(stage: Stage, request: pytest.FixtureRequest) -> Client:
    return stage.client(request.param)


def test_states_of_both_languages_stand_side_by_side(any_stage: Stage) -> None:
    states = boto3.client("stepfunctions")
    machines = [states.describe_state_machine(stateMachineArn=each) for each in any_stage.resources[MACHINE]]
    definitions = [machine["definition"].replace(" ", "") for machine in machines]
    # JSONPath is the language of states that name none.
    assert any(0 < each.count('"QueryLanguage":"JSONata"') < each.count('"Type":"') for each in definitions)

    for machine in machines:
        found = states.validate_state_machine_definition(definition=machine["definition"])
        assert found["result"] == "OK", (machine["name"], found["diagnostics"])


def test_a_task_whose_execution_times_out_fails_by_the_event_of_its_end(stage: Stage, client: Client) -> None:
    task = client.start_task("exceed")
    execution = stage.execution_of(task)

    assert ended(execution) == "TIMED_OUT"
    until(lambda: task.status == "failed")
    with pytest.raises(McpError, match="did not end in time"):
        _ = task.result


def test_a_machine_that_a_task_waits_for_is_stopped_with_it(stage: Stage, client: Client) -> None:
    task = client.start_task("wait_for_theirs")
    ours = f":{stage.stack}-theirs:{task.id}"
    theirs = until(lambda: [arn for arn in _named(stage, task.id) if not arn.endswith(ours)])[0]
    assert status(theirs) == "RUNNING"

    task.cancel()

    assert ended(theirs) == "ABORTED"


def test_a_function_of_a_machines_own_is_in_the_layer_of_the_tools(client: Client) -> None:
    assert client.call_tool("doubled", {"number": 21}).text == "42"


def _named(stage: Stage, name: str) -> list[str]:
    """Return the executions of this name, of which each state machine may have one."""
    states, found = boto3.client("stepfunctions"), []
    for machine in stage.resources[MACHINE]:
        listed = states.list_executions(stateMachineArn=machine, maxResults=100)["executions"]
        found += [each["executionArn"] for each in listed if each["name"] == name]
    return found


@pytest.fixture
def without_suspensions(stage: Stage) -> Iterator[str]:
    """A copy of the default machine for functions that return suspensions, as those of a release before do."""
    states = boto3.client("stepfunctions")
    (arn,) = [each for each in stage.resources[MACHINE] if each.endswith("-run_tool")]
    machine = states.describe_state_machine(stateMachineArn=arn)
    definition: Any = json.loads(machine["definition"])
    del definition["States"]["Run"]["Arguments"]["Payload"]["suspension"]
    name = f"{machine['name']}-{uuid.uuid4().hex[:8]}"
    copy = states.create_state_machine(name=name, definition=json.dumps(definition), roleArn=machine["roleArn"])
    yield copy["stateMachineArn"]

    states.delete_state_machine(stateMachineArn=copy["stateMachineArn"])


def test_an_output_that_fails_is_caught_by_its_own_state(
    stage: Stage, client: Client, without_suspensions: str
) -> None:
    """So that a rollback to a release whose functions return suspensions loses no task in flight."""
    task, states = client.start_task("ask"), boto3.client("stepfunctions")
    given = states.describe_execution(executionArn=stage.execution_of(task))["input"]
    until(lambda: task.status == "input_required")
    copy = states.start_execution(stateMachineArn=without_suspensions, name=task.id, input=given)["executionArn"]

    until(lambda: len(states_entered(copy)) > 1)
    states.stop_execution(executionArn=copy)
    task.cancel()

    assert states_entered(copy)[:2] == ["Run", "RunWithoutTicket"]
