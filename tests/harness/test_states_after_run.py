"""States of an adopter's own machine follow the tool's run, in whichever of its states that ended."""

import pytest

from mcp_tasks.testing.state_machines.resources import client
from tests.harness.machine_run import MachineRun
from tests.harness.test_machines_suspended import DONE, requests_input, runs


@pytest.fixture
def tools_module() -> str:
    return "tests.harness.machine_tools"


@pytest.fixture
def machines_module() -> str:
    return "tests.harness.sample_machines"


def entered(machine_run: MachineRun) -> list[str]:
    """Return the states that the execution entered so far, without those around its work."""
    pages = client("stepfunctions").get_paginator("get_execution_history").paginate(executionArn=machine_run.arn)
    details = (event.get("stateEnteredEventDetails") for page in pages for event in page["events"])
    return [each["name"] for each in details if each and each["name"] not in ("Work", "Both", "Dust", "RecordReturn")]


@pytest.mark.parametrize(
    ("ticket", "run", "ending"),
    [("ticket", ["Run"], []), (None, ["Run", "RunWithoutTicket", "InputNeeded?"], ["Finished"])],
)
def test_they_follow_a_run_and_one_that_asked(
    machine_run: MachineRun, ticket: str | None, run: list[str], ending: list[str]
) -> None:
    runs(machine_run, requests_input(3600), DONE)
    machine_run.suspends()
    machine_run.start("tidy", ticket=ticket)
    assert entered(machine_run) == [*run, "Suspend"]

    machine_run.send_task_success(machine_run.tokens[0])
    assert entered(machine_run) == [*run, "Suspend", *run, *ending, "Sweep", "Leave"]
    assert machine_run.status == "SUCCEEDED"
