"""A task ends once: completed, failed or cancelled, whatever is written concurrently."""

from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks.features.results import failure
from mcp_tasks.tasks.errors import IllegalTransition, StaleTask
from mcp_tasks.tasks.model import Failed, Outcome, Progress, Returned, State, Task
from tests.kit import ADA, IdleExecutor
from tests.unit.jobs import DONE, job, progress, service


@pytest.mark.parametrize(
    ("outcome", "status_message"),
    [
        (DONE, None),
        (failure("no region 7"), "no region 7"),
        (failure("x" * 1_000), "x" * 500),
        (Returned(result={"content": []}, is_error=True), None),
        (Failed(code=-32603, message="died"), "died"),
    ],
)
def test_a_finished_task_keeps_its_outcome_and_says_why_it_failed(outcome: Outcome, status_message: str | None) -> None:
    tasks = service()
    task = tasks.start(ADA, job, {})

    finished = tasks.finish(ADA.owner_key, task.id, outcome)

    assert (finished.state, finished.status_message, finished.version) == (State.FINISHED, status_message, 2)
    assert tasks.get(ADA, task.id) == finished
    assert tasks.outcome(ADA, task.id) == outcome


def test_a_task_is_finished_once() -> None:
    tasks = service()
    task = tasks.start(ADA, job, {})
    tasks.finish(ADA.owner_key, task.id, DONE)

    with pytest.raises(IllegalTransition):
        tasks.finish(ADA.owner_key, task.id, failure("late"))
    tasks.fail(ADA.owner_key, task.id, "later still")

    assert tasks.outcome(ADA, task.id) == DONE


def test_work_that_ended_without_a_word_fails_its_task() -> None:
    tasks = service()
    task = tasks.start(ADA, job, {})

    tasks.fail(ADA.owner_key, task.id, "The process died.")
    tasks.fail(ADA.owner_key, "no such task", "The process died.")

    assert tasks.outcome(ADA, task.id) == Failed(code=-32603, message="The process died.")


def test_a_cancelled_task_is_over_and_its_work_stopped() -> None:
    executor = IdleExecutor()
    tasks = service(executor=executor)
    task = tasks.start(ADA, job, {})

    cancelled = tasks.cancel(ADA, task.id)

    assert cancelled == tasks.get(ADA, task.id)
    assert (cancelled.state, cancelled.status_message) == (State.CANCELLED, "Cancelled on request.")
    assert executor.stopped == {task.id: "cancelled"}


def test_a_task_is_cancelled_also_when_its_work_cannot_be_stopped_yet() -> None:
    executor = IdleExecutor()
    tasks = service(executor=executor)
    task = tasks.start(ADA, job, {})
    executor.down = True

    assert tasks.cancel(ADA, task.id).state is State.CANCELLED


@pytest.mark.parametrize("end", ["finish", "cancel"])
def test_a_task_that_is_over_cannot_be_cancelled(end: str) -> None:
    executor = IdleExecutor()
    tasks = service(executor=executor)
    task = tasks.start(ADA, job, {})
    over = tasks.finish(ADA.owner_key, task.id, DONE) if end == "finish" else tasks.cancel(ADA, task.id)
    executor.stopped.clear()

    with pytest.raises(IllegalTransition):
        tasks.cancel(ADA, task.id)

    assert tasks.get(ADA, task.id) == over
    assert executor.stopped == {}


def test_a_write_that_lost_a_race_is_retried_on_the_winning_state() -> None:
    tasks = service()
    task = tasks.start(ADA, job, {})
    store = tasks.ports.tasks
    racing = replace(tasks, ports=replace(tasks.ports, tasks=Raced(store, rival=lambda: progress(tasks, task, 1))))

    finished = racing.finish(ADA.owner_key, task.id, DONE)

    assert (finished.version, finished.progress) == (3, Progress(progress=1))


def test_a_cancel_that_lost_to_the_outcome_is_too_late() -> None:
    tasks = service()
    task = tasks.start(ADA, job, {})
    raced = Raced(tasks.ports.tasks, rival=lambda: tasks.finish(ADA.owner_key, task.id, DONE))

    with pytest.raises(IllegalTransition):
        replace(tasks, ports=replace(tasks.ports, tasks=raced)).cancel(ADA, task.id)

    assert tasks.outcome(ADA, task.id) == DONE


def test_a_write_that_loses_every_race_gives_up() -> None:
    tasks = service()
    task = tasks.start(ADA, job, {})
    done = iter(range(1, 100))
    raced = Raced(tasks.ports.tasks, rival=lambda: progress(tasks, task, next(done)), times=99)

    with pytest.raises(StaleTask):
        replace(tasks, ports=replace(tasks.ports, tasks=raced)).finish(ADA.owner_key, task.id, DONE)


class Raced:
    """A store in which a rival writes first, some times."""

    def __init__(self, store: Any, *, rival: Any, times: int = 1) -> None:
        self._store, self._rival, self._left = store, rival, times

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def write(self, *arguments: Any, **named: Any) -> Task:
        if self._left:
            self._left -= 1
            self._rival()
        written: Task = self._store.write(*arguments, **named)
        return written
