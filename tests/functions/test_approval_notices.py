"""The function behind the table's stream tells those whose inbox something is in, by events that say nothing of it."""

import importlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

from mcp_tasks import aws, role, subject
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.engine.approval_tools import inbox
from mcp_tasks.tasks.approvals import Approval
from mcp_tasks.tasks.events import CancelRequested
from mcp_tasks.tasks.inbox import items_of
from mcp_tasks.tasks.model import InputRequest, State
from mcp_tasks.tasks.notifications import INBOX
from tests.cloud import BUCKET, REGION, TABLE, Cloud, cloud, scan, stream
from tests.contract.dynamo_store_actions import add
from tests.contract.store_actions import move, suspend
from tests.kit import ADA, FixedClock, a_task
from tests.table_ports import store_of

DEFINITION = json.dumps({"StartAt": "Rest", "States": {"Rest": {"Type": "Succeed"}}})
ROLE = "arn:aws:iam::123456789012:role/any"
BUS = f"arn:aws:events:{REGION}:123456789012:event-bus/default"
CONSOLE = "https://tasks.example/"
SECRETS = ("the question", "the form", "the context", "hello", ADA.subject)
FORM = {"type": "object", "properties": {"amount": {"type": "integer", "title": "the form"}}}
PARAMS = {"message": "the question", "requestedSchema": FORM}


def asks(key: str, of: Any) -> InputRequest:
    approval = Approval(audience=of, shown="the context")
    return InputRequest(key=key, method="elicitation/create", params=PARAMS, approval=approval)


FINANCE, GRACE = asks("refund", role("finance").but_me()), asks("greeting", subject("grace"))


@dataclass(frozen=True, kw_only=True)
class Deployed:
    """The function, the store whose stream it reads, and a queue that a rule sends all its events to."""

    aws: Cloud
    handler: Any
    store: DynamoTaskStore
    sqs: Any
    queue: str

    def records(self) -> list[Any]:
        """Return the records that the event source mapping of a stage with approvals lets through."""
        return [each for each in stream(self.aws) if place(each).startswith("task#") or is_new(each)]

    def deliver(self) -> Any:
        """Deliver them as one batch."""
        return self.handler({"Records": self.records()}, None)

    def events(self) -> list[Any]:
        """Return the events that were sent since the last call."""
        found = self.sqs.receive_message(QueueUrl=self.queue, MaxNumberOfMessages=10, VisibilityTimeout=900)
        return [json.loads(each["Body"]) for each in found.get("Messages", [])]


def place(record: Any) -> str:
    return str(record["dynamodb"]["Keys"]["SK"]["S"])


def is_new(record: Any) -> bool:
    return place(record).startswith("inbox#") and record["eventName"] == "INSERT"


@pytest.fixture
def deployed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployed]:
    """The function, loaded anew as a cold start does."""
    with cloud() as made:
        machine = made.states.create_state_machine(name="run_tool", definition=DEFINITION, roleArn=ROLE)
        for name, value in {
            "MACHINES": json.dumps({"run_tool": machine["stateMachineArn"]}),
            "TABLE_NAME": TABLE,
            "PAYLOAD_BUCKET": BUCKET,
            "AWS_DEFAULT_REGION": REGION,
            "NOTIFICATIONS": json.dumps({"bus": BUS, "server": "acme-prod", "console": CONSOLE}),
        }.items():
            monkeypatch.setenv(name, value)
        aws.client.cache_clear()
        clock = FixedClock()
        monkeypatch.setattr(aws, "clock", clock)
        sqs, events = (boto3.client(name, region_name=REGION) for name in ("sqs", "events"))
        queue = sqs.create_queue(QueueName="told")["QueueUrl"]
        events.put_rule(Name="approvals", EventPattern=json.dumps({"source": ["mcp-tasks"]}))
        arn = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        events.put_targets(Rule="approvals", Targets=[{"Id": "queue", "Arn": arn}])
        handler = importlib.reload(importlib.import_module("functions.on_task_change.handler")).handler
        yield Deployed(aws=made, handler=handler, store=store_of(made, clock), sqs=sqs, queue=queue)
    aws.client.cache_clear()


