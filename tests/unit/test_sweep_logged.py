"""What a sweep logs: what it reconciled, what it leaves to the next one, and what it could not do."""

from typing import Any

import pytest

from mcp_tasks.fallbacks import forget_reported
from mcp_tasks.limits.aws import MAX_DESCRIBED
from mcp_tasks.limits.waits import FIRST_CHECK, GRACE
from mcp_tasks.ports.executor import ExecutorThrottled, ExecutorUnavailable
from mcp_tasks.tasks.errors import UnreadableItem
from tests.unit.sweeps import ALL, Room


def logged(caplog: pytest.LogCaptureFixture, *names: str) -> list[Any]:
    """Return the level and these fields of each record, and whether it has a traceback."""
    return [
        (record.levelname, *(vars(record).get(name) for name in names), bool(record.exc_info))
        for record in caplog.records
        if record.name == "mcp_tasks.engine.sweep"
    ]


@pytest.mark.parametrize(("is_late", "found"), [(False, "ended without an outcome"), (True, "overdue")])
def test_of_a_task_that_was_reconciled_it_says_which_and_why(
    caplog: pytest.LogCaptureFixture, found: str, *, is_late: bool
) -> None:
    room = Room()
    (task,) = room.start()
    room.executor.ended.add(task.id)
    room.clock.advance(task.due_at + GRACE - room.clock.now() if is_late else FIRST_CHECK)

    room.reconciler.sweep(limit=ALL)
    assert logged(caplog, "task", "found", "fallback") == [("WARNING", task.id, found, "swept", False)]


def test_of_a_task_that_was_never_started_it_says_so(caplog: pytest.LogCaptureFixture) -> None:
    room = Room()
    task = room.crash()
    room.clock.advance(FIRST_CHECK)

    room.reconciler.sweep(limit=ALL)
    assert logged(caplog, "task", "found", "fallback") == [("WARNING", task.id, "never started", "swept", False)]


def test_of_a_task_that_it_leaves_alone_it_says_nothing(caplog: pytest.LogCaptureFixture) -> None:
    room = Room()
    room.start()
    room.clock.advance(FIRST_CHECK)

    room.reconciler.sweep(limit=ALL)
    assert caplog.records == []


def test_of_one_that_is_cut_short_it_says_why_and_how_much_is_left(caplog: pytest.LogCaptureFixture) -> None:
    room = Room()
    for task in room.start(3):
        room.executor.errors[task.id] = ExecutorThrottled("ThrottlingException")
    room.clock.advance(FIRST_CHECK)

    room.reconciler.sweep(limit=ALL)
    assert logged(caplog, "left", "fallback") == [
        ("WARNING", None, None, True),
        ("WARNING", 3, "left_to_next_sweep", False),
    ]


def test_of_a_list_that_failed_it_says_that_the_rest_was_described(caplog: pytest.LogCaptureFixture) -> None:
    room = Room()
    room.start(MAX_DESCRIBED + 1)
    room.executor.unlisted = ExecutorUnavailable("AccessDeniedException")
    room.clock.advance(FIRST_CHECK)

    room.reconciler.sweep(limit=ALL)
    assert logged(caplog, "fallback") == [("ERROR", "executions_not_listed", True)]


def test_of_a_check_that_failed_it_says_whose_it_was(caplog: pytest.LogCaptureFixture) -> None:
    room = Room()
    task = room.crash()
    room.store.unreadable[task.id], room.store.postpones = RuntimeError("broken"), False
    caplog.clear()
    room.clock.advance(FIRST_CHECK)

    room.reconciler.sweep(limit=ALL)
    assert logged(caplog, "tenant", "task", "fallback") == [
        ("ERROR", "acme", task.id, "check_failed", True),
        ("ERROR", "acme", task.id, None, True),
    ]


def test_of_a_task_that_cannot_be_read_it_says_whose_it_is(caplog: pytest.LogCaptureFixture) -> None:
    forget_reported()
    room = Room()
    task = room.crash()
    room.store.unreadable[task.id] = UnreadableItem("an item", "damaged")
    caplog.clear()
    room.clock.advance(FIRST_CHECK)

    room.reconciler.sweep(limit=ALL)
    assert logged(caplog) == []
    (record,) = map(vars, caplog.records)
    assert (record["tenant"], record["task"], record["fallback"]) == ("acme", task.id, "unreadable_item")
