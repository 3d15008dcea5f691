"""Whoever is asked is told on the emulator, by an event that a rule sends on, of a task that runs there."""

import json
from typing import Any

from local.stack import Stack
from tests.protocol.rev_2026_07_28.over_http import client
from tests.timeout import until


def test_a_rule_has_an_event_of_what_waits_and_nothing_of_what_it_is(
    stack: Stack, subject: str, no_errors_logged: None
) -> None:
    sqs, events = stack.client("sqs"), stack.client("events")
    queue = sqs.create_queue(QueueName="told")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    events.put_rule(Name="told", EventPattern=json.dumps({"source": ["mcp-tasks"]}))
    events.put_targets(Rule="told", Targets=[{"Id": "queue", "Arn": arn}])
    ada = client(stack.url, stack.token("acme", subject))

    ada.start("refund", order="A7", reason="It came late")

    told: list[Any] = []

    def is_told() -> bool:
        found = sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10, WaitTimeSeconds=1).get("Messages", [])
        told.extend(json.loads(each["Body"]) for each in found)
        return bool(told)

    until(is_told, within=60, pause=0.2)
    (event,) = told
    assert (event["detail-type"], event["detail"]["audience"]) == (
        "Approval Requested",
        {"kind": "role", "name": "finance"},
    )
    assert event["detail"]["console"] == stack.url.removesuffix("mcp")
    assert [each for each in ("A7", "late", subject) if each in json.dumps(event)] == []
