"""A damaged counter is named by all who meet it, and no task fails by it."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError

from mcp_tasks.adapters.dynamodb.items import Item
from mcp_tasks.tasks.errors import DamagedCounter
from mcp_tasks.tasks.model import State, Task
from mcp_tasks.tasks.plan import Plan
from tests.cloud import Cloud, scan
from tests.contract.counted_tenant import (
    TEXT,
    Stage,
    damage,
    in_memory,
    place_of,
    stage_of,
)
from tests.contract.faults import FaultyClient, canceled
from tests.contract.queueing import Tenant, tenant_on
from tests.kit import ADA, BOB, FixedClock
from tests.table_ports import store_of


@pytest.fixture
def aws() -> Iterator[Cloud]:
    with in_memory() as found:
        yield found


@pytest.fixture
def stage(aws: Cloud, clock: FixedClock) -> Stage:
    return stage_of(aws, clock)


@pytest.mark.parametrize("kind", ["using", "quota"])
@pytest.mark.parametrize(
    ("name", "meets"),
    [
        ("active", lambda tenant, tasks: tenant.cancel(tasks[1])),
        ("running", lambda tenant, tasks: tenant.finish(tasks[1])),
        ("suspended", lambda tenant, tasks: tenant.answer(tasks[0])),
        # A new task is counted at any of the counters.
        ("active", lambda tenant, tasks: [tenant.start() for _ in range(64)]),
    ],
    ids=["cancelled", "finished", "answered", "started"],
)
def test_a_damaged_counter_is_named_where_it_is_met(
    stage: Stage, aws: Cloud, kind: str, name: str, meets: Callable[[Tenant, list[Task]], object]
) -> None:
    tenant, tasks = stage
    task = tasks[0] if name == "suspended" else tasks[1]
    partition, place = place_of(task, kind)
    if kind == "quota" and name == "running":
        place = f"quota#{task.holding.slot}"
    damage(aws, (partition, place), **{name: TEXT})

    with pytest.raises(DamagedCounter) as damaged:
        meets(tenant, tasks)

    assert str(damaged.value) == f"item {place} of acme cannot be read: {name} does not fit"
    assert tenant.read(task).version == task.version


def test_a_run_that_meets_a_damaged_counter_is_repeated_and_fails_no_task(
    stage: Stage, aws: Cloud, clock: FixedClock
) -> None:
    tenant, tasks = stage
    host = tenant.host(tasks[1])
    host.sleep(clock.now() + timedelta(minutes=1))
    clock.advance(timedelta(minutes=1))
    damage(aws, ("acme#ada", "using"), running=TEXT)

    with pytest.raises(DamagedCounter):
        host.load()
    assert tenant.read(tasks[1]).state is State.WORKING

    tenant.tasks.ports.backlog.repair_counters(ADA.owner_key)
    host.load()
    # Others have waited for longer.
    assert tenant.read(tasks[1]).state is State.QUEUED


def test_tasks_that_waited_for_a_damaged_counter_start_once_the_sweep_has_repaired_it(
    stage: Stage, aws: Cloud, clock: FixedClock
) -> None:
    tenant, tasks = stage
    (bob,) = tenant.tasks.page(BOB, before=None, limit=1)[0]
    damage(aws, ("acme#ada", "using"), running=TEXT)
    with pytest.raises(DamagedCounter):
        tenant.finish(bob, BOB)
    assert sum(tenant.read(task).state is State.QUEUED for task in tasks) == 2

    clock.advance(timedelta(minutes=2))
    tenant.reconciler.sweep(limit=9)

    assert [tenant.read(task).state for task in tasks[1:]] == [State.WORKING, State.WORKING, State.QUEUED]


@pytest.mark.parametrize(("value", "error"), [(TEXT, DamagedCounter), ({"N": "1"}, ClientError)])
def test_a_counter_is_named_only_if_it_is_the_reason(
    stage: Stage, aws: Cloud, clock: FixedClock, value: Item, error: type[Exception]
) -> None:
    def fault(operation: str, request: Any) -> None:
        if operation == "transact_write_items":
            raise canceled(*["None"] * (len(request["TransactItems"]) - 1), "ValidationError")

    damage(aws, ("acme#ada", "using"), running=value)
    table = store_of(aws, clock).table
    store = replace(store_of(aws, clock), table=replace(table, client=FaultyClient(table.client, fault)))

    with pytest.raises(error):
        tenant_on(store, clock, Plan()).cancel(stage[1][1])


# --- bytes


def test_a_damaged_count_of_bytes_keeps_no_task_from_starting_or_ending(
    aws: Cloud, clock: FixedClock, caplog: pytest.LogCaptureFixture
) -> None:
    tenant = tenant_on(store_of(aws, clock), clock, Plan(stored_bytes=100_000))
    task = tenant.start()
    for place in [(each["PK"]["S"], each["SK"]["S"]) for each in scan(aws.dynamodb)]:
        if place[1].startswith("kept#"):
            damage(aws, place, bytes=TEXT)

    other = tenant.start()
    tenant.finish(task)

    assert [tenant.read(each).state for each in (task, other)] == [State.FINISHED, State.WORKING]
    assert "an outcome may not be counted: item kept#" in caplog.text
    assert "SECRET" not in caplog.text
