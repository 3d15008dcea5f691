"""What a stage's logs, metrics and traces say, on AWS.

Relied on: a `platform.report` of a process that died, or was stopped, has `record.status` `failure` or `timeout`, and
is logged at `WARN`; and GetSamplingStatisticSummaries counts the requests that matched a rule, by its name.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import boto3
import pytest

from mcp_tasks.wire.revisions import PACKAGES
from tests.live.deployed import Stage, needs, until

pytestmark = pytest.mark.live

REPORTED: Final = 10 * 60
"""Seconds after which CloudWatch and X-Ray know what happened."""

DAY: Final = timedelta(days=1)
WINDOW: Final = timedelta(seconds=10)
"""What X-Ray counts together."""


def logged(group: str, since: datetime, pattern: str = "") -> Iterator[Mapping[str, Any]]:
    """Yield the records of a log group that match a pattern; of those in JSON, as Lambda writes all."""
    pages = (
        boto3.client("logs")
        .get_paginator("filter_log_events")
        .paginate(logGroupName=group, startTime=int(since.timestamp() * 1_000), filterPattern=pattern)
    )
    messages = (event["message"] for page in pages for event in page["events"])
    yield from (json.loads(message) for message in messages if message.startswith("{"))


def log_group(stage: Stage, function: str) -> str:
    return str(stage.functions[function]["LoggingConfig"]["LogGroup"])


@pytest.fixture
def death(stage: Stage) -> Iterator[datetime]:
    """Have a process of `run_tool` die; the time before it did."""
    began, client = datetime.now(UTC), stage.client(PACKAGES[0])
    assert client.call_tool("fill").text
    task = client.start_task("die")
    yield began

    task.cancel()


def test_only_what_fails_is_in_lambdas_own_records(stage: Stage, death: datetime) -> None:
    group = log_group(stage, "run_tool")
    needs(
        stage.functions["run_tool"]["LoggingConfig"]["SystemLogLevel"] == "WARN",
        f"{stage.stack} logs each invocation: leave `platform_log_level` at WARN",
    )

    def of_the_platform() -> list[tuple[str, str]]:
        found = [each for each in logged(group, death, '{ $.type = "platform.*" }') if "record" in each]
        return [(each["type"], each["record"].get("status")) for each in found]

    until(lambda: "platform.report" in dict(of_the_platform()), within=REPORTED)
    found = of_the_platform()
    assert {status for kind, status in found if kind == "platform.report"} <= {"failure", "timeout"}
    # Neither the start of anything, which has no status, nor what went well.
    assert {status for _, status in found} & {None, "success"} == set()


def test_a_process_that_dies_is_a_failed_run(stage: Stage, death: datetime) -> None:
    def counted() -> float:
        found = boto3.client("cloudwatch").get_metric_statistics(
            Namespace=stage.stack,
            MetricName="failed_runs",
            StartTime=death.replace(second=0, microsecond=0),
            EndTime=datetime.now(UTC) + timedelta(minutes=1),
            Period=60,
            Statistics=["Sum"],
        )
        return float(sum(each["Sum"] for each in found["Datapoints"]))

    assert until(counted, within=REPORTED) >= 1


def test_what_a_function_raises_is_logged_as_an_error(stage: Stage) -> None:
    """Python's runtime gave it no level until September 2026: where `log_level` is above INFO, it was left out."""
    began, task = datetime.now(UTC), stage.client(PACKAGES[0]).start_task("ask")

    def suspended() -> list[Mapping[str, Any]]:
        found = logged(log_group(stage, "run_tool"), began, "TaskSuspended")
        return [each for each in found if each.get("errorType") == "TaskSuspended"]

    records = until(suspended, within=REPORTED)
    task.cancel()

    assert {each.get("level") for each in records} == {"ERROR"}


def test_no_cold_start_compiles(any_stage: Stage) -> None:
    """Lambda loads the bytecode in the assets, of its own version of Python; what does not is logged as it starts."""
    since = datetime.now(UTC) - DAY
    groups = {name: log_group(any_stage, name) for name in any_stage.functions}
    assert any(logged(groups["serve_mcp"], since, "answered")), "nobody called the stage"

    assert {name: [*logged(group, since, "compiled_from_source")] for name, group in groups.items()} == {
        name: [] for name in groups
    }


def test_shards_that_split_and_roll_are_followed(any_stage: Stage) -> None:
    """Of the day before, in which a shard of the table's stream ends several times, with somebody waiting meanwhile."""
    group, since = log_group(any_stage, "await_task"), datetime.now(UTC) - DAY
    waits = [each["woken_by"] for each in logged(group, since, "{ $.woken_by = * }") if "woken_by" in each]
    needs(
        len(waits) >= DAY / timedelta(hours=1),
        f"{len(waits)} waits of a day are in the log: have clients wait for tasks all day",
    )

    assert "stream" in waits
    taken = {each.get("fallback") for each in logged(group, since, "{ $.fallback = * }")}
    assert taken & {"tail_failed", "place_lost"} == set()


def test_requests_and_executions_are_sampled_by_the_stages_rules(stage: Stage) -> None:
    rules = stage.resources.get("AWS::XRay::SamplingRule", ())
    needs(rules, f"{stage.stack} goes by the account's rules: set `trace_rate`")
    began, client = datetime.now(UTC), stage.client(PACKAGES[0])
    for _ in range(10):
        client.call_tool("fill")

    def counted() -> set[str]:
        found = boto3.client("xray").get_sampling_statistic_summaries()["SamplingStatisticSummaries"]
        return {each["RuleName"] for each in found if each["RequestCount"] and each["Timestamp"] >= began - WINDOW}

    names = {each.rpartition("/")[2] for each in rules}
    until(lambda: names <= counted(), within=REPORTED)
