"""The function at the table's stream: what it writes of tasks, and records that are damaged, or of a newer release."""

import importlib
import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from aws_lambda_powertools.utilities.batch.exceptions import BatchProcessingError

from mcp_tasks import aws
from mcp_tasks.adapters.dynamodb.backlog import DynamoBacklog
from mcp_tasks.adapters.dynamodb.counters import from_home
from mcp_tasks.adapters.dynamodb.items import Item, primary_key
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.adapters.dynamodb.tenants import DynamoTenants
from mcp_tasks.adapters.s3 import Payloads
from mcp_tasks.tasks.events import Resumed
from mcp_tasks.tasks.model import Holding, State, Task
from tests.cloud import BUCKET, REGION, TABLE, Cloud, cloud, scan, stream
from tests.contract.dynamo_store_actions import active, add, cancel
from tests.contract.store_actions import DONE, RED, finish, move, suspend
from tests.kit import ADA, FixedClock, a_task

DEFINITION = json.dumps({"StartAt": "Rest", "States": {"Rest": {"Type": "Succeed"}}})
ROLE = "arn:aws:iam::123456789012:role/any"


@dataclass(frozen=True, kw_only=True)
class Deployed:
    """The function, the table whose stream it reads, and the store that writes to it."""

    aws: Cloud
    handler: Callable[[Any, Any], dict[str, Any]]
    store: DynamoTaskStore
    machine: str

    def deliver(self) -> dict[str, Any]:
        """Deliver every record about a task to the function, as one batch."""
        records = [each for each in stream(self.aws) if each["dynamodb"]["Keys"]["SK"]["S"].startswith("task#")]
        return self.handler({"Records": records}, None)

    def started(self) -> set[str]:
        """Return the ids of the tasks whose work was started."""
        found = self.aws.states.list_executions(stateMachineArn=self.machine)["executions"]
        return {each["name"] for each in found}

    def delete(self, task: Task) -> None:
        """Delete the task as DynamoDB does when it expires."""
        self.aws.dynamodb.delete_item(TableName=TABLE, Key=primary_key(ADA.owner_key, "task", task.id))

    def spoil(self, place: str, changes: Item) -> None:
        """Change attributes of the item with this sort key."""
        (item,) = (each for each in scan(self.aws.dynamodb) if each["SK"]["S"] == place)
        self.aws.dynamodb.put_item(TableName=TABLE, Item=item | changes)


@pytest.fixture
def deployed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployed]:
    """The function, loaded anew as a cold start does."""
    with cloud() as made:
        machine = made.states.create_state_machine(name="run_tool", definition=DEFINITION, roleArn=ROLE)
        monkeypatch.setenv("TABLE_NAME", TABLE)
        monkeypatch.setenv("PAYLOAD_BUCKET", BUCKET)
        monkeypatch.setenv("MACHINES", json.dumps({"run_tool": machine["stateMachineArn"]}))
        monkeypatch.setenv("AWS_DEFAULT_REGION", REGION)
        aws.client.cache_clear()
        clock = FixedClock()
        monkeypatch.setattr(aws, "clock", clock)
        handler = importlib.reload(importlib.import_module("functions.on_task_change.handler")).handler
        table = Table(client=made.dynamodb, name=TABLE, clock=clock)
        store = DynamoTaskStore(table=table, payloads=Payloads(client=lambda: made.s3, bucket=BUCKET))
        yield Deployed(aws=made, handler=handler, store=store, machine=machine["stateMachineArn"])
    aws.client.cache_clear()


@pytest.fixture
def audited(caplog: pytest.LogCaptureFixture) -> Callable[[], list[dict[str, Any]]]:
    """Return the audit records that the function wrote."""
    caplog.set_level(logging.INFO)
    return lambda: [vars(each) for each in caplog.records if each.name == "audit"]


Audited = Callable[[], list[dict[str, Any]]]
A_NEW_TASK: dict[str, Any] = {"state": State.QUEUED, "holding": Holding(active=True)}


def test_what_happened_to_tasks_is_written_by_name_and_never_in_words(deployed: Deployed, audited: Audited) -> None:
    asked = suspend(deployed.store, add(deployed.store, a_task(**A_NEW_TASK)))
    finish(deployed.store, move(deployed.store, asked, Resumed(responses={"colour": RED})))
    gone = add(deployed.store, a_task(**A_NEW_TASK))
    deployed.delete(gone)
    cancel(deployed.store, add(deployed.store, a_task(**A_NEW_TASK)))
    assert deployed.deliver() == {"batchItemFailures": []}

    begins = ["task.created", "task.started"]
    assert [each["event"] for each in audited()] == [
        *[*begins, "task.asked", "task.answered", "task.started", "task.finished"],
        *[*begins, "task.expired"],
        *[*begins, "task.cancelled"],
    ]
    assert {(each["tenant"], each["subject"], each["tool"]) for each in audited()} == {("acme", "ada", "greet")}
    ended = audited()[5]
    assert (ended["task"], ended["version"], ended["outcome"]) == (asked.id, 5, "returned")
    assert (ended["message"], ended["levelname"]) == ("task finished", "INFO")
    said = str(audited())
    assert not [each for each in (DONE, RED.result, "Which colour?", "hello", "token") if str(each) in said]


