"""Executions that 0.3 started are in flight when this release is deployed: their inputs have no ticket."""

import json
from typing import Any

import pytest

from mcp_tasks.testing.state_machines.resources import client
from mcp_tasks.testing.state_machines.template import Template
from tests.harness.executions import active, executions
from tests.harness.harness import Harness
from tests.harness.machine_run import MachineRun
from tests.harness.tasks import DeployedTasks

FUNCTION, MACHINE = "AWS::Lambda::Function", "AWS::StepFunctions::StateMachine"
TICKET = {"ticket": "{% $states.context.Execution.Input.ticket %}"}
SCOPE = {"scope": "{% $states.context.Execution.Input.scope %}"}


def arn(template: Template, folder: str) -> str:
    """Return the ARN of the function of a folder."""
    names = [name for name, each in template.ours(FUNCTION) if each["Handler"] == f"functions.{folder}.handler.handler"]
    (found,) = (each for each in template.arns(FUNCTION) if each.rpartition(":")[2] in names)
    return found


@pytest.fixture
def definition_of_0_3(deployment: Harness) -> None:
    """Have the default machine call what `run_tool` was, with what that was given."""
    states = client("stepfunctions")
    (machine,) = (each for each in deployment.template.arns(MACHINE) if each.endswith("run_tool"))
    definition = json.loads(states.describe_state_machine(stateMachineArn=machine)["definition"])
    called = definition["States"]["Run"]["Arguments"]
    assert called["FunctionName"] == arn(deployment.template, "run_tool")
    called["FunctionName"] = arn(deployment.template, "run_without_ticket")
    assert TICKET.items() <= called["Payload"].items()
    called["Payload"] = {key: value for key, value in called["Payload"].items() if key not in TICKET} | SCOPE
    states.update_state_machine(stateMachineArn=machine, definition=json.dumps(definition))


@pytest.mark.parametrize("error", ["Runtime.ExitError", "Runtime.OutOfMemory"])
@pytest.mark.usefixtures("definition_of_0_3")
def test_a_tool_runs_and_is_run_again_when_its_process_dies(tasks: DeployedTasks, error: str) -> None:
    assert tasks.run("frail", deaths=2, error=error).text == "attempt 3"
    assert (active(tasks), executions(tasks)) == (0, ["SUCCEEDED"])


@pytest.mark.usefixtures("definition_of_0_3")
def test_a_tool_that_takes_too_long_fails_with_the_same_reason(tasks: DeployedTasks) -> None:
    task = tasks.start("frail", deaths=1, error="Sandbox.Timedout")

    assert (task.status, task.message) == ("failed", "The work did not end in time.")


@pytest.mark.usefixtures("definition_of_0_3")
def test_a_tool_sleeps_and_goes_on(tasks: DeployedTasks) -> None:
    task = tasks.start("doze", hours=[48, 24])
    tasks.advance(hours=73)

    assert task.result.text == "rested, attempt 1"


@pytest.mark.usefixtures("definition_of_0_3")
def test_a_task_that_was_cancelled_is_not_run(tasks: DeployedTasks) -> None:
    task = tasks.start("doze", hours=[48])
    task.cancel()
    tasks.advance(hours=49)

    assert (task.status, active(tasks)) == ("cancelled", 0)


def test_an_execution_that_0_3_started_of_a_definition_of_this_release_runs(machine_run: MachineRun) -> None:
    """Functions and state machines are not updated at the same moment."""
    given = []

    def run_without_ticket(event: dict[str, Any], context: object) -> Any:
        given.append(event)
        return {"asked": len(given) == 1, "seconds": 60}

    machine_run.harness.replace("run_without_ticket", run_without_ticket)
    machine_run.suspends()
    machine_run.start("run_tool", ticket=None)
    machine_run.send_task_success(machine_run.tokens[0])

    assert given == [{"scope": "acme#ada", "task": "t1", "attempt": 1}] * 2
    assert (machine_run.recorded, machine_run.status) == ([], "SUCCEEDED")
