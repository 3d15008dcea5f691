"""While as many tasks wait for input as a plan allows, none is started, in memory and on DynamoDB."""

from collections.abc import Callable

import pytest

from mcp_tasks.engine.lifecycle import InitialState
from mcp_tasks.ports.store import TaskStore
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import TooManyWait
from mcp_tasks.tasks.model import State
from mcp_tasks.tasks.plan import Plan
from tests.contract.queueing import Tenant, tenant_on
from tests.kit import ADA, BOB, EVE, FixedClock
from tests.unit.jobs import COLOUR, job

TWO = Plan(suspended_tasks=2, subject_share=1)


@pytest.fixture
def under(store: TaskStore, clock: FixedClock) -> Callable[[Plan], Tenant]:
    return lambda plan: tenant_on(store, clock, plan)


def refused(tenant: Tenant, caller: Caller = ADA) -> str:
    with pytest.raises(TooManyWait) as refusal:
        tenant.start(caller)
    assert (refusal.value.reason, refusal.value.remaining) == ("suspended_tasks", 0)
    return str(refusal.value)


def test_no_task_is_started_until_one_of_those_that_wait_is_answered(under: Callable[[Plan], Tenant]) -> None:
    tenant = under(TWO)
    first, second = tenant.start(), tenant.start()
    tenant.ask(first)
    third = tenant.start()
    tenant.ask(second)

    assert refused(tenant) == refused(tenant, BOB) == "of this tenant, 2 tasks may wait for input at a time"
    assert tenant.start(EVE).state is State.WORKING

    tenant.answer(first)

    assert tenant.start().state is State.WORKING
    assert tenant.read(third).state is State.WORKING


def test_a_task_that_runs_may_ask_all_the_same_and_is_not_lost(under: Callable[[Plan], Tenant]) -> None:
    tenant = under(TWO)
    tasks = [tenant.start() for _ in range(3)]
    for task in tasks:
        tenant.ask(task)

    assert {tenant.read(task).state for task in tasks} == {State.INPUT_REQUIRED}
    tenant.cancel(tasks[0])
    refused(tenant)
    tenant.cancel(tasks[1])
    assert tenant.start().state is State.WORKING


def test_what_one_subject_leaves_unanswered_does_not_stop_its_colleagues(under: Callable[[Plan], Tenant]) -> None:
    tenant = under(Plan(suspended_tasks=2))
    tenant.ask(tenant.start())

    assert refused(tenant) == "of this subject, 1 tasks may wait for input at a time"
    assert tenant.start(BOB).state is State.WORKING


def test_a_call_that_asks_at_once_is_counted_as_well(under: Callable[[Plan], Tenant]) -> None:
    tenant = under(Plan(suspended_tasks=1))
    asks = InitialState(requested=(COLOUR.key,), input_requests=(COLOUR,))
    tenant.tasks.start(ADA, job, {}, initial_state=asks)

    refused(tenant)


def test_a_repeated_call_is_answered_with_its_task_and_not_refused(under: Callable[[Plan], Tenant]) -> None:
    tenant = under(Plan(suspended_tasks=1))
    task = tenant.tasks.start(ADA, job, {}, key="order 66")
    tenant.ask(task)

    assert tenant.tasks.start(ADA, job, {}, key="order 66").id == task.id
    refused(tenant)


def test_a_plan_that_changes_finds_all_that_wait_counted(under: Callable[[Plan], Tenant]) -> None:
    tenant = under(Plan())
    tenant.ask(tenant.start())

    refused(tenant.under(Plan(suspended_tasks=1)))
