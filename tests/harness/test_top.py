"""`make top` of the deployed functions: what is shown is what is there, by reads alone, and nothing that was said."""

import io
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import boto3
import pytest
from rich.console import Console

from local import top_data
from local.top_data import Stage, WouldWrite, read_only
from local.top_view import age, shown
from mcp_tasks.adapters.dynamodb.items import LIVE_SHARDS
from mcp_tasks.testing.state_machines.clock import HarnessClock
from tests.harness.logs import Lines, kept
from tests.harness.tasks import DeployedTasks
from tests.kit import ADA

PAGE = 40
GROUP = "/aws/lambda/all"
EVE = replace(ADA, tenant="globex & sons", subject="eve")
REGION = "us-east-1"


class Logs(Lines):
    """CloudWatch's logs as far as they are read, page by page: moto keeps none of so old a time."""

    def __init__(self, clock: HarnessClock) -> None:
        super().__init__()
        self.clock, self.pages, self.events = clock, 0, list[dict[str, Any]]()

    def keep(self, line: str) -> None:
        now = int(self.clock.now().timestamp() * 1000)
        self.events.append({"eventId": str(len(self.events)), "timestamp": now, "message": line})

    def filter_log_events(self, *, logGroupName: str, startTime: int, nextToken: str = "0") -> dict[str, Any]:
        self.pages += 1
        found = [each for each in self.events if each["timestamp"] >= startTime]
        place = int(nextToken)
        more = {"nextToken": str(place + PAGE)} if place + PAGE < len(found) else {}
        return {"events": found[place : place + PAGE], **more}


class Looked:
    """A stage as one looks at it, and the operations of DynamoDB that were called for that."""

    def __init__(self, tasks: DeployedTasks, logs: Logs) -> None:
        self.called, self.logs = list[str](), logs
        session = read_only(boto3.Session(region_name=REGION))
        session.events.register("before-call", lambda model, **_: self.called.append(model.name))
        self.stage = Stage(
            dynamodb=session.client("dynamodb"),
            logs=self.logs,
            table=tasks.harness.table.name,
            groups=[GROUP],
            clock=tasks.harness.lambdas,
        )

    def look(self) -> top_data.Frame:
        return self.stage.read()

    def printed(self) -> str:
        file = io.StringIO()
        Console(width=160, file=file).print(shown(self.look()))
        return file.getvalue()


@pytest.fixture
def looked(tasks: DeployedTasks) -> Iterator[Looked]:
    logs = Logs(tasks.harness.clock)
    with kept(logs):
        yield Looked(tasks, logs)


