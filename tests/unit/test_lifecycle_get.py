"""Which tasks a caller can get and list."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.errors import TaskNotFound
from mcp_tasks.tasks.events import Progressed
from mcp_tasks.tasks.model import Progress, Task
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


@pytest.mark.parametrize("about", [{}, {"expected": 10 * MINUTE}], ids=["by its total", "by what its author says"])
def test_a_client_of_a_task_that_reports_each_second_polls_as_often_until_it_is_old(about: dict[str, Any]) -> None:
    clock = FixedClock()
    tasks = service(clock=clock)
    task, intervals = tasks.start(ADA, replace(job, **about), {}), []
    for second in range(1, 601):
        clock.sleep(timedelta(seconds=1))
        report = Progressed(progress=Progress(progress=second, total=600))
        task = tasks.apply(ADA.owner_key, task.id, report)
        intervals.append(tasks.poll_interval(ADA, task).total_seconds())

    assert max(intervals[:20]) <= 1
    assert [intervals[at - 1] for at in (60, 120, 400)] == [3, 6, 20]


def test_a_client_of_a_task_that_reports_each_minute_polls_no_sooner_than_without_reports() -> None:
    clock = FixedClock()
    tasks = service(clock=clock)
    task = tasks.start(ADA, job, {})
    clock.sleep(MINUTE)
    task = tasks.apply(ADA.owner_key, task.id, Progressed(progress=Progress(progress=1, total=10)))

    assert tasks.poll_interval(ADA, task) == timedelta(seconds=30)


def test_a_task_that_reports_no_more_is_polled_less_and_less() -> None:
    clock = FixedClock()
    tasks = service(clock=clock)
    task = tasks.start(ADA, replace(job, expected=30 * MINUTE), {})
    clock.sleep(timedelta(seconds=2))
    task = tasks.apply(ADA.owner_key, task.id, Progressed(progress=Progress(progress=1, total=1_000)))
    intervals = []
    for passed in (0, 4, 10, 60):
        clock.sleep(timedelta(seconds=passed))
        intervals.append(tasks.poll_interval(ADA, task).total_seconds())

    assert intervals == [2, 4, 14, 30]
