"""Executions that 0.3 started are in flight when this release is deployed: their inputs have no ticket."""

from pathlib import Path
from typing import Any

import pytest

from mcp_tasks.testing.state_machines.resources import client
from tests.harness.executions import active, executions, function_arn, machine_arn
from tests.harness.harness import Harness
from tests.harness.machine_run import MachineRun
from tests.harness.tasks import DeployedTasks

DEFINITION = Path(__file__).parents[1] / "releases/0.3/definition.json"
NOW = {"run_tool": "run_without_ticket", "suspend_task": "suspend_task", "record_outcome": "record_outcome"}
"""The functions that 0.3's definitions invoke, by their names there: each has its ARN."""


@pytest.fixture
def definition_of_0_3(deployment: Harness) -> None:
    """Have the default machine be that of 0.3, whose executions invoke what `run_tool` was."""
    definition = DEFINITION.read_text()
    for name, folder in NOW.items():
        definition = definition.replace(f"<{name}>", function_arn(deployment.template, folder))
    machine = machine_arn(deployment.template, "run_tool")
    client("stepfunctions").update_state_machine(stateMachineArn=machine, definition=definition)


@pytest.fixture
def run_tool_of_before(deployment: Harness) -> None:
    """Have `run_tool` ignore how the state machine wants to be told of suspensions, as that of a release before did."""

    def run_tool(event: dict[str, Any], context: object) -> Any:
        assert event.pop("suspension", "error") == "error"
        return newest(event, context)

    newest = deployment.replace("run_tool", run_tool)


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
def test_a_tool_asks_and_goes_on_when_nobody_answers(tasks: DeployedTasks) -> None:
    assert tasks.run("curious", batches=[["a"]], seconds=3600).text == "noted, nobody"
    assert (active(tasks), executions(tasks)) == (0, ["SUCCEEDED"])


@pytest.mark.usefixtures("run_tool_of_before")
def test_a_definition_of_this_release_asks_and_sleeps_with_the_function_of_the_one_before(tasks: DeployedTasks) -> None:
    """Where the newest release is rolled back, executions that it started go on."""
    assert tasks.run("curious", batches=[["a"]], seconds=3600).text == "noted, nobody"
    assert tasks.run("doze", hours=[48, 24]).text == "rested, attempt 1"
    assert (active(tasks), executions(tasks)) == (0, ["SUCCEEDED", "SUCCEEDED"])


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

    assert given == [{"scope": "acme#ada", "task": "t1", "attempt": 1, "broken": "error"}] * 2
    assert (machine_run.recorded, machine_run.status) == ([], "SUCCEEDED")
