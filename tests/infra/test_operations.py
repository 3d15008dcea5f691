"""Who is told of an alarm, and what a stage on this machine goes without."""

import json
import re
from typing import Any

import pytest

from infra.server_settings import ServerSettings
from tests.infra.assembly import UNBUNDLED, Assembly, flat, synthesise_once
from tests.infra.test_nag import nag

ALARM = "AWS::CloudWatch::Alarm"
TOPIC = "arn:aws:sns:eu-west-1:111122223333:alarms"


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    """A stage whose alarms tell a topic."""
    return synthesise_once(tmp_path_factory, "told", {**UNBUNDLED, "alarm_topic": TOPIC}, validation=True)


def test_an_alarm_tells_the_topic_of_the_stage_when_it_begins_and_when_it_is_over(told: Assembly) -> None:
    alarms = told.of(ALARM)

    assert alarms
    for alarm in alarms.values():
        assert alarm["AlarmActions"] == alarm["OKActions"] == [TOPIC]
    assert nag(told)["violations"] == []


def test_without_a_topic_alarms_are_shown_and_nobody_is_told(cloud: Assembly) -> None:
    alarms = cloud.of(ALARM)

    assert alarms
    assert not [name for name, alarm in alarms.items() if {"AlarmActions", "OKActions"} & alarm.keys()]


def test_alarms_are_named_after_the_stack(cloud: Assembly, prod: Assembly) -> None:
    names = [{alarm["AlarmName"] for alarm in stage.of(ALARM).values()} for stage in (cloud, prod)]

    assert all(name.startswith("McpTaskExamples-dev-") for name in names[0])
    assert len(names[0]) == len(names[1]) == len(cloud.of(ALARM))
    assert not names[0] & names[1]


def test_the_emulator_which_evaluates_no_alarms_is_given_none(local: Assembly) -> None:
    assert local.of(ALARM) == {}
    assert local.of("AWS::Logs::MetricFilter")


@pytest.mark.parametrize("topic", ["alarms", "arn:aws:sqs:eu-west-1:111122223333:alarms", f"{TOPIC}.fifo", 5])
def test_what_is_no_topic_that_an_alarm_can_tell_is_refused(topic: Any) -> None:
    with pytest.raises(ValueError, match=r"alarm_topic is the ARN of an SNS topic, such as arn:aws:sns:"):
        ServerSettings(alarm_topic=topic)


def dashboard(assembly: Assembly) -> list[dict[str, Any]]:
    """Return the widgets of the one dashboard, with intrinsic functions written out."""
    (found,) = assembly.of("AWS::CloudWatch::Dashboard").values()
    widgets: list[dict[str, Any]] = json.loads(flat(found["DashboardBody"]))["widgets"]
    return widgets


def graphed(assembly: Assembly) -> list[list[Any]]:
    """Return what the graphs show, each as namespace, name and dimensions, or as an expression alone."""
    return [each for widget in dashboard(assembly) for each in widget["properties"].get("metrics", [])]


def searches(assembly: Assembly) -> list[str]:
    """Return the expressions of graphs."""
    return [each[0]["expression"] for each in graphed(assembly) if isinstance(each[0], dict)]


def made(assembly: Assembly) -> set[tuple[str, str, frozenset[str]]]:
    """Return the metrics that log records give, each with the names of its dimensions."""
    found = [one for each in assembly.of("AWS::Logs::MetricFilter").values() for one in each["MetricTransformations"]]
    return {
        (each["MetricNamespace"], each["MetricName"], frozenset(one["Key"] for one in each.get("Dimensions", ())))
        for each in found
    }


def test_the_dashboard_asks_four_questions_and_shows_all_alarms(cloud: Assembly) -> None:
    widgets = dashboard(cloud)

    assert [each["properties"]["markdown"] for each in widgets if each["type"] == "text"] == [
        "## Are users served?",
        "## Is work done?",
        "## Who is refused?",
        "## What does it cost?",
    ]
    (alarms,) = (each["properties"]["alarms"] for each in widgets if each["type"] == "alarm")
    assert set(alarms) == {f"<{name}.Arn>" for name in cloud.of(ALARM)}
    # A row is 24 wide, and none has more graphs than fit beside each other.
    assert {each["x"] + each["width"] <= 24 for each in widgets} == {True}


def test_a_graph_shows_no_metric_that_nothing_publishes(cloud: Assembly) -> None:
    searched = searches(cloud)
    found = [re.fullmatch(r'SEARCH\(\'\{(.*)\} MetricName="(.*)"\', \'\w+\', 300\)', each) for each in searched]
    own = {
        (json.loads(f"[{each[1]}]")[0], each[2], frozenset(json.loads(f"[{each[1]}]")[1:])) for each in found if each
    }
    own |= {
        (each[0], each[1], frozenset())
        for each in graphed(cloud)
        if isinstance(each[0], str) and not each[0].startswith("AWS/")
    }

    assert len(searched) > 5
    assert all(found)
    assert own <= made(cloud)


def test_calls_errors_refusals_and_tasks_are_counted_by_plan_too(cloud: Assembly) -> None:
    by_plan = {(name, dimensions - {"plan"}) for _, name, dimensions in made(cloud) if "plan" in dimensions}

    assert by_plan == {
        ("mcp.server.operation.duration", frozenset()),
        ("calls", frozenset({"outcome"})),
        ("errors", frozenset({"code"})),
        ("refusals", frozenset({"reason"})),
        ("tasks", frozenset({"outcome"})),
        *((f"task_{phase}", frozenset()) for phase in ("queued", "running", "suspended", "duration")),
    }


def test_what_a_stage_costs_is_that_of_its_own_parts(cloud: Assembly) -> None:
    aws = [each for each in graphed(cloud) if isinstance(each[0], str) and each[0].startswith("AWS/")]
    counted = {(each[0], each[1]) for each in aws}

    assert counted >= {
        ("AWS/DynamoDB", "ConsumedWriteCapacityUnits"),
        ("AWS/Lambda", "Duration"),
        ("AWS/States", "ExecutionsStarted"),
        ("AWS/ApiGateway", "Count"),
        ("AWS/Logs", "IncomingBytes"),
    }
    # None is of the whole account.
    assert all(len(each) > 3 for each in aws)
    durations = {each[3] for each in aws if each[1] == "Duration"}
    assert durations == {f"<{name}>" for name in cloud.of("AWS::Lambda::Function") if name.startswith("Functions")}


def test_it_says_which_tools_and_plans_take_the_time_that_is_billed(cloud: Assembly) -> None:
    sums = [each for each in searches(cloud) if "'Sum'" in each]

    for metric, dimension in (
        ("mcp.server.operation.duration", "gen_ai.tool.name"),
        ("mcp.server.operation.duration", "plan"),
        ("task_running", "gen_ai.tool.name"),
    ):
        assert [each for each in sums if f'MetricName="{metric}"' in each and f'"{dimension}"' in each]


def test_the_address_of_the_dashboard_is_an_output(cloud: Assembly) -> None:
    (name,) = (each["DashboardName"] for each in cloud.of("AWS::CloudWatch::Dashboard").values())

    assert cloud.outputs["Dashboard"].endswith(f"#dashboards/dashboard/{name}")
