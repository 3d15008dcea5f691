"""A process dies right before or right after each AWS call by which tasks queue and start; then the sweep comes."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from itertools import product
from typing import Any

import pytest

from mcp_tasks.adapters.dynamodb.items import task_of
from mcp_tasks.adapters.dynamodb.task_store import DynamoTaskStore
from mcp_tasks.adapters.s3 import Payloads
from mcp_tasks.tasks.documents import document_of
from mcp_tasks.tasks.errors import IllegalTransition
from mcp_tasks.tasks.model import State, Task
from mcp_tasks.tasks.plan import Plan
from mcp_tasks.tasks.stored_bytes import size_of
from mcp_tasks.tasks.transitions import is_final
from tests.cloud import BUCKET, Cloud, scan
from tests.contract.process import Crash, Fuse, When
from tests.contract.queueing import DONE, Tenant, counted, tenant_on
from tests.kit import ADA
from tests.slow import one_in

ONE = Plan(running_tasks=1, subject_share=1, suspended_tasks=9, stored_bytes=9_999)
MOST_CALLS = 15
"""Of one of the acts below, reads included."""

Act = Callable[[Tenant, list[Task]], object]


def given(tenant: Tenant) -> list[Task]:
    """Return a task that waits for its user, one that runs and one that is queued."""
    asking = tenant.start()
    tenant.ask(asking)
    return [asking, tenant.start(), tenant.start()]


ACTS: dict[str, Act] = {
    "create": lambda tenant, tasks: tenant.start(),
    "answer": lambda tenant, tasks: tenant.answer(tasks[0]),
    "finish": lambda tenant, tasks: tenant.finish(tasks[1]),
    "cancel what runs": lambda tenant, tasks: tenant.cancel(tasks[1]),
    "cancel what is queued": lambda tenant, tasks: tenant.cancel(tasks[2]),
    "ask": lambda tenant, tasks: tenant.ask(tasks[1]),
}


@pytest.fixture
def tenant(dynamo_store: DynamoTaskStore, aws: Cloud) -> Tenant:
    return tenant_on(dynamo_store, dynamo_store.table.clock, ONE)  # type: ignore[arg-type]


def dying(tenant: Tenant, aws: Cloud, fuse: Fuse) -> Tenant:
    """Return another process of the same tenant, which dies by the fuse."""
    assert isinstance(tenant.store, DynamoTaskStore)
    table = replace(tenant.store.table, client=fuse.around(aws.dynamodb))
    store = DynamoTaskStore(table=table, payloads=Payloads(client=lambda: aws.s3, bucket=BUCKET))
    other = tenant_on(store, tenant.clock, ONE)
    return replace(
        other,
        executor=tenant.executor,
        tasks=replace(other.tasks, ports=replace(other.tasks.ports, executor=tenant.executor)),
    )


def stored(aws: Cloud) -> list[Task]:
    return [task_of(item) for item in scan(aws.dynamodb) if item["SK"]["S"].startswith("task#")]


def check(tenant: Tenant, aws: Cloud) -> None:
    """Assert that counters and places are those of the tasks, and that nobody waits beside a free slot."""
    tasks = stored(aws)
    running = [task for task in tasks if task.holding.slot is not None]
    queued = [task for task in tasks if task.holding.queue is not None]
    active = sum(task.holding.active for task in tasks)
    suspended = sum(task.holding.suspended for task in tasks)
    assert counted(scan(aws.dynamodb)) == {
        "running": len(running), "queued": len(queued), "suspended": suspended,
        "using.active": active, "using.running": len(running), "using.queued": len(queued),
        "using.suspended": suspended,
    }  # fmt: skip
    assert suspended == sum(bool(task.input_requests) for task in tasks)
    kept = [int(item["bytes"]["N"]) for item in scan(aws.dynamodb) if item["SK"]["S"].startswith("kept#")]
    results = [task for task in tasks if task.outcome_kind is not None]
    # Of the tenant and of its subject: what is stored with each task, and with those that have a result.
    assert sum(kept) == 2 * (len(tasks) * size_of({}) + len(results) * size_of(document_of(DONE)))
    places = {item["SK"]["S"][-36:] for item in scan(aws.dynamodb) if item["SK"]["S"].startswith("queue#")}
    assert places == {task.id for task in queued}
    assert {task.id for task in queued} == {task.id for task in tasks if task.state is State.QUEUED}
    assert len(running) <= 1
    assert active == sum(not is_final(task) for task in tasks)


def places() -> Iterator[Any]:
    """Yield each act with each place at which it may be cut off; one in five is not slow."""
    for case, marks in one_in(5, product(ACTS, range(MOST_CALLS), ("before", "after"))):
        yield pytest.param(*case, marks=marks)


@pytest.mark.parametrize(("name", "number", "when"), list(places()))
def test_a_crash_loses_neither_a_slot_nor_a_task(
    tenant: Tenant, aws: Cloud, name: str, number: int, when: When
) -> None:
    tasks = given(tenant)
    fuse = Fuse(number=number, when=when)
    try:
        ACTS[name](dying(tenant, aws, fuse), tasks)
    except Crash:
        check(tenant, aws)
    else:
        assert len(fuse.calls) <= MOST_CALLS

    tenant.clock.advance(timedelta(minutes=2))
    tenant.reconciler.sweep(limit=9)

    check(tenant, aws)
    assert len(tenant.running()) == 1 or not [task for task in stored(aws) if task.state is State.QUEUED]
    tenant.clock.advance(timedelta(minutes=2))
    for _ in range(5):
        for task_id in tenant.running():
            assert task_id in tenant.executor.started
            with suppress(IllegalTransition):
                tenant.finish(tenant.tasks.get(ADA, task_id))
    check(tenant, aws)
    assert not [task for task in stored(aws) if task.state is State.QUEUED or task.holding.slot is not None]
