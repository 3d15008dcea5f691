"""A request that is repeated with its idempotency key creates one task."""

import pytest

from mcp_tasks.tasks.errors import KeyReused
from mcp_tasks.tasks.plan import Plan
from tests.kit import ADA, BOB, FixedClock, IdleExecutor
from tests.unit.jobs import DAY, DONE, MINUTE, job, service, slow


def test_a_request_that_is_repeated_under_its_key_is_the_same_task() -> None:
    executor = IdleExecutor()
    tasks = service(plan=Plan(active_tasks=1), executor=executor)

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


def test_a_repeated_request_whose_outcome_is_known_leaves_the_work_of_the_first_alone() -> None:
    executor = IdleExecutor()
    tasks = service(executor=executor)
    task = tasks.start(ADA, job, {}, key="k")

    assert tasks.start(ADA, job, {}, key="k", outcome=DONE) == task
    assert (tasks.get(ADA, task.id), list(executor.started)) == (task, [task.id])


def test_a_key_stands_for_one_request_of_one_caller() -> None:
    tasks = service()
    task = tasks.start(ADA, job, {"name": "x"}, key="k")

    with pytest.raises(KeyReused):
        tasks.start(ADA, job, {"name": "y"}, key="k")
    with pytest.raises(KeyReused):
        tasks.start(ADA, slow, {"name": "x"}, key="k")
    assert tasks.start(BOB, job, {"name": "y"}, key="k").id != task.id
    assert tasks.start(ADA, job, {"name": "x"}, key="another").id != task.id


def test_a_key_is_forgotten_after_a_day() -> None:
    clock = FixedClock()
    tasks = service(clock=clock)
    task = tasks.start(ADA, job, {}, key="k", ttl=7 * DAY)

    clock.sleep(DAY)

    assert tasks.start(ADA, job, {"name": "other"}, key="k").id != task.id
