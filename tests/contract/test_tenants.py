"""The contract of `Tenants`: who has had a task, and what the tasks of each use, in memory and on DynamoDB."""

from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks import Caller
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.adapters.dynamodb.tenants import DynamoTenants
from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.adapters.memory.tenants import MemoryTenants
from mcp_tasks.ports.store import TaskStore
from mcp_tasks.ports.tenants import Tenants, TenantUse
from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.events import CancelRequested
from mcp_tasks.tasks.model import Holding, State
from mcp_tasks.tasks.plan import Plan
from tests.cloud import Cloud, scan
from tests.contract.store_actions import COLOUR, add, finish, move, suspend
from tests.kit import ADA, EVE, FixedClock, a_task

PLAN = Plan(active_tasks=9, running_tasks=2, subject_share=1)
ODD = Caller(tenant="!tenants", subject="tenant#acme")


@pytest.fixture
def tenants(store: TaskStore) -> Tenants:
    """The tenants of `store`."""
    match store:
        case MemoryTaskStore():
            return MemoryTenants(store)
        case DynamoTaskStore(table=table):
            return DynamoTenants(table)
        case _:
            raise TypeError(store)


def begin(store: TaskStore, tenants: Tenants, owner: Caller = ADA, **fields: Any) -> Any:
    """Store a task, and see its tenant as the table's stream does."""
    task = a_task(state=State.QUEUED, holding=Holding(active=True), **fields)
    task = store.create(owner.owner_key, task, {}, key=None, plan=PLAN)
    tenants.seen(tenant_of(owner.owner_key))
    return task


def test_who_has_had_a_task_is_known_once_in_order(store: TaskStore, tenants: Tenants) -> None:
    assert tenants.page(after="", limit=9) == []

    for owner in (EVE, ADA, ADA, ODD):
        begin(store, tenants, owner)

    names = [tenant_of(each.owner_key) for each in (ODD, ADA, EVE)]
    assert names == ["%21tenants", "acme", "rival"]
    assert tenants.page(after="", limit=9) == names
    assert tenants.page(after="", limit=2) == names[:2]
    assert tenants.page(after="acme", limit=2) == ["rival"]
    assert tenants.page(after="rival", limit=2) == []


def test_use_is_that_of_one_tenants_tasks(store: TaskStore, tenants: Tenants) -> None:
    assert tenants.use("acme") == TenantUse(0, 0, 0, 0)

    first, second, _ = (begin(store, tenants) for _ in range(3))
    begin(store, tenants, EVE)
    assert tenants.use("acme") == TenantUse(active=3, running=2, queued=1, suspended=0)
    finish(store, first)
    suspend(store, second, COLOUR)

    assert tenants.use("acme") == TenantUse(active=2, running=0, queued=1, suspended=1)
    assert tenants.use("rival") == TenantUse(active=1, running=1, queued=0, suspended=0)
    assert tenants.use("acm") == TenantUse(0, 0, 0, 0)


def test_a_tenant_is_known_when_its_tasks_have_ended(store: TaskStore, tenants: Tenants) -> None:
    task = begin(store, tenants)

    move(store, task, CancelRequested(status_message="no"))

    assert tenants.page(after="", limit=9) == ["acme"]
    assert tenants.use("acme").active == 0


def test_a_process_writes_that_there_is_a_tenant_once_a_day(
    dynamo_store: DynamoTaskStore, aws: Cloud, clock: FixedClock
) -> None:
    tenants = DynamoTenants(dynamo_store.table)
    for _ in range(3):
        tenants.seen("acme")
    (first,) = scan(aws.dynamodb)
    clock.advance(timedelta(days=1))

    tenants.seen("acme")

    (second,) = scan(aws.dynamodb)
    assert first["PK"] == {"S": "!tenants"}
    assert first.keys() == {"PK", "SK", "expiresAt", "goneAt"}
    assert float(second["goneAt"]["N"]) - float(first["goneAt"]["N"]) == timedelta(days=1).total_seconds()


def test_a_tenant_is_forgotten_for_good(dynamo_store: DynamoTaskStore) -> None:
    tenants = DynamoTenants(dynamo_store.table)
    for each in ("acme", "rival"):
        tenants.seen(each)

    tenants.forget("acme")
    tenants.forget("never there")

    assert tenants.page(after="", limit=9) == ["rival"]


@pytest.mark.parametrize("owner", [ODD, Caller(tenant="!tenants#tenant#acme", subject="!")])
def test_nobody_can_be_named_so_that_its_items_are_in_the_list(
    dynamo_store: DynamoTaskStore, aws: Cloud, owner: Caller
) -> None:
    add(dynamo_store, a_task(), owner_key=owner.owner_key)

    assert {each["PK"]["S"] for each in scan(aws.dynamodb)}.isdisjoint({"!tenants"})
    assert DynamoTenants(dynamo_store.table).page(after="", limit=9) == []
