"""A sweep of many tasks finds the same in memory, where `tests/sweep` has 50,000 of them, and on DynamoDB."""

from dataclasses import replace
from datetime import timedelta

from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.engine.reconciler import Reconciler
from mcp_tasks.limits.aws import MAX_DESCRIBED, MAX_SWEPT
from mcp_tasks.limits.waits import BETWEEN_CHECKS, FIRST_CHECK, GRACE
from mcp_tasks.ports.store import Backlog, TaskStore
from mcp_tasks.tasks.events import SleepStarted
from mcp_tasks.tasks.model import State
from tests.contract.process import Fuse
from tests.kit import ADA, BOB, NOON, FixedClock, IdleExecutor, a_task, memory_ports, plan_of

DAYS = timedelta(days=5)


def test_a_sweep_finds_what_is_lost_among_many_tasks_and_looks_at_all_again_within_the_hour(
    store: TaskStore, backlog: Backlog, clock: FixedClock
) -> None:
    executor = IdleExecutor()
    ports = replace(memory_ports(clock, executor=executor), tasks=store, backlog=backlog)
    reconciler = Reconciler(tasks=TaskService(ports=ports), ports=ports)
    made = [NOON + timedelta(milliseconds=number) for number in range(MAX_DESCRIBED + 2)]
    tasks = [a_task(now=at, timeout=DAYS, ttl=2 * DAYS, machine="load") for at in made]
    for number, task in enumerate(tasks):
        store.create((ADA, BOB)[number % 2].owner_key, task, {}, key=None, plan=plan_of(1_000))
    lost, ended, *well = tasks
    executor.started = {task.id: {} for task in (ended, *well)}
    executor.ended.add(ended.id)
    clock.advance(FIRST_CHECK + timedelta(seconds=1))

    assert reconciler.sweep(limit=MAX_SWEPT) == 2
    assert (executor.listed, executor.described) == (1, [lost.id, ended.id])
    assert (executor.starts, store.read(ADA.owner_key, lost.id).launched) == ([lost.id], True)
    assert store.read(BOB.owner_key, ended.id).state is State.FINISHED

    clock.advance(BETWEEN_CHECKS - timedelta(minutes=1))
    assert [task_id for _, task_id in backlog.due(limit=MAX_SWEPT)] == [lost.id]
    clock.advance(timedelta(minutes=1))
    assert {task_id for _, task_id in backlog.due(limit=MAX_SWEPT)} == {task.id for task in (lost, *well)}
    assert reconciler.sweep(limit=MAX_SWEPT) == 0
    assert (executor.listed, len(executor.described)) == (2, 2)
    assert list(backlog.due(limit=MAX_SWEPT)) == []


def test_a_sweep_leaves_a_task_alone_that_has_time_again_since_it_was_read(
    store: TaskStore, backlog: Backlog, clock: FixedClock
) -> None:
    """Or one would end whose run slept or asked in the moment before, and who was answered lost that."""
    executor = IdleExecutor()
    task = a_task()
    store.create(ADA.owner_key, task, {}, key=None, plan=plan_of(1_000))
    clock.advance(task.timeout + GRACE)

    def meanwhile() -> None:
        service.apply(ADA.owner_key, task.id, SleepStarted(wakes_at=clock.now() + task.timeout))

    put_off = Fuse(number=2, when="after", burn=meanwhile)
    ports = replace(memory_ports(clock, executor=executor), tasks=store, backlog=put_off.around(backlog))
    service = TaskService(ports=ports)

    assert Reconciler(tasks=service, ports=ports).sweep(limit=1) == 0
    assert put_off.calls == ["due", "repair_counters", "postpone"]
    assert (store.read(ADA.owner_key, task.id).state, executor.stopped) == (State.WORKING, {})

    clock.advance(2 * task.timeout + GRACE)

    assert Reconciler(tasks=service, ports=ports).sweep(limit=1) == 1
    assert (store.read(ADA.owner_key, task.id).state, executor.stopped) == (State.FINISHED, {task.id: "timed out"})
