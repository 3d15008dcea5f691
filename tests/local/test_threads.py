"""The executor of `make serve`: a thread sleeps while its task waits for its client."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from threading import Barrier, BrokenBarrierError, Condition, Event, Thread

import pytest

from mcp_tasks.adapters.clock import SystemClock
from mcp_tasks.adapters.memory.shelves import Shelves
from mcp_tasks.adapters.memory.threads import ThreadExecutor, start_queued_tasks, sweep_regularly
from mcp_tasks.ports.executor import Execution
from mcp_tasks.tasks.model import Task
from tests.kit import ADA, FixedClock, a_task
from tests.timeout import until

DAYS, NO_RECORDS = timedelta(days=6), timedelta(0)


class Work:
    """The runs of a tool: each returns the next of the given values, the last one None."""

    def __init__(self, *timeout: timedelta) -> None:
        self.task = a_task()
        self.runs = 0
        self.tokens: list[str] = []
        self.on_suspend: Callable[[Task], None] = lambda task: None
        self.executor = ThreadExecutor(SystemClock())
        self.executor.run, self.executor.suspend = self._run, self._suspend
        self.failures: list[str] = []
        self.executor.fail = lambda owner_key, task_id, error: self.failures.append(error)
        self.takes = Event()
        self.takes.set()
        self._timeout = list(timeout)

    def start(self) -> None:
        self.executor.start(ADA.owner_key, self.task, {})

    def current(self) -> Execution:
        return self.executor.describe(self.task)

    def suspended(self, times: int) -> Task:
        """Return the task once it has been suspended so often."""
        until(lambda: len(self.tokens) == times)
        return replace(self.task, task_token=self.tokens[-1])

    def _run(self, owner_key: str, task_id: str) -> timedelta | None:
        assert (owner_key, task_id) == (ADA.owner_key, self.task.id)
        self.runs += 1
        self.takes.wait()
        return self._timeout.pop(0) if self._timeout else None

    def _suspend(self, owner_key: str, task_id: str, token: str) -> None:
        assert (owner_key, task_id) == (ADA.owner_key, self.task.id)
        self.tokens.append(token)
        self.on_suspend(replace(self.task, task_token=token))


def test_work_is_suspended_until_the_answer_comes_as_often_as_it_asks() -> None:
    work = Work(DAYS, DAYS)
    work.start()
    first = work.suspended(times=1)
    assert (work.runs, work.current()) == (1, Execution.RUNNING)

    work.executor.resume(first)
    second = work.suspended(times=2)
    assert (work.runs, work.current()) == (2, Execution.RUNNING)
    assert first.task_token != second.task_token

    work.executor.resume(second)
    until(lambda: work.current() is Execution.ENDED)
    assert work.runs == 3


def test_work_that_ends_without_an_outcome_fails_its_task() -> None:
    work = Work()

    def interrupted(owner_key: str, task_id: str) -> timedelta | None:
        raise KeyboardInterrupt

    work.executor.run = interrupted
    work.start()

    until(lambda: work.current() is Execution.ENDED)
    assert work.failures == ["KeyboardInterrupt"]


def test_work_whose_client_does_not_answer_goes_on_when_the_time_is_over() -> None:
    work = Work(NO_RECORDS, NO_RECORDS)
    work.start()

    until(lambda: work.current() is Execution.ENDED)
    assert work.runs == 3


def test_an_answer_that_was_there_before_the_work_is_suspended_is_not_lost() -> None:
    work = Work(DAYS)
    work.on_suspend = work.executor.resume
    work.start()

    until(lambda: work.current() is Execution.ENDED)
    assert work.runs == 2


def test_suspended_work_that_is_stopped_ends() -> None:
    work = Work(DAYS)
    work.start()
    work.executor.stop(work.suspended(times=1), "cancelled")

    until(lambda: work.current() is Execution.ENDED)
    assert work.runs == 2


def test_work_that_sleeps_ends_as_soon_as_it_is_stopped() -> None:
    work = Work(DAYS)
    work.start()
    work.suspended(times=1)
    # The token of a task that sleeps is stored nowhere.
    work.executor.resume(work.task)
    assert work.current() is Execution.RUNNING

    work.executor.stop(work.task, "cancelled")
    until(lambda: work.current() is Execution.ENDED)
    assert work.runs == 2


def test_a_run_that_takes_too_long_fails_its_task_as_step_functions_does() -> None:
    work = Work(timedelta(milliseconds=800))
    work.task = replace(work.task, timeout=timedelta(milliseconds=500))
    work.start()
    # The time for an answer is no part of a run's.
    until(lambda: work.current() is Execution.ENDED)
    assert (work.runs, work.failures) == (2, [])

    late = Work()
    late.takes.clear()
    late.task = replace(late.task, timeout=timedelta(milliseconds=100))
    late.start()
    until(lambda: late.failures)
    late.takes.set()
    until(lambda: late.current() is Execution.ENDED)
    assert late.failures == ["States.Timeout"]


@pytest.mark.parametrize("token", [None, "", "unknown"])
def test_letting_work_go_on_that_is_not_suspended_is_harmless(token: str | None) -> None:
    work = Work(DAYS)
    work.executor.resume(replace(work.task, task_token=token))
    work.start()
    suspended = work.suspended(times=1)
    work.executor.resume(replace(work.task, task_token=token))
    assert work.current() is Execution.RUNNING

    work.executor.resume(suspended)
    until(lambda: work.current() is Execution.ENDED)
    work.executor.resume(suspended)
    assert work.runs == 2


def test_work_that_is_started_twice_at_the_same_moment_is_done_once() -> None:
    both = Barrier(2)
    work = Work()

    class Known(Shelves[Thread]):
        def __contains__(self, key: object) -> bool:
            found = super().__contains__(key)
            # Only one of them is here where starting is atomic.
            with suppress(BrokenBarrierError):
                both.wait(0.2)
            return found

    work.executor._threads._known = Known(SystemClock())
    callers = [Thread(target=work.start) for _ in range(2)]
    for each in callers:
        each.start()
    for each in callers:
        each.join()

    until(lambda: work.current() is Execution.ENDED)
    assert work.runs == 1


def test_threads_of_expired_tasks_are_forgotten() -> None:
    clock = FixedClock()
    executor = ThreadExecutor(clock)
    for _ in range(100):
        task = a_task(clock.now(), ttl=timedelta(minutes=30))
        executor.start(ADA.owner_key, task, {})
        assert executor.describe(task) in (Execution.RUNNING, Execution.ENDED)
        clock.advance(timedelta(minutes=1))

    # A task that ended long ago is known until it expires: its work is not repeated.
    assert len(executor._threads) == 30


def test_queue_and_sweep_go_on_after_a_failure() -> None:
    asked: list[str] = []
    swept: list[int] = []

    def fails(tenant: str) -> None:
        asked.append(tenant)
        if len(asked) > 1:
            Event().wait()
        raise RuntimeError("can't start new thread")

    def sweep() -> None:
        swept.append(1)
        if len(swept) > 1:
            Event().wait()
        raise RuntimeError("can't start new thread")

    start_queued_tasks(Condition(), lambda: ["acme"], fails)
    sweep_regularly(sweep, timedelta(milliseconds=10))

    until(lambda: len(asked) > 1)
    until(lambda: len(swept) > 1)
