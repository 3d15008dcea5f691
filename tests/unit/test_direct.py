"""Tasks without an execution: of their runs one holds the lease, and none that works is given up."""

from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from mcp_tasks.limits.waits import FIRST_CHECK, GRACE, KEPT, MAX_DIRECT_RUNS, RUN_LEASE, UNNOTICED
from mcp_tasks.ports.run_host import RunNotWanted
from mcp_tasks.tasks.model import Returned, RunLease, State
from tests.kit import ADA
from tests.unit.direct import Direct

MINUTE = timedelta(minutes=1)
DONE = Returned(result={"content": []})


def test_an_event_starts_the_run() -> None:
    made = Direct()
    task = made.start()

    assert [event["task"] for event in made.events.waiting] == [task.id]
    made.deliver()
    assert made.tasks.outcome(ADA, task.id) == Returned(result={"content": [{"type": "text", "text": "attempt 1"}]})


def test_an_event_that_is_delivered_twice_runs_the_tool_once() -> None:
    made = Direct()
    made.start()
    made.events.waiting *= 2

    made.deliver()
    assert made.attempts == [1]


def test_an_event_that_comes_while_the_tool_works_ends_at_once() -> None:
    made = Direct()
    made.start()
    again = list(made.events.waiting)

    def meanwhile() -> None:
        made.events.waiting = list(again)
        made.deliver()

    made.work = meanwhile
    made.deliver()
    assert made.attempts == [1]


def test_an_event_that_is_lost_is_sent_again_by_the_sweep() -> None:
    made = Direct()
    task = made.start()
    made.events.take()

    made.sweep(after=FIRST_CHECK)
    made.deliver()
    assert made.tasks.get(ADA, task.id).state is State.FINISHED


def test_a_sweep_leaves_alone_what_is_said_to_work_and_runs_it_again_when_the_lease_is_over() -> None:
    made = Direct()
    task = made.start()
    made.clock.advance(FIRST_CHECK)
    made.die()

    made.sweep(after=RUN_LEASE - timedelta(microseconds=1))
    assert made.events.waiting == []

    made.sweep(after=timedelta(microseconds=1))
    made.deliver()
    assert made.attempts == [1, 2]
    assert made.tasks.get(ADA, task.id).state is State.FINISHED


def test_a_run_that_renews_its_lease_is_not_run_again() -> None:
    made = Direct()
    task = made.start()
    host = made.host("the first")
    host.load()
    made.events.take()
    for _ in range(5):
        made.sweep(after=RUN_LEASE - timedelta(seconds=1))
        host.renew()

    assert made.events.waiting == []
    assert made.lease(task) == RunLease(run="the first", number=1, until=made.clock.now() + RUN_LEASE)


def test_a_run_whose_lease_another_one_took_is_over() -> None:
    made = Direct()
    made.start()
    first, second = made.host("the first"), made.host("the second")
    first.load()
    with pytest.raises(RunNotWanted):
        second.load()

    made.clock.advance(RUN_LEASE)
    second.load()
    second.renew()
    with pytest.raises(RunNotWanted):
        first.renew()


def test_a_run_may_finish_its_task_though_another_one_has_its_lease_and_then_that_is_over() -> None:
    made = Direct()
    task = made.start()
    first, second = made.host("the first"), made.host("the second")
    first.load()
    made.clock.advance(RUN_LEASE)
    second.load()
    first.finish(DONE)

    for ask in (second.renew, partial(second.finish, Returned(result={"content": []}, is_error=True))):
        with pytest.raises(RunNotWanted):
            ask()
    assert made.tasks.get(ADA, task.id).holding.slot is None
    assert made.tasks.outcome(ADA, task.id) == DONE


def test_an_event_that_comes_when_its_task_is_gone_leads_to_no_run() -> None:
    made = Direct()
    task = made.start()
    made.clock.advance(task.ttl)

    made.deliver()
    assert made.attempts == []


def test_a_run_that_asks_twice_after_an_answer_was_lost_is_one_run() -> None:
    made = Direct()
    task = made.start()
    for _ in range(2):
        made.host("the same").load()

    lease = made.lease(task)
    assert lease
    assert lease.number == 1


def test_after_three_runs_that_died_the_task_fails_but_never_before_the_time_of_the_last_is_over() -> None:
    made = Direct(timeout=10 * MINUTE)
    task = made.start()
    made.die()
    for _ in range(MAX_DIRECT_RUNS - 1):
        made.sweep(after=max(FIRST_CHECK, RUN_LEASE))
        made.die()
    assert made.attempts == [1, 2, 3]

    made.sweep(after=10 * MINUTE)
    assert made.tasks.get(ADA, task.id).state is State.WORKING

    made.sweep(after=GRACE)
    failed = made.tasks.get(ADA, task.id)
    assert (failed.state, failed.status_message) == (
        State.FINISHED,
        "The process that did the work died each time, or could not reach the server.",
    )
    assert made.events.waiting == []


def test_a_task_whose_events_lead_to_no_run_fails_when_its_time_is_over() -> None:
    made = Direct(timeout=MINUTE)
    task = made.start()
    made.sweep(after=MAX_DIRECT_RUNS * MINUTE + UNNOTICED)
    assert made.tasks.get(ADA, task.id).state is State.WORKING

    made.sweep(after=GRACE)
    failed = made.tasks.get(ADA, task.id)
    assert (failed.state, failed.status_message) == (State.FINISHED, "The work did not begin in time.")


def test_such_a_task_is_kept_for_as_long_as_its_runs_may_take() -> None:
    made = Direct(timeout=10 * MINUTE)

    task = made.tasks.start(ADA, made.tool, {}, ttl=MINUTE)
    assert (task.timeout, task.ttl) == (10 * MINUTE, MAX_DIRECT_RUNS * 10 * MINUTE + UNNOTICED + KEPT)


def test_a_cancelled_task_runs_no_further() -> None:
    made = Direct()
    task = made.start()
    host = made.host("the first")
    host.load()
    made.tasks.cancel(ADA, task.id)

    with pytest.raises(RunNotWanted):
        host.renew()
    made.deliver()
    assert made.attempts == []


def test_it_takes_one_of_the_slots_of_its_tenant() -> None:
    task = Direct().start()

    assert task.holding.slot is not None


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"timeout": timedelta(minutes=15)}, "a timeout of more than 0:14:00 needs a state machine of its own"),
        ({"tasks": "never"}, "a tool with machine='direct' runs as a task"),
        ({"starts_inline": True}, "only a tool that may be a task of the default machine can start inline"),
        ({"not_before": "seconds"}, "not_before is for a tool whose own state machine waits"),
    ],
)
def test_a_tool_that_needs_an_execution_is_refused(settings: dict[str, Any], why: str) -> None:
    made = Direct().tool

    with pytest.raises(ValueError, match=why):
        replace(made, **settings)
