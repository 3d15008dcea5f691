"""A task is started only if its arguments fit beside what its tenant keeps, in memory and on DynamoDB."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from mcp_tasks.limits.waits import KEPT_WINDOW
from mcp_tasks.ports.store import TaskStore
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.documents import document_of
from mcp_tasks.tasks.errors import ArgumentsTooLarge, LimitReached, UnreadableItem
from mcp_tasks.tasks.model import State
from mcp_tasks.tasks.plan import Plan
from mcp_tasks.tasks.stored_bytes import size_of
from tests.cloud import Cloud, scan
from tests.contract.queueing import DONE, Tenant, tenant_on
from tests.contract.store_actions import at_once
from tests.kit import ADA, BOB, EVE, FixedClock
from tests.unit.jobs import job

HUNDRED = "x" * (100 - size_of({"name": ""}))
"""An argument that makes a hundred bytes of a call's."""

THREE = Plan(stored_bytes=300, subject_share=1)


@pytest.fixture
def under(store: TaskStore, clock: FixedClock) -> Callable[[Plan], Tenant]:
    return lambda plan: tenant_on(store, clock, plan)


def refused(tenant: Tenant, caller: Caller = ADA) -> LimitReached:
    with pytest.raises(LimitReached) as refusal:
        tenant.start(caller, name=HUNDRED)
    assert refusal.value.reason == "stored_bytes"
    return refusal.value


def test_what_does_not_fit_is_refused_until_what_is_kept_has_expired(under: Callable[[Plan], Tenant]) -> None:
    tenant = under(THREE)
    first = tenant.start(name=HUNDRED)
    tenant.start(BOB, name=HUNDRED)
    tenant.start(name="x")

    refusal = refused(tenant)
    room_again = tenant.clock.now() + refusal.retry_after

    assert (refusal.limit, refusal.remaining) == (300, 100 - size_of({"name": "x"}))
    assert str(refusal) == "of this tenant, 300 bytes of arguments and results may be kept"
    assert refused(tenant, BOB).remaining == refusal.remaining
    assert tenant.start(EVE, name=HUNDRED).state is State.WORKING
    assert first.expires_at <= room_again <= first.expires_at + KEPT_WINDOW
    tenant.clock.advance(room_again - tenant.clock.now())
    assert tenant.start(name=HUNDRED).state is State.WORKING


def test_a_result_is_kept_as_well_and_is_never_refused(under: Callable[[Plan], Tenant]) -> None:
    tenant = under(THREE)
    tasks = [tenant.start(name=HUNDRED) for _ in range(2)]
    for task in tasks:
        tenant.finish(task)

    assert tenant.read(tasks[1]).state is State.FINISHED
    assert refused(tenant).remaining == max(0, 100 - 2 * size_of(document_of(DONE)))


class Damaged:
    """The plans of tenants whose items cannot be read."""

    def of(self, tenant: str) -> Plan:
        raise UnreadableItem("plan#current", "is damaged")


def test_a_task_ends_though_the_plan_of_its_tenant_cannot_be_read(
    under: Callable[[Plan], Tenant], caplog: pytest.LogCaptureFixture
) -> None:
    tenant = under(THREE)
    task = tenant.start(name=HUNDRED)
    damaged = replace(tenant.tasks, ports=replace(tenant.tasks.ports, plans=Damaged()))

    assert damaged.finish(ADA.owner_key, task.id, DONE).state is State.FINISHED
    assert [vars(record).get("fallback") for record in caplog.records] == ["unreadable_item"]


def test_what_one_subject_keeps_takes_no_more_than_its_share(under: Callable[[Plan], Tenant]) -> None:
    tenant = under(Plan(stored_bytes=400))
    for _ in range(2):
        tenant.start(name=HUNDRED)

    assert (refused(tenant).limit, refused(tenant).remaining) == (200, 0)
    assert tenant.start(BOB, name=HUNDRED).state is State.WORKING


def test_what_would_never_fit_is_refused_as_too_large(under: Callable[[Plan], Tenant]) -> None:
    with pytest.raises(ArgumentsTooLarge):
        under(Plan(stored_bytes=99, subject_share=1)).start(name=HUNDRED)


def test_a_repeated_call_is_answered_with_its_task_and_counted_once(under: Callable[[Plan], Tenant]) -> None:
    tenant = under(THREE)
    task = tenant.tasks.start(ADA, job, {"name": HUNDRED}, key="order 66")
    tenant.start(name=HUNDRED)
    assert tenant.tasks.start(ADA, job, {"name": HUNDRED}, key="order 66").id == task.id
    tenant.start(name=HUNDRED)

    assert refused(tenant).remaining == 0
    assert tenant.tasks.start(ADA, job, {"name": HUNDRED}, key="order 66").id == task.id


def test_of_calls_at_once_exactly_those_that_fit_are_started(under: Callable[[Plan], Tenant]) -> None:
    tenant = under(THREE)
    started, refusals = list[str](), list[str]()

    def start() -> None:
        try:
            started.append(tenant.tasks.start(ADA, job, {"name": HUNDRED}).id)
        except LimitReached as refusal:
            refusals.append(refusal.reason)

    at_once(*[start] * 8)

    assert (len(started), refusals) == (3, ["stored_bytes"] * 5)


def test_nothing_is_counted_where_a_plan_does_not_limit_it_and_all_goes_once_it_has_expired(
    dynamo_store: TaskStore, clock: FixedClock, aws: Cloud
) -> None:
    tenant = tenant_on(dynamo_store, clock, Plan())
    tenant.finish(tenant.start(name=HUNDRED))
    assert [item for item in scan(aws.dynamodb) if "kept#" in item["SK"]["S"]] == []

    task = tenant.under(THREE).start(name=HUNDRED)
    kept = [item for item in scan(aws.dynamodb) if "kept#" in item["SK"]["S"]]
    assert {item["PK"]["S"]: item["bytes"]["N"] for item in kept} == {"acme": "100", "acme#ada": "100"}
    ends = {float(item["goneAt"]["N"]) - task.expires_at.timestamp() for item in kept}
    assert all(0 <= each <= timedelta(hours=1).total_seconds() for each in ends)