def test_whoever_may_answer_is_told_that_something_waits_and_where_and_never_what(deployed: Deployed) -> None:
    task = suspend(deployed.store, add(deployed.store), FINANCE, GRACE)
    finance, grace = items_of(ADA.owner_key, task)

    assert deployed.deliver() == {"batchItemFailures": []}

    told = {each["detail"]["approval"]: each for each in deployed.events()}
    assert [*told] == [finance.id, grace.id]
    event = told[finance.id]
    assert (event["source"], event["detail-type"]) == ("mcp-tasks", "Approval Requested")
    assert event["detail"] == {
        "id": event["detail"]["id"],
        "server": "acme-prod",
        "tenant": "acme",
        "audience": {"kind": "role", "name": "finance"},
        "approval": finance.id,
        "due": finance.deadline.isoformat(),
        "inbox": INBOX,
        "console": CONSOLE,
    }
    assert told[grace.id]["detail"]["audience"] == {"kind": "subject", "name": "grace"}
    assert len({each["detail"]["id"] for each in told.values()}) == 2
    # As words: an id of random letters may have a short name in it.
    said = json.dumps([*told.values()])
    assert [each for each in SECRETS if re.search(rf"\b{re.escape(each)}\b", said)] == []


def test_the_inbox_that_is_named_is_the_resource_that_clients_read() -> None:
    def none() -> Any:
        raise AssertionError

    assert inbox(none).uri == INBOX


def test_a_record_that_comes_again_is_told_again_with_the_same_id(deployed: Deployed) -> None:
    suspend(deployed.store, add(deployed.store), FINANCE)

    ids = []
    for _ in range(2):
        deployed.deliver()
        ids += [each["detail"]["id"] for each in deployed.events()]

    assert len(ids) == 2
    assert ids[0] == ids[1]


def test_nobody_is_told_of_what_is_over(deployed: Deployed) -> None:
    task = suspend(deployed.store, add(deployed.store), FINANCE)
    move(deployed.store, task, CancelRequested(status_message="no"))

    assert deployed.deliver() == {"batchItemFailures": []}
    assert [each for each in deployed.records() if is_new(each)]
    assert deployed.events() == []


def no_bus(**request: Any) -> Any:
    raise ClientError({"Error": {"Code": "InternalException", "Message": ""}}, "PutEvents")


def refused(**request: Any) -> Any:
    return {"FailedEntryCount": 1, "Entries": [{"ErrorCode": "ThrottlingException", "ErrorMessage": ""}]}


@pytest.mark.parametrize("put_events", [no_bus, refused])
def test_a_notification_that_fails_is_delivered_again_and_holds_up_nothing_else_of_its_batch(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch, put_events: Any
) -> None:
    suspend(deployed.store, add(deployed.store), FINANCE)
    last = add(deployed.store, a_task(state=State.QUEUED))
    client = aws.client("events", aws.NETWORK)
    with monkeypatch.context() as broken:
        broken.setattr(client, "put_events", put_events)
        failed = deployed.deliver()["batchItemFailures"]

    (lost,) = (each for each in deployed.records() if is_new(each))
    assert failed == [{"itemIdentifier": lost["dynamodb"]["SequenceNumber"]}]
    assert deployed.store.read(ADA.owner_key, last.id).state is State.WORKING, "its turn came, behind the other one"
    assert deployed.events() == []
    assert deployed.deliver() == {"batchItemFailures": []}
    assert len(deployed.events()) == 1


@pytest.mark.parametrize(
    "damage", [{"asked": {"S": "another shape"}}, {"schema": {"N": "9"}}], ids=["damaged", "newer"]
)
def test_an_item_that_cannot_be_read_is_left_and_no_subject_is_logged(
    deployed: Deployed, caplog: pytest.LogCaptureFixture, damage: Any
) -> None:
    suspend(deployed.store, add(deployed.store), GRACE)
    (item,) = (each for each in scan(deployed.aws.dynamodb) if each["SK"]["S"].startswith("inbox#"))
    deployed.aws.dynamodb.delete_item(TableName=TABLE, Key={name: item[name] for name in ("PK", "SK")})
    deployed.aws.dynamodb.put_item(TableName=TABLE, Item=item | damage)

    assert deployed.deliver() == {"batchItemFailures": []}
    assert "nobody is told of the approval" in caplog.text
    assert "grace" not in caplog.text
    assert deployed.events() == []


def test_without_a_bus_nobody_is_told(deployed: Deployed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFICATIONS")
    module = importlib.reload(importlib.import_module("functions.on_task_change.handler"))
    suspend(deployed.store, add(deployed.store), FINANCE)

    assert module.handler({"Records": deployed.records()}, None) == {"batchItemFailures": []}
    assert deployed.events() == []
