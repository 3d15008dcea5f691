"""The counters on DynamoDB equal the number of live tasks, whatever happens to either."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from mcp_tasks.adapters.dynamodb.counters import counter_key, from_home, read_counters
from mcp_tasks.adapters.dynamodb.items import count_in, expiry_attributes, primary_key
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.tasks.errors import TooManyTasks
from mcp_tasks.tasks.events import Progressed
from mcp_tasks.tasks.model import Progress, State
from mcp_tasks.tasks.transitions import advance
from tests.cloud import TABLE, Cloud, scan
from tests.contract.dynamo_store_actions import active, add, cancel
from tests.contract.faults import with_faults
from tests.contract.store_actions import SAME
from tests.kit import ADA, EVE, NOON, a_task, plan_of


def test_the_counters_are_the_number_of_live_tasks(dynamo_store: DynamoTaskStore, aws: Cloud) -> None:
    tasks = [add(dynamo_store, plan=plan_of(6)) for _ in range(6)]
    for left, task in zip(range(5, -1, -1), tasks, strict=True):
        cancel(dynamo_store, task)
        assert active(aws) == left


def test_progress_counts_nothing(dynamo_store: DynamoTaskStore, aws: Cloud) -> None:
    task = add(dynamo_store)
    after = replace(advance(task, Progressed(progress=Progress(progress=1)), now=NOON), version=2)
    dynamo_store.write(ADA.owner_key, task, after)

    assert active(aws) == 1


def test_a_rejected_task_leaves_nothing_but_its_arguments_which_expire_when_it_would_have(
    dynamo_store: DynamoTaskStore, aws: Cloud
) -> None:
    add(dynamo_store, plan=plan_of(1))
    before, rejected = scan(aws.dynamodb), a_task()

    with pytest.raises(TooManyTasks):
        add(dynamo_store, rejected, plan=plan_of(1), key=SAME)

    (left,) = (item for item in scan(aws.dynamodb) if item not in before)
    key = primary_key(ADA.owner_key, "args", rejected.id)
    assert left == {**key, **expiry_attributes(rejected.expires_at), "json": {"S": "{}"}, "schema": {"N": "2"}}


def test_a_damaged_counter_does_not_keep_a_task_from_ending(dynamo_store: DynamoTaskStore, aws: Cloud) -> None:
    task = add(dynamo_store)
    for counter in range(4):
        aws.dynamodb.delete_item(TableName=TABLE, Key=primary_key(ADA.tenant, "quota", counter))

    cancelled = cancel(dynamo_store, task)

    assert dynamo_store.read(ADA.owner_key, task.id) == cancelled
    assert active(aws) == 0


@pytest.mark.parametrize(
    ("damaged", "left"),
    [((-1, 1, 0, 0), [-1, 0, 0, 0]), ((-1, -1, -1, -1), [-1, -1, -1, -1])],
    ids=["another is not", "nor is another"],
)
def test_a_counter_below_zero_does_not_either(
    dynamo_store: DynamoTaskStore, aws: Cloud, damaged: Sequence[int], left: Sequence[int]
) -> None:
    task = add(dynamo_store)
    at, written = from_home(task.id), list[str]()
    for counter, count in zip(at, damaged, strict=True):
        item = counter_key(ADA.tenant, counter) | expiry_attributes(task.expires_at) | {"active": {"N": str(count)}}
        dynamo_store.table.put(item)

    def give_up(operation: str, request: object) -> None:
        written.append(operation)
        assert len(written) < 20

    cancel(with_faults(dynamo_store, give_up), task)

    assert dynamo_store.read(ADA.owner_key, task.id).state is State.CANCELLED
    stored = read_counters(dynamo_store.table, ADA.tenant)
    assert [count_in(stored[counter], "active") for counter in at] == left


def test_a_deleted_task_is_released_once_even_if_nothing_is_counted(dynamo_store: DynamoTaskStore, aws: Cloud) -> None:
    dynamo_store.release(ADA.owner_key, a_task().id)
    add(dynamo_store)
    gone = a_task()
    dynamo_store.release(ADA.owner_key, gone.id)
    dynamo_store.release(ADA.owner_key, gone.id)

    assert active(aws) == 0


def test_a_release_touches_no_other_tenant(dynamo_store: DynamoTaskStore, aws: Cloud) -> None:
    add(dynamo_store)
    dynamo_store.release(EVE.owner_key, a_task().id)

    assert active(aws) == 1
