"""Which tasks a caller can get and list."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import TaskNotFound
from mcp_tasks.tasks.model import Task
from tests.contract.process import Fuse
from tests.kit import ADA, BOB, EVE, FixedClock
from tests.unit.jobs import DONE, MINUTE, job, service


@pytest.mark.parametrize("stranger", [BOB, EVE])
def test_another_callers_task_is_no_task(stranger: Caller) -> None:
    tasks = service()
    task = tasks.start(ADA, job, {})
    tasks.finish(ADA.owner_key, task.id, DONE)

    with pytest.raises(TaskNotFound):
        tasks.get(stranger, task.id)
    with pytest.raises(TaskNotFound):
        tasks.outcome(stranger, task.id)
    with pytest.raises(TaskNotFound):
        tasks.cancel(stranger, task.id)
    with pytest.raises(TaskNotFound):
        tasks.wait(stranger, task.id, since=0, timeout=MINUTE)
    assert tasks.page(stranger, before=None, limit=10) == ([], None)


def test_an_expired_task_is_no_task() -> None:
    clock = FixedClock()
    tasks = service(clock=clock)
    task = tasks.start(ADA, job, {})
    tasks.finish(ADA.owner_key, task.id, DONE)

    clock.sleep(task.ttl)

    with pytest.raises(TaskNotFound):
        tasks.get(ADA, task.id)
    with pytest.raises(TaskNotFound):
        tasks.outcome(ADA, task.id)
    assert tasks.page(ADA, before=None, limit=10) == ([], None)


@pytest.mark.parametrize(("count", "sizes"), [(0, [0]), (1, [1]), (3, [3]), (4, [3, 1]), (6, [3, 3]), (7, [3, 3, 1])])
def test_pages_hold_every_task_once_newest_first(count: int, sizes: list[int]) -> None:
    clock = FixedClock()
    tasks = service(clock=clock)
    ids = []
    for _ in range(count):
        ids.append(tasks.start(ADA, job, {}).id)
        tasks.start(BOB, job, {})
        clock.sleep(timedelta(milliseconds=1))

    pages = []
    before = None
    while True:
        page, before = tasks.page(ADA, before=before, limit=3)
        pages.append([task.id for task in page])
        if before is None:
            break

    assert [len(page) for page in pages] == sizes
    assert [each for page in pages for each in page] == ids[::-1]


def test_a_page_reads_one_task_more_than_it_holds() -> None:
    class Counted(MemoryTaskStore):
        def page(self, owner_key: str, *, before: str | None, limit: int) -> Sequence[Task]:
            limits.append(limit)
            return super().page(owner_key, before=before, limit=limit)

    limits: list[int] = []
    tasks = service()
    tasks = replace(tasks, ports=replace(tasks.ports, tasks=Counted(FixedClock())))

    tasks.page(ADA, before=None, limit=3)
    assert limits == [4]


def test_a_client_polls_less_and_less_often_and_never_sooner_than_the_tool_says() -> None:
    clock = FixedClock()
    tasks = service(clock=clock)
    quick, slow = (
        tasks.start(ADA, replace(job, poll_interval=each), {}) for each in (timedelta(milliseconds=100), MINUTE)
    )
    intervals = []
    for passed in (timedelta(), MINUTE, 10 * MINUTE):
        clock.sleep(passed)
        intervals.append([tasks.poll_interval(ADA, tasks.get(ADA, each.id)).total_seconds() for each in (quick, slow)])

    assert intervals == [[0.5, 60], [3, 60], [30, 60]]
    tasks.finish(ADA.owner_key, quick.id, DONE)
    assert tasks.poll_interval(ADA, tasks.get(ADA, quick.id)) == timedelta(milliseconds=100)


def test_a_client_polls_when_such_tasks_of_its_tenant_are_done() -> None:
    tasks = service()
    task = tasks.start(ADA, job, {})
    assert tasks.ports.durations is not None
    for _ in range(30):
        tasks.ports.durations.add("acme", job.name, timedelta(seconds=20))

    assert tasks.poll_interval(ADA, task) > timedelta(seconds=15)
    assert tasks.poll_interval(EVE, task) < timedelta(seconds=1)


def test_how_long_such_tasks_take_is_asked_for_one_that_is_live() -> None:
    tasks, fuse = service(), Fuse()
    tasks = replace(tasks, ports=replace(tasks.ports, durations=fuse.around(tasks.ports.durations)))
    task = tasks.start(ADA, job, {})
    tasks.poll_interval(ADA, task)
    assert fuse.calls == ["of"]

    tasks.poll_interval(ADA, tasks.finish(ADA.owner_key, task.id, DONE))
    assert fuse.calls == ["of"]


def test_where_nobody_knows_how_long_such_tasks_take_a_client_polls_all_the_same() -> None:
    tasks = service()
    tasks = replace(tasks, ports=replace(tasks.ports, durations=None))

    assert tasks.poll_interval(ADA, tasks.start(ADA, job, {})) == timedelta(milliseconds=500)
