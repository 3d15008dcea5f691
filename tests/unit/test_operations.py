"""Operations on one task: each is of the owner and the task that it is told, and a side effect that fails is left."""

from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks import Caller
from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.engine.suspension import Suspension
from mcp_tasks.limits.waits import MAX_STARTED_AT_ONCE, MAX_WRITE_ATTEMPTS
from mcp_tasks.ports.waiter import Waker
from mcp_tasks.security.credentials import Credentials
from mcp_tasks.tasks.errors import StaleTask
from mcp_tasks.tasks.events import Finished, SleepStarted, SlotNeeded
from mcp_tasks.tasks.hashing import hashed
from mcp_tasks.tasks.model import RunLease, State, Task
from tests.kit import ADA, BOB, EVE, NOON, FixedClock, IdleExecutor, plan_of
from tests.unit.jobs import COLOUR, DONE, MINUTE, RED, job, progress, service
from tests.unit.one_task import one_task, suspended
from tests.unit.tenant_plans import PlansOfTwo, fallbacks, with_ports


class AccessByName:
    """Gives credentials that say of whom they are."""

    def credentials(self, caller: Caller) -> Credentials:
        return Credentials(access_key=caller.tenant, secret_key=caller.subject, session_token=None)


def test_a_sleep_lasts_as_long_as_it_is_told() -> None:
    tasks = service()

    tasks.sleep(7 * MINUTE)

    assert tasks.now() == NOON + 7 * MINUTE


def test_what_a_step_recorded_is_found_by_its_owner_its_task_and_its_name() -> None:
    tasks = service()
    task, other = tasks.start(ADA, job, {}), tasks.start(ADA, job, {})
    tasks.record_step(ADA.owner_key, task, "load", 7)
    tasks.record_step(ADA.owner_key, task, "save", None)

    def known(owner: Caller, of: Task) -> tuple[object, ...]:
        steps = dict(tasks.recorded_steps(owner.owner_key, of.id))
        return steps, len(tasks.step_names(owner.owner_key, of.id)), tasks.recorded_step(owner.owner_key, of.id, "load")

    assert known(ADA, task) == ({hashed("load"): 7, hashed("save"): None}, 2, (7,))
    assert tasks.recorded_step(ADA.owner_key, task.id, "save") == (None,)
    assert known(ADA, other) == known(BOB, task) == ({}, 0, None)


def test_a_response_is_found_by_its_owner_its_task_and_its_key() -> None:
    made = suspended(COLOUR)
    made.answer(colour=RED)
    find, task_id = made.tasks.response, made.task.id

    assert find(ADA.owner_key, task_id, "colour") == RED
    assert find(BOB.owner_key, task_id, "colour") is None
    assert find(ADA.owner_key, "another", "colour") is None
    assert find(ADA.owner_key, task_id, "size") is None


def test_an_execution_is_started_for_the_owner_of_its_task() -> None:
    worked: list[tuple[str, str]] = []
    tasks = service(executor=IdleExecutor(run=lambda *of: worked.append(of)))

    task = tasks.start(EVE, job, {})

    assert worked == [(EVE.owner_key, task.id)]


def test_a_lease_is_the_one_that_was_asked_for() -> None:
    tasks = service()
    task = tasks.start(ADA, job, {})
    lease = RunLease("run", 1, NOON + MINUTE)

    assert tasks.lease(ADA.owner_key, task, lease)
    assert tasks.read(ADA.owner_key, task.id).lease == lease
    assert not tasks.lease(ADA.owner_key, task, RunLease("another", 1, NOON + MINUTE))


def test_credentials_are_those_of_the_owner_and_none_where_tenants_are_granted_nothing() -> None:
    tasks = service()

    granted = with_ports(tasks, tenant_access=AccessByName()).tenant_credentials(EVE.owner_key)

    assert granted == Credentials(access_key="rival", secret_key="eve", session_token=None)
    assert with_ports(tasks, tenant_access=None).tenant_credentials(EVE.owner_key) is None


def test_a_change_is_published_to_the_tenant_at_its_address() -> None:
    tasks = service()

    tasks.publish(ADA.owner_key, "report://1")

    versions = [tasks.ports.change_feed.version(each.owner_key, "report://1") for each in (ADA, BOB, EVE)]
    assert versions == [1, 1, 0]


# --- starting


def test_work_that_gets_its_slot_is_started_with_its_arguments() -> None:
    executor = IdleExecutor()
    tasks = service(executor=executor, plan=plan_of(9))
    tasks = with_ports(tasks, plans=PlansOfTwo({"acme": replace(plan_of(9), running_tasks=0)}))
    task = tasks.start(ADA, job, {"name": "x"})
    assert (task.state, executor.starts) == (State.QUEUED, [])

    with_ports(tasks, plans=PlansOfTwo({"acme": plan_of(9)})).start_queued("acme")

    assert executor.started == {task.id: {"name": "x"}}
    assert tasks.read(ADA.owner_key, task.id).launched


