"""Erasure of a tenant's live tasks: each is stopped before anything is deleted, whatever is wrong with others."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks.tasks.model import Task
from mcp_tasks.wiring import Wiring
from tests.cloud import TABLE, Cloud, cloud
from tests.contract.rev_2025_11_25.erased_stage import SUSPENSION, Stage, new_task, stored
from tests.contract.store_actions import add, finish
from tests.dynamodb.client import MemoryDynamo
from tests.kit import ADA, BOB, FixedClock, IdleExecutor


@pytest.fixture
def aws() -> Iterator[Cloud]:
    """AWS on moto, but for the table, which is in memory: as in `test_erasure.py`."""
    with cloud() as found:
        yield replace(found, dynamodb=MemoryDynamo())


def test_the_work_of_a_task_is_stopped_before_anything_of_the_tenant_is_deleted(aws: Cloud, clock: FixedClock) -> None:
    stage = Stage(aws, clock)
    works = stage.fill(ADA)
    stage.suspend_for_a_while()
    before = stored(aws).keys()
    gone: list[str] = []

    class Watched(IdleExecutor):
        def stop(self, task: Task, reason: str) -> None:
            gone.extend(before - stored(aws).keys())
            super().stop(task, reason)

    executor = Watched()
    tasks = Wiring(ports=replace(stage.ports, executor=executor)).tasks()
    replace(stage.data, tasks=tasks).erase(stage.plans)

    assert works.id in executor.stopped
    assert {each.split()[1].partition("#")[0] for each in gone} == {"inbox", "asks", "queue"}, (
        "what a cancellation ends"
    )


def test_a_task_that_ends_meanwhile_keeps_no_other_from_being_cancelled(aws: Cloud, clock: FixedClock) -> None:
    stage = Stage(aws, clock)
    added = [add(stage.store, new_task(), owner_key=ADA.owner_key) for _ in range(3)]
    first, second, third = sorted(added, key=lambda task: task.id)
    stage.suspend_for_a_while()

    class Meanwhile(IdleExecutor):
        def stop(self, task: Task, reason: str) -> None:
            if task.id == first.id:
                finish(stage.store, second, owner_key=ADA.owner_key)
            super().stop(task, reason)

    executor = Meanwhile()
    tasks = Wiring(ports=replace(stage.ports, executor=executor)).tasks()
    erased = replace(stage.data, tasks=tasks).erase(stage.plans)

    assert (sorted(executor.stopped), erased.cancelled) == ([first.id, third.id], 2)


@pytest.mark.parametrize("damage", [{"details": {"S": "{"}}, {"state": {"S": "odd"}}, {"version": {"S": "1"}}])
def test_a_live_task_that_cannot_be_read_is_erased_and_named(aws: Cloud, clock: FixedClock, damage: Any) -> None:
    stage = Stage(aws, clock)
    task = add(stage.store, new_task(), owner_key=BOB.owner_key)
    key = {"PK": {"S": BOB.owner_key}, "SK": {"S": f"task#{task.id}"}}
    aws.dynamodb.put_item(TableName=TABLE, Item={**aws.dynamodb.get_item(TableName=TABLE, Key=key)["Item"], **damage})
    stage.suspend_for_a_while()

    erased = stage.erase()

    assert (erased.failed, erased.cancelled, erased.items["task"]) == ([task.id], 0, 1)
    assert stored(aws).keys() == {SUSPENSION}
