"""What can be said of tasks, and the order in which it is made true."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks import tool
from mcp_tasks.service import KEPT, Limits, TaskService, new_task_id
from mcp_tasks.tasks.errors import ArgumentsTooLarge, IllegalMove, KeyReused, StaleTask, TaskNotFound, TooManyTasks
from mcp_tasks.tasks.events import Cancelled, Progressed
from mcp_tasks.tasks.model import JSON, Faulted, Outcome, Progress, Returned, State, Task
from mcp_tasks.tenancy import Caller
from mcp_tasks.tools import failure
from tests.kit import ADA, BOB, EVE, NOON, BusyWaiter, FixedClock, IdleExecutor, memory_ports

MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)
DONE = Returned(result={"content": []})


@tool(timeout=5 * MINUTE)
def job(name: str = "") -> str:
    """Work."""
    return name


@tool(tasks="always", machine="slow", timeout=3 * DAY, ttl=4 * DAY)
def slow() -> str:
    """Take your time."""
    return ""


def service(limits: Limits | None = None, **ports: Any) -> TaskService:
    return TaskService(ports=memory_ports(**ports), limits=limits or Limits())


def progress(tasks: TaskService, task: Task, done: float) -> Task:
    return tasks.apply(ADA.scope, task.id, Progressed(progress=Progress(progress=done)))


def test_a_started_task_is_what_was_asked_for() -> None:
    task = service().start(ADA, slow, {}, progress_token="p")

    assert task == Task(
        id=task.id,
        tool="slow",
        created_at=NOON,
        updated_at=NOON,
        ttl=4 * DAY,
        timeout=3 * DAY,
        poll_interval=timedelta(seconds=1),
        machine="slow",
        progress_token="p",
        scopes=ADA.scopes,
    )


def test_a_started_task_is_stored_and_its_work_begun() -> None:
    executor = IdleExecutor()
    tasks = service(executor=executor)

    task = tasks.start(ADA, job, {"name": "x"})

    assert tasks.look(ADA, task.id) == task
    assert executor.started == {task.id: {"name": "x"}}


def test_a_task_is_stored_before_its_work_begins() -> None:
    class Curious(IdleExecutor):
        def start(self, scope: str, task: Task, arguments: Mapping[str, JSON]) -> None:
            seen.append(tasks.look(ADA, task.id))

    seen: list[Task] = []
    tasks = service(executor=Curious())

    assert [tasks.start(ADA, job, {})] == seen


def test_a_task_whose_work_cannot_begin_yet_is_a_task() -> None:
    tasks = service(executor=IdleExecutor(down=True))

    task = tasks.start(ADA, job, {})

    assert tasks.look(ADA, task.id).state is State.WORKING


@given(st.lists(st.integers(0, 2**40), min_size=2, max_size=5))
def test_ids_sort_as_their_tasks_were_created(moments: list[int]) -> None:
    ids = [new_task_id(NOON + timedelta(milliseconds=moment)) for moment in moments]

    pairs = list(zip(moments, ids, strict=True))
    assert all((one < other) == (first < second) for one, first in pairs for other, second in pairs if one != other)


def test_ids_of_one_moment_differ_and_suit_a_url_and_an_execution_name() -> None:
    ids = {new_task_id(NOON) for _ in range(1_000)}

    assert len(ids) == 1_000
    assert all(each.isascii() and each.isalnum() and len(each) <= 80 for each in ids)


@pytest.mark.parametrize(
    ("asked", "granted"),
    [
        (None, DAY),
        (timedelta(hours=2), timedelta(hours=2)),
        (365 * DAY, 7 * DAY),
        (timedelta.max, 7 * DAY),
        (MINUTE, 5 * MINUTE + KEPT),
        (timedelta(), 5 * MINUTE + KEPT),
        (-MINUTE, 5 * MINUTE + KEPT),
    ],
)
def test_a_wish_for_a_ttl_is_granted_within_bounds(asked: timedelta | None, granted: timedelta) -> None:
    assert service().start(ADA, job, {}, ttl=asked).ttl == granted


def test_no_work_goes_on_after_its_task_has_expired() -> None:
    task = service(Limits(longest_ttl=DAY)).start(ADA, slow, {})

    assert (task.ttl, task.timeout) == (DAY, DAY - KEPT)


def test_work_that_is_refused_at_once_never_starts() -> None:
    executor = IdleExecutor()
    tasks = service(executor=executor)

    task = tasks.start(ADA, job, {}, refusal=failure("no"))

    assert task.state is State.WORKING
    assert tasks.outcome(ADA, task.id) == failure("no")
    assert not executor.started


@dataclass(slots=True, kw_only=True)
class LateExecutor(IdleExecutor):
    """An executor that is so slow to start that something happens before it does."""

    before_start: Callable[[Task], object]

    def start(self, scope: str, task: Task, arguments: Mapping[str, JSON]) -> None:
        self.before_start(task)
        IdleExecutor.start(self, scope, task, arguments)


def test_work_on_a_task_that_was_cancelled_before_it_started_is_stopped() -> None:
    def cancel(task: Task) -> None:
        tasks.apply(ADA.scope, task.id, Cancelled(note="quicker"))

    executor = LateExecutor(before_start=cancel)
    tasks = service(executor=executor)

    task = tasks.start(ADA, job, {})

    assert list(executor.stopped) == [task.id]


def test_a_tenant_runs_so_many_tasks_and_no_more() -> None:
    executor = IdleExecutor()
    tasks = service(Limits(active_tasks=2), executor=executor)
    first = tasks.start(ADA, job, {})
    tasks.start(BOB, job, {})

    with pytest.raises(TooManyTasks, match="2 tasks at a time"):
        tasks.start(ADA, job, {})

    assert len(executor.started) == 2
    assert tasks.start(EVE, job, {}).state is State.WORKING
    tasks.cancel(ADA, first.id)
    assert tasks.start(ADA, job, {}).state is State.WORKING


@pytest.mark.parametrize("made", [job, slow])
def test_arguments_may_be_large_and_not_larger(made: Any) -> None:
    tasks = service(Limits(arguments_bytes=100, machine_arguments_bytes=100))
    tasks.start(ADA, made, {"name": "x" * 70})

    with pytest.raises(ArgumentsTooLarge, match="at most 100"):
        tasks.start(ADA, made, {"name": "x" * 100})


def test_a_request_that_is_repeated_under_its_key_is_the_same_task() -> None:
    executor = IdleExecutor()
    tasks = service(Limits(active_tasks=1), executor=executor)

    once = tasks.start(ADA, job, {"name": "x"}, key="k")
    twice = tasks.start(ADA, job, {"name": "x"}, key="k", ttl=MINUTE)

    assert once == twice
    assert list(executor.started) == [once.id]


def test_a_repeated_request_begins_work_that_could_not_begin_before() -> None:
    executor = IdleExecutor(down=True)
    tasks = service(executor=executor)
    task = tasks.start(ADA, job, {}, key="k")
    executor.down = False

    tasks.start(ADA, job, {}, key="k")

    assert list(executor.started) == [task.id]


def test_a_repeated_request_whose_task_is_over_begins_nothing() -> None:
    executor = IdleExecutor(down=True)
    tasks = service(executor=executor)
    task = tasks.start(ADA, job, {}, key="k")
    cancelled = tasks.cancel(ADA, task.id)
    executor.down = False

    assert tasks.start(ADA, job, {}, key="k") == cancelled
    assert executor.started == {}


def test_a_key_stands_for_one_request_of_one_caller() -> None:
    tasks = service()
    task = tasks.start(ADA, job, {"name": "x"}, key="k")

    with pytest.raises(KeyReused):
        tasks.start(ADA, job, {"name": "y"}, key="k")
    with pytest.raises(KeyReused):
        tasks.start(ADA, slow, {"name": "x"}, key="k")
    assert tasks.start(BOB, job, {"name": "y"}, key="k").id != task.id


def test_a_key_is_forgotten_after_a_day() -> None:
    clock = FixedClock()
    tasks = service(clock=clock)
    task = tasks.start(ADA, job, {}, key="k", ttl=7 * DAY)

    clock.sleep(DAY)

    assert tasks.start(ADA, job, {"name": "other"}, key="k").id != task.id


@pytest.mark.parametrize("stranger", [BOB, EVE])
def test_somebody_elses_task_is_no_task(stranger: Caller) -> None:
    tasks = service()
    task = tasks.start(ADA, job, {})
    tasks.settle(ADA.scope, task.id, DONE)

    with pytest.raises(TaskNotFound):
        tasks.look(stranger, task.id)
    with pytest.raises(TaskNotFound):
        tasks.outcome(stranger, task.id)
    with pytest.raises(TaskNotFound):
        tasks.cancel(stranger, task.id)
    with pytest.raises(TaskNotFound):
        tasks.wait(stranger, task.id, since=0, patience=MINUTE)
    assert tasks.page(stranger, after=None, limit=10) == ([], None)


def test_an_expired_task_is_no_task() -> None:
    clock = FixedClock()
    tasks = service(clock=clock)
    task = tasks.start(ADA, job, {})
    tasks.settle(ADA.scope, task.id, DONE)

    clock.sleep(task.ttl)

    with pytest.raises(TaskNotFound):
        tasks.look(ADA, task.id)
    with pytest.raises(TaskNotFound):
        tasks.outcome(ADA, task.id)
    assert tasks.page(ADA, after=None, limit=10) == ([], None)


@pytest.mark.parametrize(
    ("outcome", "note"),
    [
        (DONE, None),
        (failure("no region 7"), "no region 7"),
        (failure("x" * 1_000), "x" * 500),
        (Returned(result={"content": []}, is_error=True), None),
        (Faulted(code=-32603, message="died"), "died"),
    ],
)
def test_a_settled_task_keeps_its_outcome_and_says_why_it_failed(outcome: Outcome, note: str | None) -> None:
    tasks = service()
    task = tasks.start(ADA, job, {})

    settled = tasks.settle(ADA.scope, task.id, outcome)

    assert (settled.state, settled.note, settled.version) == (State.FINISHED, note, 2)
    assert tasks.look(ADA, task.id) == settled
    assert tasks.outcome(ADA, task.id) == outcome


def test_a_task_is_settled_once() -> None:
    tasks = service()
    task = tasks.start(ADA, job, {})
    tasks.settle(ADA.scope, task.id, DONE)

    with pytest.raises(IllegalMove):
        tasks.settle(ADA.scope, task.id, failure("late"))
    tasks.fail(ADA.scope, task.id, "later still")

    assert tasks.outcome(ADA, task.id) == DONE


def test_work_that_ended_without_a_word_fails_its_task() -> None:
    tasks = service()
    task = tasks.start(ADA, job, {})

    tasks.fail(ADA.scope, task.id, "The process died.")
    tasks.fail(ADA.scope, "no such task", "The process died.")

    assert tasks.outcome(ADA, task.id) == Faulted(code=-32603, message="The process died.")


def test_a_cancelled_task_is_over_and_its_work_stopped() -> None:
    executor = IdleExecutor()
    tasks = service(executor=executor)
    task = tasks.start(ADA, job, {})

    cancelled = tasks.cancel(ADA, task.id)

    assert cancelled == tasks.look(ADA, task.id)
    assert (cancelled.state, cancelled.note) == (State.CANCELLED, "Cancelled on request.")
    assert executor.stopped == {task.id: "cancelled"}


def test_a_task_is_cancelled_also_when_its_work_cannot_be_stopped_yet() -> None:
    executor = IdleExecutor()
    tasks = service(executor=executor)
    task = tasks.start(ADA, job, {})
    executor.down = True

    assert tasks.cancel(ADA, task.id).state is State.CANCELLED


@pytest.mark.parametrize("end", ["settle", "cancel"])
def test_a_task_that_is_over_cannot_be_cancelled(end: str) -> None:
    executor = IdleExecutor()
    tasks = service(executor=executor)
    task = tasks.start(ADA, job, {})
    over = tasks.settle(ADA.scope, task.id, DONE) if end == "settle" else tasks.cancel(ADA, task.id)
    executor.stopped.clear()

    with pytest.raises(IllegalMove):
        tasks.cancel(ADA, task.id)

    assert tasks.look(ADA, task.id) == over
    assert executor.stopped == {}


def test_a_write_that_lost_a_race_is_tried_anew_on_what_won() -> None:
    tasks = service()
    task = tasks.start(ADA, job, {})
    store = tasks.ports.tasks
    racing = replace(tasks, ports=replace(tasks.ports, tasks=Raced(store, rival=lambda: progress(tasks, task, 1))))

    settled = racing.settle(ADA.scope, task.id, DONE)

    assert (settled.version, settled.progress) == (3, Progress(progress=1))


def test_a_cancel_that_lost_to_the_outcome_is_too_late() -> None:
    tasks = service()
    task = tasks.start(ADA, job, {})
    raced = Raced(tasks.ports.tasks, rival=lambda: tasks.settle(ADA.scope, task.id, DONE))

    with pytest.raises(IllegalMove):
        replace(tasks, ports=replace(tasks.ports, tasks=raced)).cancel(ADA, task.id)

    assert tasks.outcome(ADA, task.id) == DONE


def test_a_write_that_loses_every_race_gives_up() -> None:
    tasks = service()
    task = tasks.start(ADA, job, {})
    done = iter(range(1, 100))
    raced = Raced(tasks.ports.tasks, rival=lambda: progress(tasks, task, next(done)), times=99)

    with pytest.raises(StaleTask):
        replace(tasks, ports=replace(tasks.ports, tasks=raced)).settle(ADA.scope, task.id, DONE)


class Raced:
    """A store in which a rival writes first, some times."""

    def __init__(self, store: Any, *, rival: Any, times: int = 1) -> None:
        self._store, self._rival, self._left = store, rival, times

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def write(self, *arguments: Any) -> None:
        if self._left:
            self._left -= 1
            self._rival()
        self._store.write(*arguments)


# Waiting --------------------------------------------------------------------------------------------------------------


def waiting(waiter: BusyWaiter, clock: FixedClock) -> tuple[TaskService, Task]:
    tasks = service(clock=clock, waiter=waiter)
    return tasks, tasks.start(ADA, job, {}, ttl=DAY)


def test_a_final_task_is_not_waited_for() -> None:
    clock = FixedClock()
    waiter = BusyWaiter(clock=clock)
    tasks, task = waiting(waiter, clock)
    settled = tasks.settle(ADA.scope, task.id, DONE)

    assert tasks.wait(ADA, task.id, since=settled.version, patience=MINUTE) == settled
    assert waiter.pauses == 0


def test_waiting_ends_with_the_task() -> None:
    clock = FixedClock()
    waiter = BusyWaiter(clock=clock)
    tasks, task = waiting(waiter, clock)
    waiter.meanwhile = lambda: waiter.pauses == 3 and tasks.settle(ADA.scope, task.id, DONE)

    final = tasks.wait(ADA, task.id, since=task.version, patience=MINUTE)

    assert final == tasks.look(ADA, task.id)
    assert (final.state, waiter.pauses, waiter.watching) == (State.FINISHED, 3, 0)


def test_waiting_ends_with_news() -> None:
    clock = FixedClock()
    waiter = BusyWaiter(clock=clock)
    tasks, task = waiting(waiter, clock)
    waiter.meanwhile = lambda: waiter.pauses == 2 and progress(tasks, task, 1)

    assert tasks.wait(ADA, task.id, since=task.version, patience=MINUTE).progress == Progress(progress=1)
    assert waiter.pauses == 2


def test_news_may_be_kept_back_for_a_lull() -> None:
    clock = FixedClock()
    waiter = BusyWaiter(clock=clock)
    tasks, task = waiting(waiter, clock)
    waiter.meanwhile = lambda: progress(tasks, task, waiter.pauses)

    news = tasks.wait(ADA, task.id, since=task.version, patience=MINUTE, lull=timedelta(seconds=5))

    assert (news.progress, clock.now() - NOON) == (Progress(progress=5), timedelta(seconds=5))


def test_the_end_is_never_kept_back() -> None:
    clock = FixedClock()
    waiter = BusyWaiter(clock=clock)
    tasks, task = waiting(waiter, clock)
    waiter.meanwhile = lambda: tasks.settle(ADA.scope, task.id, DONE)

    tasks.wait(ADA, task.id, since=task.version, patience=MINUTE, lull=timedelta(seconds=30))

    assert clock.now() - NOON == timedelta(seconds=1)


def test_patience_ends_on_time() -> None:
    clock = FixedClock()
    waiter = BusyWaiter(clock=clock, pace=timedelta(seconds=7))
    tasks, task = waiting(waiter, clock)

    assert tasks.wait(ADA, task.id, since=task.version, patience=timedelta(seconds=25)) == task
    assert clock.now() - NOON == timedelta(seconds=25)


def test_whoever_has_no_patience_sees_the_task_as_it_is() -> None:
    clock = FixedClock()
    waiter = BusyWaiter(clock=clock)
    tasks, task = waiting(waiter, clock)

    assert tasks.wait(ADA, task.id, since=task.version, patience=timedelta()) == task
    assert waiter.pauses == 0


def test_the_watch_is_open_before_the_task_is_read_and_closed_in_any_case() -> None:
    clock = FixedClock()
    waiter = BusyWaiter(clock=clock)
    tasks, task = waiting(waiter, clock)
    read, watched = tasks.ports.tasks.read, []

    class Store:
        def read(self, scope: str, task_id: str) -> Task:
            watched.append(waiter.watching)
            return read(scope, task_id)

    spied: Any = Store()
    with pytest.raises(TaskNotFound):
        replace(tasks, ports=replace(tasks.ports, tasks=spied)).wait(EVE, task.id, since=0, patience=MINUTE)

    assert (watched, waiter.watching) == ([1], 0)


def test_a_task_that_expires_while_somebody_waits_is_gone() -> None:
    clock = FixedClock()
    waiter = BusyWaiter(clock=clock, pace=MINUTE)
    tasks = service(clock=clock, waiter=waiter)
    task = tasks.start(ADA, job, {}, ttl=timedelta())

    with pytest.raises(TaskNotFound):
        tasks.wait(ADA, task.id, since=task.version, patience=DAY)


def test_each_version_is_announced_by_one_who_asks() -> None:
    tasks = service()
    task = tasks.start(ADA, job, {})
    newer = progress(tasks, task, 1)

    assert [tasks.announce(ADA, each) for each in [task, task, newer, task, newer]] == [True, False, True, False, False]


# Pages ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("count", "sizes"), [(0, [0]), (1, [1]), (3, [3]), (4, [3, 1]), (6, [3, 3]), (7, [3, 3, 1])])
def test_pages_hold_every_task_once_in_the_order_of_creation(count: int, sizes: list[int]) -> None:
    clock = FixedClock()
    tasks = service(clock=clock)
    ids = []
    for _ in range(count):
        ids.append(tasks.start(ADA, job, {}).id)
        tasks.start(BOB, job, {})
        clock.sleep(timedelta(milliseconds=1))

    pages = []
    after = None
    while True:
        page, after = tasks.page(ADA, after=after, limit=3)
        pages.append([task.id for task in page])
        if after is None:
            break

    assert [len(page) for page in pages] == sizes
    assert [each for page in pages for each in page] == ids