def test_as_many_queued_tasks_are_started_as_is_said() -> None:
    executor = IdleExecutor()
    tasks = with_ports(service(executor=executor), plans=PlansOfTwo({"acme": replace(plan_of(99), running_tasks=0)}))
    for _ in range(MAX_STARTED_AT_ONCE + 5):
        tasks.start(ADA, job, {})
    tasks = with_ports(tasks, plans=PlansOfTwo({"acme": plan_of(99)}))

    tasks.start_queued("acme", most=2)
    assert len(executor.starts) == 2
    tasks.start_queued("acme")
    assert len(executor.starts) == 2 + MAX_STARTED_AT_ONCE


def test_a_side_effect_that_fails_is_logged_and_left_to_the_stream(caplog: pytest.LogCaptureFixture) -> None:
    executor = IdleExecutor(down=True)
    tasks = service(executor=executor)

    tasks.attempt(lambda: executor.resume(suspended(COLOUR).task))

    (logged,) = caplog.records
    assert (logged.levelname, fallbacks(caplog)) == ("ERROR", ["left_to_stream"])
    assert logged.exc_info is not None
    assert "stream" in logged.message


def test_a_task_that_was_begun_is_resumed_and_not_started_when_it_gets_its_slot() -> None:
    made = suspended(COLOUR)
    made.executor.started.clear()
    made.executor.starts.clear()
    asked = made.current()

    made.tasks.begin(ADA.owner_key, replace(asked, resumed_at=NOON))
    assert (made.executor.starts, made.executor.resumed) == ([], ["token"])
    made.tasks.begin(ADA.owner_key, replace(asked, resumed_at=NOON, task_token=None))
    assert (made.executor.starts, made.executor.resumed) == ([], ["token"])


def test_an_execution_that_starts_after_its_task_was_cancelled_is_stopped() -> None:
    made = one_task()
    made.cancel()
    made.executor.stopped.clear()

    made.tasks.launch(ADA.owner_key, made.task, {})

    assert made.executor.stopped == {made.task.id: "cancelled before it started"}


def test_a_task_that_is_gone_when_it_gets_its_slot_is_not_started() -> None:
    made = one_task()
    made.executor.starts.clear()
    made.clock.advance(made.task.ttl)

    made.tasks.begin(ADA.owner_key, made.task)

    assert (made.executor.starts, made.executor.resumed) == ([], [])


def test_work_goes_on_by_the_plan_of_its_own_tenant() -> None:
    made = suspended(COLOUR)
    tasks = with_ports(made.tasks, plans=PlansOfTwo({"acme": replace(plan_of(9), running_tasks=0)}))

    answered = Suspension(tasks=tasks).answer(ADA, made.task.id, {"colour": RED})
    assert answered.state is State.QUEUED

    slotless = one_task()
    tasks = with_ports(slotless.tasks, plans=PlansOfTwo({"acme": plan_of(9)}))
    tasks.apply(ADA.owner_key, slotless.task.id, SleepStarted(wakes_at=slotless.clock.now() + MINUTE))
    slotless.clock.advance(2 * MINUTE)
    woken = tasks.apply(ADA.owner_key, slotless.task.id, SlotNeeded())
    assert (woken.state, woken.holding.slot) == (State.WORKING, 0)


# --- writing


class Contended(MemoryTaskStore):
    """A store at which others write before every write."""

    lost = 0

    def write(self, *args: Any, **kwargs: Any) -> Task:
        self.lost += 1
        raise StaleTask


def test_a_write_that_loses_all_its_races_says_so() -> None:
    store = Contended(FixedClock())
    tasks = with_ports(service(), tasks=store, backlog=store, queue=store)
    task = tasks.start(ADA, job, {})

    with pytest.raises(StaleTask, match=f"^lost {MAX_WRITE_ATTEMPTS} races for one task$"):
        tasks.change(ADA.owner_key, task.id, lambda each: Finished(outcome=DONE))
    assert store.lost == MAX_WRITE_ATTEMPTS


def test_a_task_is_as_old_as_the_newer_of_two_reads_and_read_again_for_sure_where_it_was_written() -> None:
    class Lagging(MemoryTaskStore):
        behind: Task

        def read_recent(self, owner_key: str, task_id: str) -> Task:
            return self.behind

    store = Lagging(FixedClock())
    tasks = with_ports(service(), tasks=store, backlog=store, queue=store)
    store.behind = tasks.start(ADA, job, {})
    task = progress(tasks, store.behind, 1)
    newer = progress(tasks, task, 2)

    assert tasks.read_again(ADA.owner_key, task, Waker.POLL) == task
    assert tasks.read_again(ADA.owner_key, task, Waker.STREAM) == newer
