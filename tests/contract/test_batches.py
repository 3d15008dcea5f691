"""Everything that is counted or handed on in batches: each one is counted once, and none of a batch is left out."""

import importlib
import json
import random
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from aws_lambda_powertools.utilities.batch.exceptions import BatchProcessingError

from mcp_tasks import aws as aws_clients
from mcp_tasks.adapters.cloudwatch_logs import AuditLog
from mcp_tasks.adapters.dynamodb.backlog import DynamoBacklog
from mcp_tasks.adapters.dynamodb.stored_bytes import StoredBytes
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.adapters.memory.buckets import MemoryBuckets
from mcp_tasks.adapters.stepfunctions import StepFunctionsExecutor
from mcp_tasks.engine.leases import Bucket, Leases
from mcp_tasks.ports.buckets import Rate
from mcp_tasks.tasks.model import Holding, State
from mcp_tasks.tasks.plan import Plan
from tests.cloud import BUCKET, REGION, TABLE, Cloud, stream
from tests.contract.store_actions import add, finish
from tests.dynamodb.client import MemoryDynamo
from tests.kit import ADA, NOON, FixedClock, a_task, tickets
from tests.table_ports import store_of

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


# --- requests, which a process takes of a bucket twenty at a time


@pytest.mark.parametrize("unleased", [0, 7])
@pytest.mark.parametrize("seed", range(5))
def test_requests_are_paid_for_once_and_at_most_a_batch_in_advance(seed: int, unleased: int) -> None:
    """Three processes serve requests, alone and up to nine at once."""
    chance, clock = random.Random(seed), FixedClock()
    shared, rate = MemoryBuckets(clock), Rate(burst=10_000, per_second=0.001)
    bucket = Bucket(owner="acme", rate=rate, batch=20, reason="", unleased=unleased)
    processes = [Leases(buckets=shared, clock=clock) for _ in range(3)]
    served = [0, 0, 0]
    for _ in range(300):
        number, count = chance.randrange(3), chance.choice((1, 1, 1, 2, 9))
        assert processes[number].fill(bucket) is None
        processes[number].use(bucket, count)
        served[number] += count

        paid = 10_000 - shared.left("acme", "requests", rate)
        # Each process may have served seven unpaid, or eight beyond its batch, and have twenty that it paid for.
        assert sum(served) - 3 * (unleased + 8) - 0.01 <= paid <= sum(served) + 3 * 20 + 0.01
    for process in processes:
        process.use(bucket, 1_000)
        process.fill(bucket)
        served[0] += 1_000
    paid = 10_000 - shared.left("acme", "requests", rate)
    assert paid == pytest.approx(sum(served) + 3 * 20, abs=0.01)


# --- pages of the table


def test_a_page_of_nothing_but_expired_items_does_not_end_a_list(
    dynamo_store: DynamoTaskStore, clock: FixedClock
) -> None:
    oldest = add(dynamo_store, a_task(ttl=HOUR))
    for number in range(30):
        add(dynamo_store, a_task(now=NOON + (number + 1) * MINUTE / 60, ttl=MINUTE))
    newest = add(dynamo_store, a_task(now=NOON + MINUTE, ttl=HOUR))
    clock.advance(3 * MINUTE)

    assert [each.id for each in dynamo_store.page(ADA.owner_key, before=None, limit=1)] == [newest.id]
    assert [each.id for each in dynamo_store.page(ADA.owner_key, before=newest.id, limit=1)] == [oldest.id]
    assert [each.id for each in dynamo_store.page(ADA.owner_key, before=None, limit=9)] == [newest.id, oldest.id]


def test_bytes_of_more_hours_than_a_page_holds_are_all_counted(aws: Cloud, clock: FixedClock) -> None:
    dynamo_store = store_of(replace(aws, dynamodb=MemoryDynamo()), clock)
    plan = Plan(stored_bytes=10**9, active_tasks=1_000, subject_share=1)
    hours = 250
    for hour in range(hours):
        dynamo_store.create(ADA.owner_key, a_task(ttl=(hour + 1) * HOUR), {"a": hour % 10}, key=None, plan=plan)

    # Each has {"a":7}, which is seven bytes.
    kept = StoredBytes(table=dynamo_store.table)
    assert (sum(kept.kept("acme").values()), sum(kept.kept(ADA.owner_key).values())) == (7 * hours, 7 * hours)
    clock.advance(100 * HOUR)
    assert len(kept.kept("acme")) in (hours - 100, hours - 99)


def test_a_sweep_takes_the_most_overdue_of_all_shards_and_the_next_one_the_others(
    dynamo_store: DynamoTaskStore, clock: FixedClock
) -> None:
    tasks = [add(dynamo_store, a_task(now=NOON + number * MINUTE / 60, ttl=HOUR)) for number in range(23)]
    clock.advance(3 * MINUTE)
    backlog = DynamoBacklog(table=dynamo_store.table)

    found: list[str] = []
    while due := list(backlog.due(limit=5)):
        assert len(due) <= 5
        for owner_key, task_id in due:
            found.append(task_id)
            backlog.postpone(owner_key, task_id, clock.now() + HOUR)
    assert found == [each.id for each in tasks]


