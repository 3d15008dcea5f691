"""A damaged counter is repaired from what the tasks hold, and a wrong one where an operator asks for that."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.adapters.dynamodb.items import Item
from mcp_tasks.adapters.dynamodb.recount import Recount
from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.tasks.model import State
from mcp_tasks.tasks.plan import Plan
from tests.cloud import Cloud
from tests.contract.counted_tenant import (
    COUNTED,
    DAMAGES,
    NUMBERS,
    TEXT,
    Stage,
    counted,
    damage,
    in_memory,
    place_of,
    stage_of,
)
from tests.contract.faults import FaultyClient
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


def repair(tenant: Tenant) -> bool:
    """Repair what is damaged, as the sweep does."""
    return tenant.tasks.ports.backlog.repair_counters(ADA.owner_key)


def recount(table: Table) -> bool:
    """Repair what is wrong, as an operator does."""
    return Recount(table=table).repair(ADA.tenant, lambda: [ADA.owner_key, BOB.owner_key])


def table_of(aws: Cloud, clock: FixedClock) -> Table:
    return store_of(aws, clock).table


def test_these_are_the_counters_of_the_stage(stage: Stage, aws: Cloud) -> None:
    assert counted(aws) == COUNTED
    assert not repair(stage[0])
    assert counted(aws) == COUNTED


@pytest.mark.parametrize("value", DAMAGES, ids=str)
@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("kind", ["using", "quota"])
def test_a_damaged_number_becomes_what_the_tasks_hold(
    stage: Stage, aws: Cloud, kind: str, name: str, value: Item, caplog: pytest.LogCaptureFixture
) -> None:
    tenant, tasks = stage
    place = place_of(tasks[1], kind)
    damage(aws, place, **{name: value})

    assert repair(tenant)

    assert counted(aws) == COUNTED
    assert not repair(tenant)
    logged = [vars(each) for each in caplog.records if vars(each).get("fallback") == "counter_recounted"]
    assert (place[1], "acme") in {(each["counter"], each["tenant"]) for each in logged}
    assert "SECRET" not in caplog.text
    for task in tasks:
        tenant.cancel(task)
    assert counted(aws)["acme#ada", "using"] == dict.fromkeys(NUMBERS, 0)


@pytest.mark.parametrize("value", [TEXT, None])
@pytest.mark.parametrize("kind", ["using", "quota"])
def test_a_counter_whose_expiry_is_damaged_is_repaired(stage: Stage, aws: Cloud, kind: str, value: Item | None) -> None:
    tenant, tasks = stage
    damage(aws, place_of(tasks[1], kind), goneAt=value)

    assert repair(tenant)
    assert counted(aws) == COUNTED
    assert not repair(tenant)


def test_the_counters_of_all_subjects_are_repaired_with_their_tenants(stage: Stage, aws: Cloud) -> None:
    tenant, tasks = stage
    damage(aws, ("acme#bob", "using"), running=TEXT)
    damage(aws, place_of(tasks[1], "quota"), running=TEXT)

    assert repair(tenant)
    assert counted(aws) == COUNTED


def test_the_counters_of_another_tenant_are_left_alone(stage: Stage, aws: Cloud, clock: FixedClock) -> None:
    damage(aws, ("rival#eve", "using"), running={"N": "7"})

    assert not repair(stage[0])
    assert recount(table_of(aws, clock))
    assert counted(aws)["rival#eve", "using"]["running"] == 7


def test_a_task_that_cannot_be_read_is_counted_by_what_it_holds(stage: Stage, aws: Cloud) -> None:
    tenant, tasks = stage
    damage(aws, ("acme#ada", f"task#{tasks[1].id}"), details=TEXT, request=TEXT)
    damage(aws, ("acme#ada", "using"), running=TEXT)

    assert repair(tenant)
    assert counted(aws) == COUNTED


def test_a_damaged_note_of_whose_turn_it_was_stops_no_queue(stage: Stage, aws: Cloud) -> None:
    tenant, tasks = stage
    for counter in range(4):
        with suppress(ValueError):
            damage(aws, ("acme", f"quota#{counter}"), served={"N": "7"})

    tenant.finish(tasks[1])
    assert sum(tenant.read(task).state is State.WORKING for task in tasks[2:]) == 1


@pytest.mark.parametrize("value", ["-3", "1000000000", "9" * 38])
@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_that_is_only_wrong_is_repaired_by_an_operator(
    stage: Stage, aws: Cloud, clock: FixedClock, name: str, value: str
) -> None:
    _, tasks = stage
    for kind in ("using", "quota"):
        damage(aws, place_of(tasks[1], kind), **{name: {"N": value}})

    assert recount(table_of(aws, clock))
    assert counted(aws) == COUNTED


def test_an_operator_repairs_the_counters_of_a_tenant_without_tasks(aws: Cloud, clock: FixedClock) -> None:
    tenant = tenant_on(store_of(aws, clock), clock, Plan())
    task = tenant.start()
    tenant.cancel(task)
    for kind in ("using", "quota"):
        damage(aws, place_of(task, kind), active=TEXT)

    assert recount(table_of(aws, clock))

    assert counted(aws) == {(place, kind): dict.fromkeys(NUMBERS, 0) for place, kind in counted(aws)}
    tenant.start()
    assert counted(aws)["acme#ada", "using"] == {"active": 1, "running": 1, "queued": 0, "suspended": 0}


# --- while tasks start


def meanwhile(table: Table, clock: FixedClock, happens: Iterator[object]) -> Table:
    """Return the table, before each of whose writes the next of these things happens."""

    def fault(operation: str, request: Any) -> None:
        if operation == "transact_write_items":
            clock.advance(timedelta(milliseconds=1))
            next(happens, None)

    return replace(table, client=FaultyClient(table.client, fault))


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_that_were_counted_meanwhile_are_not_overwritten(
    stage: Stage, aws: Cloud, clock: FixedClock, name: str
) -> None:
    tenant, tasks = stage
    for kind in ("using", "quota"):
        damage(aws, place_of(tasks[1], kind), **{name: {"N": "7"}})

    assert recount(meanwhile(table_of(aws, clock), clock, (tenant.start() for _ in range(2))))

    assert counted(aws)["acme#ada", "using"] == {"active": 6, "running": 1, "queued": 4, "suspended": 1}
    assert counted(aws)["acme", "quota"] == {"active": 7, "running": 2, "queued": 4, "suspended": 1}


def test_a_counter_that_is_written_all_the_time_is_left_as_it_is(stage: Stage, aws: Cloud, clock: FixedClock) -> None:
    tenant, _ = stage
    damage(aws, ("acme#ada", "using"), queued={"N": "7"})

    assert not recount(meanwhile(table_of(aws, clock), clock, (tenant.start() for _ in range(20))))

    assert counted(aws)["acme#ada", "using"]["queued"] > 7
    assert recount(table_of(aws, clock))
    assert counted(aws)["acme#ada", "using"]["queued"] == counted(aws)["acme", "quota"]["queued"]
