"""People are told, on the deployed server: by events of EventBridge, from the table's stream and the sweep."""

import json
from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks.testing.state_machines.resources import client
from tests.approvals.people import FINANCE, FORM
from tests.harness.tasks import DeployedTasks
from tests.kit import ADA

CAROL = replace(ADA, subject="carol", roles=frozenset({"cfo"}))
GRACE = replace(ADA, subject="grace", roles=FINANCE)


@pytest.fixture
def tools_module() -> str:
    return "tests.approvals.sample_tools"


@pytest.fixture
def told(tasks: DeployedTasks) -> list[Any]:
    """The events of the server, as a rule sees them; `read` adds those since the last time."""
    sqs, events = client("sqs"), client("events")
    queue = sqs.create_queue(QueueName="told")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    events.put_rule(Name="approvals", EventPattern=json.dumps({"source": ["mcp-tasks"]}))
    events.put_targets(Rule="approvals", Targets=[{"Id": "queue", "Arn": arn}])

    class Told(list[Any]):
        def read(self) -> list[Any]:
            while found := sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10).get("Messages", []):
                for each in found:
                    self.append(json.loads(each["Body"]))
                    sqs.delete_message(QueueUrl=queue, ReceiptHandle=each["ReceiptHandle"])
            return self

    return Told()


def test_others_are_told_once_it_escalates_and_may_answer(tasks: DeployedTasks, told: Any) -> None:
    task = tasks.connect(ADA, capabilities={}).start_task("ask_higher")
    carol = tasks.connect(CAROL, capabilities={})
    tasks.advance(hours=3, minutes=59)
    assert carol.call_tool("approval_list").structured["approvals"] == []
    assert [each["detail-type"] for each in told.read()] == ["Approval Requested", "Approval Reminder"]

    tasks.advance(minutes=6)

    event = told.read()[-1]
    assert (event["detail-type"], event["detail"]["audience"]["name"]) == ("Approval Escalated", "cfo")
    (waiting,) = carol.call_tool("approval_list").structured["approvals"]
    assert waiting["id"] == event["detail"]["approval"]
    carol.call_tool("approval_decide", {"id": waiting["id"], "action": "accept", "content": FORM})
    tasks.advance(hours=9)
    assert len(told.read()) == 3
    assert task.result.text == "Accepted 7 by carol"
    assert [each for each in tasks.harness.table.items() if each["SK"]["S"].startswith("inbox#")] == []


def test_people_are_told_by_events_and_again_until_it_is_decided(tasks: DeployedTasks, told: Any) -> None:
    task = tasks.connect(ADA, capabilities={}).start_task("ask_again", {"every": 60})
    tasks.harness.run_until_idle()
    (event,) = told.read()
    assert (event["source"], event["detail-type"]) == ("mcp-tasks", "Approval Requested")

    tasks.advance(hours=2, minutes=6)
    assert [each["detail-type"] for each in told.read()] == ["Approval Requested", *["Approval Reminder"] * 2]
    assert len({each["detail"]["id"] for each in told}) == 3
    grace = tasks.connect(GRACE, capabilities={})
    (waiting,) = grace.call_tool("approval_list").structured["approvals"]
    assert {each["detail"]["approval"] for each in told} == {waiting["id"]}
    assert event["detail"]["console"].startswith("http")
    assert event["detail"]["due"] == waiting["deadline"]

    grace.call_tool("approval_decide", {"id": waiting["id"], "action": "accept", "content": FORM})
    tasks.advance(hours=5)
    assert len(told.read()) == 3
    assert task.result.text == "Accepted 7 by grace"
