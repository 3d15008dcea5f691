"""What becomes of tasks in flight whose signing key is revoked, on AWS; clients begin new sessions then.

Relied on: Step Functions matches `TicketRevoked` by the name of the exception.
"""

import subprocess
import sys
import uuid

import boto3
import pytest

from local.emulator import ROOT
from mcp_tasks.limits.waits import KEYS_FRESH
from mcp_tasks.testing.client import Task
from mcp_tasks.wire.revisions import PACKAGES
from tests.live.deployed import SECONDS, Stage, ended, states_entered, until

pytestmark = pytest.mark.live


def test_a_task_whose_key_is_revoked_goes_on_with_another_ticket(stage: Stage) -> None:
    over = stage.run_as_task(stage.client(PACKAGES[0]), "fill")
    tasks = {revision: stage.client(revision).start_task("ask") for revision in PACKAGES}
    executions = [stage.execution_of(task) for task in tasks.values()]
    until(lambda: all(task.status == "input_required" for task in tasks.values()))
    revoke = [sys.executable, "-m", "local", "keys", "revoke", "--stack", stage.stack]
    subprocess.run(revoke, cwd=ROOT, check=True)

    # Until each process has noticed, runs with the old ticket may still be served.
    until(lambda: "RunWithoutTicket" in _states_of_another(over), within=KEYS_FRESH.seconds + SECONDS)
    for revision, task in tasks.items():
        assert "really=True" in _answered(stage.client(revision).task(task.id)), revision

    for execution in executions:
        assert ended(execution) == "SUCCEEDED"
        assert states_entered(execution)[:2] == ["Run", "Suspend"]
        assert "RunWithoutTicket" in states_entered(execution)


def _answered(task: Task) -> str:
    (request,) = until(lambda: task.input_requests)
    request.accept(really=True)
    return task.wait().text


def _states_of_another(execution: str) -> list[str]:
    """Return the states of another execution with the input, and so the ticket, of one that is over."""
    states = boto3.client("stepfunctions")
    found = states.describe_execution(executionArn=execution)
    started = states.start_execution(
        stateMachineArn=found["stateMachineArn"], name=f"live-{uuid.uuid4().hex}", input=found["input"]
    )
    assert ended(started["executionArn"]) == "SUCCEEDED"
    return states_entered(started["executionArn"])