def test_tenants_are_shown_with_their_tasks_and_the_age_of_the_oldest(tasks: DeployedTasks, looked: Looked) -> None:
    tasks.start("curious", batches=[["a"]])
    tasks.advance(minutes=3)
    tasks.start("slow", steps=60)
    tasks.start("slow", steps=60, as_caller=EVE)
    frame = looked.look()

    assert (frame.live, frame.more_tasks, frame.behind, frame.more_tenants) == (3, False, False, 0)
    assert [(each.name, each.active, each.running, each.suspended) for each in frame.tenants] == [
        ("acme", 2, 1, 1),
        ("globex%20%26%20sons", 1, 1, 0),
    ]
    # A client of 2026-07-28 may wait for half a second before it has a task.
    ages = [each.oldest for each in frame.tenants if each.oldest is not None]
    assert [age // timedelta(minutes=1) for age in ages] == [3, 0]


def test_rates_are_those_of_the_last_minutes_and_count_no_record_twice(tasks: DeployedTasks, looked: Looked) -> None:
    tasks.run("fails")
    first, again = looked.look(), looked.look()
    tasks.advance(minutes=6)

    assert first.rates == again.rates
    assert (first.rates["created"], first.rates["tool error"]) == (0.2, 0.2)
    assert first.rates["request"] > 0.4
    assert looked.look().rates == {}


def test_what_went_wrong_is_shown_by_names_and_ids_alone(
    tasks: DeployedTasks, looked: Looked, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = tasks.start("frail", deaths=99, error="a secret")
    tasks.advance(minutes=2)
    frame = looked.look()

    assert f"a task failed: frail {task.id}" in [each.error for each in frame.errors]
    assert task.status == "failed"
    text = looked.printed()
    assert f"a task failed: frail {task.id}" in text
    assert "a secret" not in text
    assert ADA.subject not in text


def test_one_looks_by_reads_that_are_few_whatever_there_is(
    tasks: DeployedTasks, looked: Looked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(top_data, "TASKS_OF_A_SHARD", 1)
    monkeypatch.setattr(top_data, "TENANTS_SHOWN", 2)
    for number in range(9):
        tasks.start("curious", batches=[["a"]], as_caller=replace(ADA, tenant=f"tenant{number}"))
    before = tasks.harness.table.items()
    frame = looked.look()

    assert looked.called == ["Query"] * (LIVE_SHARDS + 2)
    assert tasks.harness.table.items() == before
    assert frame.more_tasks
    assert len(frame.tenants) == 2
    assert "There are more live tasks than are read" in looked.printed()


def test_a_log_that_grows_faster_is_read_in_parts(
    tasks: DeployedTasks, looked: Looked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(top_data, "PAGES_OF_A_GROUP", 1)
    for _ in range(12):
        tasks.advance(seconds=1)
        tasks.run("steady_direct", seconds=0)
    first = looked.look()

    assert (first.behind, looked.logs.pages) == (True, 1)
    assert "rates are higher than shown" in looked.printed()
    while looked.look().behind:
        tasks.advance(seconds=10)
        assert looked.logs.pages < 10
    assert looked.look().rates["created"] == 12 / 5


@pytest.mark.parametrize("operation", ["put_item", "update_item", "delete_item", "transact_write_items", "scan"])
def test_nothing_else_can_be_called(looked: Looked, operation: str) -> None:
    client = looked.stage.dynamodb
    name = {"TableName": looked.stage.table}
    given: dict[str, dict[str, Any]] = {
        "put_item": {**name, "Item": {}},
        "update_item": {**name, "Key": {}},
        "delete_item": {**name, "Key": {}},
        "transact_write_items": {"TransactItems": [{"Delete": {**name, "Key": {}}}]},
        "scan": name,
    }
    with pytest.raises(WouldWrite):
        getattr(client, operation)(**given[operation])


@pytest.mark.parametrize(
    ("span", "said"),
    [
        (timedelta(), "0 s"),
        (timedelta(seconds=-1), "0 s"),
        (timedelta(seconds=75), "1 min 15 s"),
        (timedelta(hours=25), "1 d 1 h"),
    ],
)
def test_an_age_is_said_in_two_units(span: timedelta, said: str) -> None:
    assert age(span) == said


def test_what_is_damaged_is_left_out_and_counted(tasks: DeployedTasks, looked: Looked) -> None:
    tasks.start("slow", steps=60)
    tasks.start("slow", steps=60, as_caller=EVE)
    table = {"TableName": tasks.harness.table.name}
    dynamodb = boto3.client("dynamodb", region_name=REGION)
    for each in dynamodb.scan(**table)["Items"]:
        if each["PK"]["S"] == "acme" and each["SK"]["S"].startswith("quota#"):
            dynamodb.put_item(**table, Item={**each, "active": {"S": "many"}})
    gone = {"PK": {"S": "acme#ada"}, "SK": {"S": "task#!"}, "liveShard": {"S": "0"}, "checkAt": {"N": "99999999999"}}
    dynamodb.put_item(**table, Item=gone)

    frame = looked.look()

    assert [each.name for each in frame.tenants] == ["globex%20%26%20sons"]
    assert frame.left_out == 2
    dynamodb.delete_item(**table, Key={name: gone[name] for name in ("PK", "SK")})
