"""Who is told of an alarm, and what a stage on this machine goes without."""

from typing import Any

import pytest

from infra.server_settings import ServerSettings
from tests.infra.assembly import UNBUNDLED, Assembly, synthesise_once
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
