"""A sweep goes on past whatever fails, ends in time, and asks Step Functions no more than it has to."""

from datetime import timedelta

import pytest

from mcp_tasks import tool
from mcp_tasks.limits.aws import MAX_DESCRIBED
from mcp_tasks.limits.waits import BETWEEN_CHECKS, FIRST_CHECK, GRACE, LONGEST_SWEEP
from mcp_tasks.ports.executor import ExecutorThrottled, ExecutorUnavailable
from mcp_tasks.tasks.errors import UnreadableItem
from mcp_tasks.tasks.model import State
from mcp_tasks.testing.reconciliation import BETWEEN_SWEEPS
from tests.kit import ADA
from tests.unit.jobs import DAY
from tests.unit.sweeps import ALL, Room


@tool()
def long() -> str:
    """Work for as long as the default machine allows."""
    return ""


@pytest.mark.parametrize(
    ("error", "again"),
    [
        (RuntimeError(), GRACE),
        (UnreadableItem("an item", "damaged"), BETWEEN_CHECKS),
        (ExecutorUnavailable("AccessDeniedException"), GRACE),
    ],
)
def test_a_check_that_fails_is_postponed_and_the_sweep_goes_on(error: Exception, again: timedelta) -> None:
    room = Room()
    first, second, third = [room.crash() for _ in range(3)]
    room.executor.errors[first.id] = error
    room.clock.advance(FIRST_CHECK)

    assert room.reconciler.sweep(limit=ALL) == 2
    assert list(room.executor.started) == [second.id, third.id]
    room.clock.advance(again - timedelta(seconds=1))
    assert first.id not in room.due()
    room.clock.advance(timedelta(seconds=1))
    assert first.id in room.due()


def test_a_check_that_fails_is_logged_with_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    room = Room()
    task = room.crash()
    room.executor.errors[task.id] = RuntimeError("broken")
    room.clock.advance(FIRST_CHECK)

    assert room.reconciler.sweep(limit=ALL) == 0
    (record,) = [record for record in caplog.records if vars(record).get("fallback") == "check_failed"]
    assert record.exc_info is not None
    assert vars(record)["task"] == task.id
    assert "broken" in caplog.text


def test_a_sweep_goes_on_past_a_task_that_can_neither_be_read_nor_postponed() -> None:
    room = Room()
    first, second = room.crash(), room.crash()
    room.store.unreadable[first.id] = RuntimeError()
    room.store.postpones = False
    room.clock.advance(FIRST_CHECK)

    room.reconciler.sweep(limit=ALL)
    assert room.due() == [first.id, second.id]

    room.store.postpones = True
    assert room.reconciler.sweep(limit=ALL) == 1
    assert list(room.executor.started) == [second.id]


def test_a_sweep_that_is_throttled_ends_and_leaves_everything_for_the_next(caplog: pytest.LogCaptureFixture) -> None:
    room = Room()
    first, second = room.crash(), room.crash()
    room.executor.errors[first.id] = ExecutorThrottled("ThrottlingException")
    room.clock.advance(FIRST_CHECK)

    assert room.reconciler.sweep(limit=ALL) == 0
    assert room.due() == [second.id]
    assert "left_to_next_sweep" in [vars(record).get("fallback") for record in caplog.records]

    room.executor.errors.clear()
    room.clock.advance(GRACE)
    assert room.reconciler.sweep(limit=ALL) == 2


def test_a_sweep_without_an_executor_leaves_everything_for_the_next() -> None:
    room = Room()
    task = room.crash()
    room.clock.advance(FIRST_CHECK)
    room.executor.down = True

    assert room.reconciler.sweep(limit=ALL) == 0
    assert room.tasks.get(ADA, task.id).state is State.WORKING
    room.executor.down = False
    room.clock.advance(GRACE)
    assert room.reconciler.sweep(limit=ALL) == 1


def test_a_sweep_ends_in_time_and_leaves_the_rest_for_the_next() -> None:
    room = Room()
    room.executor.meanwhile = lambda: room.clock.advance(timedelta(seconds=110))
    tasks = [room.crash() for _ in range(3)]
    room.clock.advance(FIRST_CHECK)
    began = room.clock.now()

    assert room.reconciler.sweep(limit=ALL) == 2
    assert room.clock.now() - began < LONGEST_SWEEP + timedelta(seconds=20)
    room.executor.meanwhile = lambda: None
    assert room.reconciler.sweep(limit=ALL) == 1
    assert list(room.executor.started) == [task.id for task in tasks]


# --- what is asked of Step Functions


def test_where_many_tasks_are_due_what_runs_is_listed_and_only_the_rest_is_described() -> None:
    room = Room()
    room.start(MAX_DESCRIBED)
    ended, lost = room.start()[0], room.crash()
    room.executor.ended.add(ended.id)
    room.clock.advance(FIRST_CHECK)

    assert room.reconciler.sweep(limit=ALL) == 2
    assert (room.executor.listed, sorted(room.executor.described)) == (1, sorted([ended.id, lost.id]))
    assert room.tasks.get(ADA, ended.id).state is State.FINISHED
    assert lost.id in room.executor.started
    assert room.due() == []


def test_where_few_tasks_are_due_nothing_is_listed() -> None:
    room = Room()
    room.start(MAX_DESCRIBED)
    room.clock.advance(FIRST_CHECK)

    room.reconciler.sweep(limit=ALL)
    assert (room.executor.listed, len(room.executor.described)) == (0, MAX_DESCRIBED)


@pytest.mark.parametrize("error", [ExecutorUnavailable("AccessDeniedException"), ExecutorThrottled("Throttling")])
def test_where_what_runs_cannot_be_listed_it_is_described(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    room = Room()
    room.start(MAX_DESCRIBED + 1)
    room.executor.unlisted = error
    room.clock.advance(FIRST_CHECK)

    assert room.reconciler.sweep(limit=ALL) == 0
    assert len(room.executor.described) == MAX_DESCRIBED + 1
    assert "executions_not_listed" in [vars(record).get("fallback") for record in caplog.records]


def test_the_check_of_a_queued_task_asks_nothing_of_step_functions() -> None:
    room = Room(running=1)
    room.start(3)
    room.clock.advance(FIRST_CHECK)
    described = room.executor.described

    room.reconciler.sweep(limit=ALL)
    assert len(described) == 1
    assert room.due() == []


def test_the_slot_of_work_that_ended_without_a_word_is_free_again_after_the_next_sweep() -> None:
    room = Room(running=1)
    dead, waiting = [room.tasks.start(ADA, long, {}, ttl=DAY) for _ in range(2)]
    room.clock.advance(FIRST_CHECK)
    room.reconciler.sweep(limit=ALL)
    # Both the event of that and the state machine's own catch are lost.
    room.executor.ended.add(dead.id)

    room.clock.advance(BETWEEN_SWEEPS)
    assert room.reconciler.sweep(limit=ALL) == 1

    ended = room.tasks.get(ADA, dead.id)
    assert ended.state is State.FINISHED
    room.reconciler.changed(ADA.owner_key, dead, ended)
    assert room.tasks.get(ADA, waiting.id).state is State.WORKING


def test_a_task_is_looked_at_again_within_the_hour_by_sweeps_of_every_five_minutes() -> None:
    assert BETWEEN_CHECKS + timedelta(minutes=5) + LONGEST_SWEEP < timedelta(hours=1)
