"""What the metric of failed runs counts of runs on the harness, by what Lambda's runtime logs of each."""

import json
from typing import Any

import pytest

from mcp_tasks.tasks.model import JSON
from mcp_tasks.testing.state_machines.lambdas import failure
from tests.filter_pattern import matches
from tests.harness.harness import Harness
from tests.harness.tasks import DeployedTasks

QUESTIONS = 100


def logged_by(harness: Harness) -> list[str]:
    """Return a list that fills with the lines of Lambda's runtime on runs that raised."""
    lines: list[str] = []

    def run_tool(event: dict[str, Any], context: object) -> Any:
        try:
            return newest(event, context)
        except Exception as error:
            lines.append(json.dumps({"level": "ERROR", **failure(error)}))
            raise

    newest = harness.replace("run_tool", run_tool)
    return lines


def failed(harness: Harness, lines: list[str]) -> int:
    """Return how many of the lines the metric counts."""
    filters = [each for _, each in harness.template.of_type("AWS::Logs::MetricFilter")]
    patterns = {
        each["FilterPattern"] for each in filters if each["MetricTransformations"][0]["MetricName"] == "failed_runs"
    }
    (pattern,) = patterns
    return sum(matches(pattern, line) for line in lines)


@pytest.mark.slow
def test_a_hundred_questions_are_no_failed_run(tasks: DeployedTasks) -> None:
    lines = logged_by(tasks.harness)
    batches: list[JSON] = [[f"question {number}"] for number in range(QUESTIONS)]

    assert tasks.run("curious", batches=batches, seconds=60).text.count("nobody") == QUESTIONS
    assert (len(lines), failed(tasks.harness, lines)) == (QUESTIONS, 0)


def test_a_run_whose_host_fails_is_one(tasks: DeployedTasks) -> None:
    def host_run(event: object, context: object) -> Any:
        tasks.harness.replace("host_run", before)
        raise OSError("no table")

    before = tasks.harness.replace("host_run", host_run)
    lines = logged_by(tasks.harness)

    assert tasks.run("slow", steps=1)
    assert [json.loads(line)["errorType"] for line in lines] == ["RunBroken"]
    assert failed(tasks.harness, lines) == 1
