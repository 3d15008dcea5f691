"""What becomes of executions, on AWS: needs a stage that nobody else calls, credentials, and two of its tools.

    export MCP_URL=... MCP_TOKEN=... MCP_STACK=McpTaskServer-dev
    export MCP_TOOL=publish_report MCP_ARGUMENTS='{"csv": "a,b\\n1,2"}' MCP_ANSWER='{"approved": false}'
    export MCP_QUIET_TOOL=profile_csv MCP_QUIET_ARGUMENTS='{"csv": "a,b\\n1,2"}'
    python -m pytest -m live tests/live/test_executions.py

The first asks its user one thing, the second nothing; the stage has `remind_me`, too.  `tests/stack/test_live.py` runs
these tests on the emulator.
"""

import json
import os
import uuid
from importlib import import_module

import boto3
import pytest

from mcp_tasks.tasks.model import JSON
from mcp_tasks.testing.client import RESPONDS, Client, InputRequest
from mcp_tasks.wire.revisions import PACKAGES
from tests.live.deployed import (
    executions,
    from_environment,
    history,
    http_client,
    run_as_task,
    states_entered,
    status,
)
from tests.timeout import until
from tests.transitions import transitions

pytestmark = [pytest.mark.live, pytest.mark.parametrize("revision", PACKAGES)]

LONG = {"after_seconds": 3600}


def client_of(revision: str) -> Client:
    """Return a client that answers every form as the environment says."""
    module = import_module(f"mcp_tasks.testing.{revision}")
    made: Client = module.Client(http_client().send, {**RESPONDS, **module.TASKS}, responder=answer)
    return made


def answer(request: InputRequest) -> JSON:
    return {"action": "accept", "content": from_environment("MCP_ANSWER")}


def run_quietly(client: Client) -> str:
    """Run the tool that asks nothing, and return the ARN of its execution."""
    return run_as_task(client, os.environ["MCP_QUIET_TOOL"], from_environment("MCP_QUIET_ARGUMENTS"))


def ended(execution: str) -> str:
    until(lambda: status(execution) != "RUNNING", within=60)
    return status(execution)


def test_a_task_that_asks_nothing_takes_two_transitions(revision: str) -> None:
    execution = run_quietly(client_of(revision))

    assert (ended(execution), transitions(history(execution))) == ("SUCCEEDED", 2)


def test_a_cancelled_tasks_execution_is_aborted(revision: str) -> None:
    task = client_of(revision).start_task("remind_me", {**LONG, "about": uuid.uuid4().hex})
    until(lambda: task.id in executions(), within=60)
    execution = executions()[task.id]

    task.cancel()

    assert ended(execution) == "ABORTED"


def test_an_execution_without_a_ticket_goes_on_in_the_function_that_makes_one(revision: str) -> None:
    states = boto3.client("stepfunctions")
    found = states.describe_execution(executionArn=run_quietly(client_of(revision)))
    without = {name: value for name, value in json.loads(found["input"]).items() if name != "ticket"}

    started = states.start_execution(
        stateMachineArn=found["stateMachineArn"], name=f"live-{uuid.uuid4().hex}", input=json.dumps(without)
    )

    assert ended(started["executionArn"]) == "SUCCEEDED"
    assert states_entered(started["executionArn"])[:2] == ["Run", "RunWithoutTicket"]


def test_a_task_that_asks_once_is_suspended_by_the_name_of_its_error(revision: str) -> None:
    task_arguments = from_environment("MCP_ARGUMENTS")
    execution = run_as_task(client_of(revision), os.environ["MCP_TOOL"], task_arguments)

    assert ended(execution) == "SUCCEEDED"
    assert states_entered(execution) == ["Run", "Suspend", "Run"]
    assert transitions(history(execution)) == 4
