"""Tasks beyond what their tenant may run wait for their turn, in memory and on DynamoDB."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest

from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.limits.waits import KEPT
from mcp_tasks.ports.run_host import LoadedRun
from mcp_tasks.ports.store import TaskStore
from mcp_tasks.tasks.errors import TooManyTasks
from mcp_tasks.tasks.model import Holding, State, Task
from mcp_tasks.tasks.plan import Plan
from tests.contract.queueing import DONE, Tenant, tenant_on
from tests.contract.store_actions import at_once
from tests.kit import ADA, BOB, EVE, NOON, FixedClock
from tests.unit.jobs import slow

TWO = Plan(running_tasks=2, subject_share=1)
SHARED = Plan(running_tasks=4)


@pytest.fixture
def under(store: TaskStore, clock: FixedClock) -> Callable[[Plan], Tenant]:
    return lambda plan: tenant_on(store, clock, plan)


@pytest.fixture
def tenant(under: Callable[[Plan], Tenant]) -> Tenant:
    """One whose tasks run two at a time."""
    return under(TWO)


def test_a_task_beyond_the_limit_waits_and_says_so_until_a_slot_is_free(tenant: Tenant) -> None:
    first, second, third, fourth = (tenant.start() for _ in range(4))

    assert tenant.running() == [first.id, second.id]
    assert list(tenant.executor.started) == [first.id, second.id]
    assert third.status_message == "Waiting for its turn: 0 of your tasks come before it."
    assert fourth.status_message == "Waiting for its turn: 1 of your tasks comes before it."
    listed, _ = tenant.tasks.page(ADA, before=None, limit=3)
    assert [task.status_message for task in listed] == [*["Waiting for its turn."] * 2, None]

    tenant.finish(second)

    assert tenant.running() == [first.id, third.id]
    assert list(tenant.executor.started) == [first.id, second.id, third.id]
    assert tenant.read(third).status_message is None
    assert tenant.read(fourth).status_message == third.status_message


def test_a_cancelled_task_gives_back_its_slot_or_its_place(tenant: Tenant) -> None:
    first, second, third, fourth = (tenant.start() for _ in range(4))

    tenant.cancel(third)
    assert tenant.running() == [first.id, second.id]
    tenant.cancel(first)
    assert tenant.running() == [second.id, fourth.id]


def test_a_task_that_asks_or_sleeps_holds_no_slot(tenant: Tenant) -> None:
    asking, sleeping, third, fourth = (tenant.start() for _ in range(4))

    tenant.ask(asking)
    assert tenant.running() == [sleeping.id, third.id]

    before = tenant.read(sleeping)
    tenant.host(sleeping).sleep(NOON + timedelta(hours=1))
    tenant.deliver(before, tenant.read(sleeping))
    assert tenant.running() == [third.id, fourth.id]


def test_an_answered_task_comes_first_of_its_subject_and_is_resumed_in_its_turn(tenant: Tenant) -> None:
    first, second, third, fourth = (tenant.start() for _ in range(4))
    tenant.ask(first)
    assert tenant.running() == [second.id, third.id]

    answered = tenant.answer(first)
    assert answered.state is State.QUEUED
    assert tenant.executor.resumed == []
    tenant.finish(second)

    assert tenant.running() == [first.id, third.id]
    assert tenant.executor.resumed == [f"token of {first.id}"]
    assert fourth.id not in tenant.executor.started


def test_an_answered_task_goes_on_at_once_where_a_slot_is_free(tenant: Tenant) -> None:
    only = tenant.start()
    tenant.ask(only)

    assert tenant.answer(only).state is State.WORKING
    assert tenant.executor.resumed == [f"token of {only.id}"]


def test_a_task_that_wakes_waits_for_a_slot_with_its_token(tenant: Tenant) -> None:
    sleeping, second, third = (tenant.start() for _ in range(3))
    before = tenant.read(sleeping)
    tenant.host(sleeping).sleep(tenant.clock.now() + timedelta(hours=1))
    tenant.deliver(before, tenant.read(sleeping))
    assert tenant.running() == [second.id, third.id]
    tenant.clock.advance(timedelta(hours=1))

    waits = tenant.host(sleeping).load()

    assert waits == sleeping.expires_at - KEPT - tenant.clock.now()
    tenant.suspension.suspend(ADA.owner_key, sleeping.id, "waiting")
    tenant.finish(second)
    assert tenant.running() == [sleeping.id, third.id]
    assert tenant.executor.resumed == ["waiting"]
    assert isinstance(tenant.host(sleeping).load(), LoadedRun)


def test_a_slot_that_comes_before_the_token_resumes_the_task_when_it_is_suspended(tenant: Tenant) -> None:
    sleeping, second, _ = (tenant.start() for _ in range(3))
    before = tenant.read(sleeping)
    tenant.host(sleeping).sleep(tenant.clock.now() + timedelta(hours=1))
    tenant.deliver(before, tenant.read(sleeping))
    tenant.clock.advance(timedelta(hours=1))
    tenant.host(sleeping).load()
    tenant.finish(second)
    assert sleeping.id in tenant.running()
    tenant.executor.resumed.clear()

    tenant.suspension.suspend(ADA.owner_key, sleeping.id, "late")

    assert tenant.executor.resumed == ["late"]


def test_a_queued_task_has_all_of_its_time_when_it_starts(tenant: Tenant) -> None:
    first, _, third = (tenant.start() for _ in range(3))
    assert tenant.read(third).due_at == third.expires_at - KEPT
    tenant.clock.advance(timedelta(hours=1))
    tenant.finish(first)

    assert tenant.read(third).due_at == tenant.clock.now() + third.timeout


def test_newcomers_do_not_overtake_the_queue(tenant: Tenant) -> None:
    first, second, third = (tenant.start() for _ in range(3))
    # The record of it has not been delivered yet.
    tenant.tasks.finish(ADA.owner_key, first.id, DONE)

    tenant.start()

    assert tenant.running() == [second.id, third.id]


def test_a_subject_runs_its_share_and_no_more_and_its_colleague_the_rest(under: Callable[[Plan], Tenant]) -> None:
    tenant = under(SHARED)
    of_ada = [tenant.start() for _ in range(6)]
    of_bob = [tenant.start(BOB) for _ in range(6)]

    assert tenant.running() == [task.id for task in of_ada[:2]]
    assert tenant.running(BOB) == [task.id for task in of_bob[:2]]

    tenant.finish(of_ada[0])
    assert tenant.running() == [task.id for task in of_ada[1:3]]


def test_subjects_take_turns(under: Callable[[Plan], Tenant]) -> None:
    tenant = under(Plan(running_tasks=1, subject_share=1))
    running = tenant.start()
    waiting = {ADA: [tenant.start() for _ in range(3)], BOB: [tenant.start(BOB) for _ in range(3)]}
    served = []
    caller = ADA
    for _ in range(6):
        tenant.finish(running, caller)
        (found,) = tenant.running(ADA, BOB)
        caller = ADA if found in [task.id for task in waiting[ADA]] else BOB
        running = waiting[caller].pop(0)
        assert running.id == found
        served.append(caller)

    assert [served.count(ADA), served.count(BOB)] == [3, 3]
    assert all(first is not second for first, second in pairwise(served))


def test_tenants_do_not_wait_for_each_other(tenant: Tenant) -> None:
    for _ in range(5):
        tenant.start()

    assert tenant.start(EVE).state is State.WORKING


def test_a_subject_may_have_its_share_of_active_tasks_and_is_told_so(under: Callable[[Plan], Tenant]) -> None:
    tenant = under(Plan(active_tasks=4, running_tasks=1))
    tenant.start()
    waiting = tenant.start()

    with pytest.raises(TooManyTasks, match="this subject may run 2 tasks"):
        tenant.start()
    tenant.start(BOB)
    tenant.cancel(waiting)
    tenant.start()


def test_a_task_with_a_state_machine_of_its_own_needs_no_slot(tenant: Tenant) -> None:
    started = [tenant.start(tool=slow) for _ in range(5)]

    assert [task.state for task in started] == [State.WORKING] * 5
    assert len(tenant.executor.started) == 5


def test_a_raised_limit_lets_more_run_and_a_lowered_one_lets_them_end(tenant: Tenant) -> None:
    tasks = [tenant.start() for _ in range(8)]
    more = tenant.under(replace(TWO, running_tasks=5))

    more.finish(tasks[0])
    assert more.running() == [task.id for task in tasks[1:6]]
    tenant.finish(tasks[1])
    assert tenant.running() == [task.id for task in tasks[2:6]]


def test_threads_that_race_for_slots_get_exactly_these(tenant: Tenant) -> None:
    assert at_once(*[tenant.start] * 8) == []
    tenant.tasks.start_queued(ADA.tenant)

    assert len(tenant.running()) == 2

    queued = 6
    while queued:
        at_once(
            *[lambda task_id=task_id: tenant.tasks.finish(ADA.owner_key, task_id, DONE) for task_id in tenant.running()]
        )
        at_once(*[lambda: tenant.tasks.start_queued(ADA.tenant)] * 3)
        queued -= 2
        assert len(tenant.running()) == 2


def test_the_sweep_starts_what_waits_beside_a_free_slot(tenant: Tenant) -> None:
    first, second, third = (tenant.start() for _ in range(3))
    tenant.tasks.finish(ADA.owner_key, first.id, DONE)
    tenant.clock.advance(timedelta(minutes=2))

    tenant.reconciler.sweep(limit=9)

    assert tenant.running() == [second.id, third.id]
    assert third.id in tenant.executor.started


def test_the_stream_starts_the_execution_of_a_task_whose_turn_came(tenant: Tenant) -> None:
    first, _, third = (tenant.start() for _ in range(3))
    queued = tenant.store.read(ADA.owner_key, third.id)
    tenant.executor.down = True
    tenant.tasks.finish(ADA.owner_key, first.id, DONE)
    tenant.tasks.start_queued(ADA.tenant)
    assert third.id not in tenant.executor.started
    tenant.executor.down = False

    for _ in range(2):
        tenant.deliver(queued, tenant.store.read(ADA.owner_key, third.id))

    assert third.id in tenant.executor.started


def test_a_deleted_task_gives_back_its_slot_or_its_place_once(tenant: Tenant) -> None:
    first, second, third, fourth = (tenant.start() for _ in range(4))
    gone = [tenant.store.read(ADA.owner_key, task.id) for task in (first, third)]
    if isinstance(tenant.store, MemoryTaskStore):
        for task in gone:
            tenant.store._records.drop(ADA.owner_key, task.id)
    else:
        remove(tenant, *gone)

    for _ in range(3):
        for task in gone:
            tenant.deliver(task, None)

    assert tenant.running() == [second.id, fourth.id]


def remove(tenant: Tenant, *tasks: Task) -> None:
    for task in tasks:
        key = {"PK": {"S": ADA.owner_key}, "SK": {"S": f"task#{task.id}"}}
        tenant.store.table.delete(Key=key)  # type: ignore[attr-defined]


def test_a_task_that_release_0_3_0_created_gets_a_slot_when_it_runs(tenant: Tenant) -> None:
    made = tenant.start()
    old = replace(made, id="0" * 36, holding=Holding(), started_at=None, status_message=None)
    tenant.store.create(ADA.owner_key, old, {}, key=None, plan=TWO)
    tenant.start()

    assert isinstance(tenant.host(old).load(), type(KEPT))
    tenant.finish(made)

    assert isinstance(tenant.host(old).load(), LoadedRun)
    tenant.finish(old)