def test_a_stage_with_operators_keeps_which_tenants_there_are(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(deployed.store, a_task(**A_NEW_TASK))
    deployed.deliver()
    tenants = DynamoTenants(deployed.store.table)
    assert tenants.page(after="", limit=9) == []
    monkeypatch.setenv("OPERATORS", json.dumps({"tenant": "ops"}))
    handler = importlib.reload(importlib.import_module("functions.on_task_change.handler")).handler

    replace(deployed, handler=handler).deliver()

    assert tenants.page(after="", limit=9) == ["acme"]


def test_what_is_delivered_again_is_written_again_in_the_same_words(deployed: Deployed, audited: Audited) -> None:
    cancel(deployed.store, add(deployed.store, a_task(**A_NEW_TASK)))
    deployed.deliver()
    once = audited()
    deployed.deliver()

    names = ("event", "task", "version", "at", "tenant", "subject")
    again = [[each.get(name) for name in names] for each in audited()]
    assert len(once) == 3
    assert again == 2 * again[: len(once)]


def test_what_happened_is_written_where_what_follows_from_it_fails(deployed: Deployed, audited: Audited) -> None:
    task = add(deployed.store)
    deployed.aws.states.delete_state_machine(stateMachineArn=deployed.machine)

    with pytest.raises(BatchProcessingError):
        deployed.deliver()
    assert [(each["event"], each["task"]) for each in audited()] == [("task.created", task.id)]


UNREADABLE = {
    "newer": {"schema": {"N": "3"}, "details": {"S": "another shape"}},
    "damaged": {"details": {"S": "another shape"}},
}
unreadable = pytest.mark.parametrize("changes", UNREADABLE.values(), ids=UNREADABLE)


@unreadable
def test_a_record_that_cannot_be_read_neither_fails_nor_keeps_others_from_their_turn(
    deployed: Deployed, changes: Item
) -> None:
    first, lost = add(deployed.store), add(deployed.store)
    deployed.spoil(f"task#{lost.id}", changes)
    last = add(deployed.store)

    assert deployed.deliver() == {"batchItemFailures": []}
    assert deployed.started() == {first.id, last.id}


@pytest.mark.parametrize("changes", [{"schema": {"N": "3"}}, {"json": {"S": "{"}}], ids=UNREADABLE)
def test_a_task_whose_arguments_cannot_be_read_does_not_fail_the_batch(deployed: Deployed, changes: Item) -> None:
    first, lost, last = (add(deployed.store) for _ in range(3))
    deployed.spoil(f"args#{lost.id}", changes)

    assert deployed.deliver() == {"batchItemFailures": []}
    assert deployed.started() == {first.id, last.id}


@unreadable
def test_a_live_task_that_cannot_be_read_and_expires_is_counted_no_more(
    deployed: Deployed, audited: Audited, changes: Item
) -> None:
    kept, gone = add(deployed.store), add(deployed.store)
    deployed.spoil(f"task#{gone.id}", changes)
    deployed.delete(gone)
    before = active(deployed.aws)

    for _ in range(2):
        assert deployed.deliver() == {"batchItemFailures": []}
    assert (before, active(deployed.aws)) == (2, 1)
    assert deployed.started() == {kept.id}
    expired = [each for each in audited() if each["event"] == "task.expired"]
    assert [(each["task"], each["tenant"], each["subject"]) for each in expired] == 2 * [(gone.id, "acme", "ada")]


def test_a_task_that_expires_while_a_counter_is_damaged_fails_no_batch_and_is_counted_no_more(
    deployed: Deployed, caplog: pytest.LogCaptureFixture
) -> None:
    gone, _ = add(deployed.store), add(deployed.store)
    place = f"quota#{from_home(gone.id)[0]}"
    deployed.spoil(place, {"active": {"S": "SECRET"}})
    deployed.delete(gone)

    assert deployed.deliver() == {"batchItemFailures": []}
    assert f"item {place} of acme cannot be read: active does not fit" in caplog.text
    assert DynamoBacklog(table=deployed.store.table).repair_counters(ADA.owner_key)
    assert active(deployed.aws) == 1


def test_a_task_that_expires_is_counted_no_more_whatever_release_counted_it(deployed: Deployed) -> None:
    kept, gone = add(deployed.store), add(deployed.store)
    deployed.delete(gone)
    for place in (each["SK"]["S"] for each in scan(deployed.aws.dynamodb) if each["SK"]["S"].startswith("quota#")):
        deployed.spoil(place, {"schema": {"N": "3"}})
    before = active(deployed.aws)

    assert deployed.deliver() == {"batchItemFailures": []}
    deployed.spoil(f"released#{gone.id}", {"schema": {"N": "3"}})
    assert deployed.deliver() == {"batchItemFailures": []}
    assert (before, active(deployed.aws)) == (2, 1)
    assert deployed.started() == {kept.id}


@unreadable
def test_a_task_that_cannot_be_read_and_had_ended_was_not_counted_any_more(deployed: Deployed, changes: Item) -> None:
    add(deployed.store)
    ended = cancel(deployed.store, add(deployed.store))
    deployed.spoil(f"task#{ended.id}", changes)
    deployed.delete(ended)

    assert deployed.deliver() == {"batchItemFailures": []}
    assert active(deployed.aws) == 1
