"""Clocks that differ between the gateway, the endpoint, a run and its host: no request and no sleep follows them."""

import os
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest

from mcp_tasks import aws
from mcp_tasks.testing.state_machines.handlers import imported
from tests.harness.executions import active, executions
from tests.harness.faults import outage
from tests.harness.harness import Harness
from tests.harness.tasks import DeployedTasks
from tests.kit import Differing


def put_ahead(harness: Harness, folder: str, by: timedelta) -> None:
    """Start the process of a function anew, with a clock of its own."""
    (function,) = (
        function
        for _, function in harness.template.ours("AWS::Lambda::Function")
        if function["Handler"] == f"functions.{folder}.handler.handler"
    )
    own, given = Differing(aws.clock, by), {name: os.environ[name] for name in ("CATALOGUE", "TOOLS_MODULE")}
    with patch.object(aws, "clock", own):
        handler = imported(function, given)

    def on_its_own_clock(event: Mapping[str, Any], context: object) -> Any:
        with patch.object(aws, "clock", own):
            return handler(event, context)

    harness.replace(folder, on_its_own_clock)


@pytest.mark.parametrize("seconds", [25, 3_600, -3_600])
def test_an_endpoint_whose_clock_differs_from_the_gateways_answers_all_requests(
    tasks: DeployedTasks, seconds: int
) -> None:
    def of_a_gateway_behind(event: dict[str, Any], context: object) -> Any:
        event["requestContext"]["requestTimeEpoch"] -= seconds * 1_000
        return serve_mcp(event, context)

    serve_mcp = tasks.harness.replace("serve_mcp", of_a_gateway_behind)

    with outage("dynamodb", lasting=timedelta(seconds=3)):
        task = tasks.start("doze", hours=[1])
    tasks.advance(hours=1, minutes=1)

    assert task.result.text == "rested, attempt 1"


@pytest.mark.parametrize("minutes", [10, -10])
def test_a_sleep_has_its_length_though_the_clock_of_its_run_differs(tasks: DeployedTasks, minutes: int) -> None:
    put_ahead(tasks.harness, "run_tool", timedelta(minutes=minutes))
    task = tasks.start("doze", hours=[2, 1])

    tasks.advance(hours=2, minutes=59)
    assert (task.status, executions(tasks)) == ("working", ["RUNNING"])
    tasks.advance(minutes=2)

    assert task.result.text == "rested, attempt 1"
    assert (executions(tasks), active(tasks)) == (["SUCCEEDED"], 0)
