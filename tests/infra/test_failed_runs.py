"""The metric of failed runs: what it counts, where Lambda's `Errors` counts suspended tasks too."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.filter_pattern import matches
from tests.infra.assembly import Assembly, flat

# `run_tool` and `run_without_ticket`, by the names that they are deployed under.
RUN = ("Functionstools", "Functionsruntool")


@pytest.mark.parametrize(
    ("event", "counted"),
    [
        ({"level": "ERROR", "errorType": "TaskSuspended", "errorMessage": "{}"}, False),
        ({"level": "ERROR", "errorType": "TicketRevoked", "errorMessage": ""}, False),
        ({"level": "ERROR", "errorType": "RunInterrupted", "errorMessage": ""}, False),
        ({"level": "ERROR", "errorType": "Unavailable", "errorMessage": ""}, False),
        ({"level": "ERROR", "errorType": "RunBroken", "errorMessage": ""}, True),
        ({"level": "ERROR", "errorType": "Runtime.ImportModuleError", "errorMessage": "no module"}, True),
        ({"type": "platform.report", "record": {"status": "timeout"}}, True),
        ({"type": "platform.report", "record": {"status": "failure", "errorType": "Runtime.ExitError"}}, True),
        # Of a run that raised, whose error is an event of its own.
        ({"type": "platform.report", "record": {"status": "error"}}, False),
        ({"type": "platform.report", "record": {"status": "success"}}, False),
        ({"level": "INFO", "message": "run", "task": "t1"}, False),
        # What a tool raised is logged, and is its task's result.
        ({"level": "ERROR", "logger": "mcp_tasks.engine.tool_run", "errorType": "ZeroDivisionError"}, False),
    ],
)
def test_a_run_that_failed_is_counted_and_one_that_suspended_its_task_or_needs_a_ticket_is_not(
    cloud: Assembly, event: Mapping[str, Any], counted: bool
) -> None:
    found = [
        metric
        for metric in cloud.of("AWS::Logs::MetricFilter").values()
        if metric["MetricTransformations"][0]["MetricName"] == "failed_runs"
    ]

    assert {flat(each["LogGroupName"]) for each in found} == {f"<{name}Logs>" for name in RUN}
    assert [matches(each["FilterPattern"], json.dumps(event)) for each in found] == [counted, counted]


def counts_suspensions(alarm: Mapping[str, Any]) -> bool:
    """Return whether an alarm is about Lambda's own errors of a function that runs tools."""
    text = json.dumps(alarm)
    return '"Errors"' in text and any(f'"{name}"' in text for name in RUN)


def test_no_alarm_is_about_errors_among_which_are_suspensions(cloud: Assembly) -> None:
    alarms = cloud.of("AWS::CloudWatch::Alarm")

    assert [name for name, alarm in alarms.items() if counts_suspensions(alarm)] == []


@pytest.mark.parametrize(("function", "noticed"), [*((name, True) for name in RUN), ("Functionssweep", False)])
def test_such_an_alarm_would_be_noticed(function: str, noticed: bool) -> None:
    dimensions = [{"Name": "FunctionName", "Value": {"Ref": function}}]
    alarm = {"Namespace": "AWS/Lambda", "MetricName": "Errors", "Dimensions": dimensions}

    assert counts_suspensions(alarm) is noticed