def test_a_list_of_running_executions_goes_on_after_a_page_without_any() -> None:
    pages = [(["a", "b"], "1"), ([], "2"), (["c"], None)]

    class States:
        def list_executions(self, *, nextToken: str = "0", **_: Any) -> Mapping[str, Any]:
            names, following = pages[int(nextToken)]
            more = {} if following is None else {"nextToken": following}
            return {"executions": [{"name": each} for each in names], **more}

    executor = StepFunctionsExecutor(client=States, machines={"x": "arn:x", "y": "arn:y"}, tickets=tickets())

    assert [name for page in executor.running() for name in page] == ["a", "b", "c", "a", "b", "c"]


def test_a_search_of_the_log_goes_on_after_a_page_without_events() -> None:
    """CloudWatch returns such pages where it has not searched all log streams yet."""
    pages: list[list[int]] = [[], [1, 2], [], [], [3]]

    class Logs:
        def filter_log_events(self, *, nextToken: str = "0", **_: Any) -> Mapping[str, Any]:
            page, record = int(nextToken), json.dumps({"chain": "c", "n": 1, "hash": "h"})
            events = [{"message": record, "timestamp": each} for each in pages[page]]
            return {"events": events, **({"nextToken": str(page + 1)} if page + 1 < len(pages) else {})}

    found = AuditLog(client=Logs, groups=["group"]).read(NOON, NOON + HOUR)

    assert [each.at.microsecond // 1_000 for each in found] == [1, 2, 3]


# --- records of the stream


DEFINITION = json.dumps({"StartAt": "Rest", "States": {"Rest": {"Type": "Succeed"}}})


@pytest.mark.parametrize("failing", [{0}, {4}, {1, 3}, {0, 1, 2, 3, 4}])
def test_exactly_the_records_that_failed_are_delivered_again_the_first_one_first(
    aws: Cloud, clock: FixedClock, dynamo_store: DynamoTaskStore, monkeypatch: pytest.MonkeyPatch, failing: set[int]
) -> None:
    role = "arn:aws:iam::123456789012:role/any"
    machine = aws.states.create_state_machine(name="run_tool", definition=DEFINITION, roleArn=role)
    environment = {"TABLE_NAME": TABLE, "PAYLOAD_BUCKET": BUCKET, "AWS_DEFAULT_REGION": REGION}
    for name, value in {**environment, "MACHINES": json.dumps({"run_tool": machine["stateMachineArn"]})}.items():
        monkeypatch.setenv(name, value)
    aws_clients.client.cache_clear()
    monkeypatch.setattr(aws_clients, "clock", clock)
    handler = importlib.reload(importlib.import_module("functions.on_task_change.handler")).handler
    tasks = [add(dynamo_store, a_task(state=State.QUEUED, holding=Holding(active=True))) for _ in range(5)]
    records = [each for each in stream(aws) if each["dynamodb"]["Keys"]["SK"]["S"].startswith("task#")]
    assert [each["dynamodb"]["Keys"]["SK"]["S"] for each in records] == [f"task#{each.id}" for each in tasks]
    states, start = aws_clients.client("stepfunctions", aws_clients.NETWORK), aws.states.start_execution

    def start_execution(**request: Any) -> Any:
        if request["name"] in {tasks[number].id for number in failing}:
            raise TimeoutError
        return start(**request)

    monkeypatch.setattr(states, "start_execution", start_execution)
    numbers = [records[number]["dynamodb"]["SequenceNumber"] for number in sorted(failing)]
    if len(failing) < 5:
        assert handler({"Records": records}, None) == {
            "batchItemFailures": [{"itemIdentifier": each} for each in numbers]
        }
    else:
        # Where all fail, Lambda delivers the whole batch again.
        with pytest.raises(BatchProcessingError, match="All records failed"):
            handler({"Records": records}, None)
    aws_clients.client.cache_clear()
    running = aws.states.list_executions(stateMachineArn=machine["stateMachineArn"])["executions"]
    assert {each["name"] for each in running} == {tasks[number].id for number in set(range(5)) - failing}


def test_a_task_that_ended_is_counted_down_once_however_many_end_at_once(dynamo_store: DynamoTaskStore) -> None:
    """A hundred tasks use a hundred places, and when they have ended, none is used."""
    tasks = [add(dynamo_store, a_task(), limit=100) for _ in range(100)]
    for task in tasks:
        finish(dynamo_store, task)

    again = [add(dynamo_store, a_task(), limit=100) for _ in range(100)]
    assert len(again) == 100
