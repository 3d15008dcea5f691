"""What is as it should be sets off no alarm, and neither does what clients and tools do wrong."""

from contextlib import suppress

import pytest

from mcp_tasks.authoring.errors import McpError
from mcp_tasks.tasks.model import JSON
from tests.alarms.observed import Observed
from tests.harness.tasks import DeployedTasks
from tests.kit import ADA

QUESTIONS = 100


def test_a_server_that_does_its_work_is_left_alone(tasks: DeployedTasks, observed: Observed) -> None:
    assert tasks.run("slow", steps=3).text == "done"
    assert tasks.run("doze", hours=[1, 2]).text
    assert tasks.run("frail", deaths=1).text == "attempt 2"
    tasks.start("slow", steps=9).cancel()
    for _ in range(9):
        assert tasks.run("fails").is_error
    client = tasks.connect(ADA, tasks=False)
    for tool, arguments in (("frail", {"deaths": "many"}), ("unknown", {}), ("slow", {"steps": 1})):
        with suppress(McpError):
            client.call_tool(tool, arguments)
    with suppress(McpError):
        client.get_task("nobody's")
    tasks.advance(minutes=30)

    assert observed.went_off() == set()
    names = {name for _, name, _ in observed.cloudwatch.metrics}
    assert names >= {"mcp.server.operation.duration", "own_time", "calls", "errors", "failed_runs", "Invocations"}
    assert names >= {"task_events", "tasks", "task_queued", "task_running", "task_suspended", "task_duration"}


@pytest.mark.slow
def test_a_hundred_questions_are_no_fault(tasks: DeployedTasks, observed: Observed) -> None:
    batches: list[JSON] = [[f"question {number}"] for number in range(QUESTIONS)]

    assert tasks.run("curious", batches=batches, seconds=60).text.count("nobody") == QUESTIONS
    assert observed.went_off() == set()


def test_a_stage_that_nobody_uses_is_left_alone(observed: Observed) -> None:
    assert observed.went_off() == set()
