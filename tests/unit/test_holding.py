"""What a task holds of its tenant's plan: what each event changes of it, and what a stored task may hold."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.tasks.events import CancelRequested, Event, InputRequested, Resumed, SleepStarted, Started, Suspended
from mcp_tasks.tasks.model import Holding, State, Task
from mcp_tasks.tasks.transitions import advance, rightful
from tests.kit import NOON, a_task
from tests.unit.jobs import COLOUR, RED

SECOND = timedelta(seconds=1)
ALL = Holding(active=True, slot=3, queue=1, suspended=True)
RUNNING = a_task(holding=Holding(active=True, slot=3))
WAITING = a_task(state=State.QUEUED, holding=Holding(active=True, queue=1))
ASKING = a_task(state=State.INPUT_REQUIRED, input_requests=(COLOUR,), holding=Holding(active=True, suspended=True))


@pytest.mark.parametrize(
    ("task", "event", "holding"),
    [
        (WAITING, Started(slot=2), Holding(active=True, slot=2)),
        (RUNNING, InputRequested(input_requests=(COLOUR,)), Holding(active=True, suspended=True)),
        (RUNNING, SleepStarted(wakes_at=NOON), Holding(active=True)),
        (ASKING, Suspended(task_token="again"), Holding(active=True, suspended=True)),
        (ASKING, Resumed(responses={"colour": RED}), Holding(active=True)),
        (ASKING, CancelRequested(status_message="enough"), Holding()),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_an_event_takes_and_gives_back(task: Task, event: Event, holding: Holding) -> None:
    assert advance(task, event, now=NOON).holding == holding


@pytest.mark.parametrize(
    ("changes", "may_hold"),
    [
        ({"state": State.WORKING}, Holding(active=True, slot=3)),
        # A run that asked, or that sleeps, has ended.
        ({"state": State.WORKING, "input_requests": (COLOUR,)}, Holding(active=True, suspended=True)),
        ({"state": State.WORKING, "wakes_at": NOON + SECOND}, Holding(active=True)),
        ({"state": State.WORKING, "wakes_at": NOON}, Holding(active=True, slot=3)),
        ({"state": State.WORKING, "wakes_at": NOON - SECOND}, Holding(active=True, slot=3)),
        ({"state": State.QUEUED}, Holding(active=True, queue=1)),
        ({"state": State.INPUT_REQUIRED, "input_requests": (COLOUR,)}, Holding(active=True, suspended=True)),
        ({"state": State.INPUT_REQUIRED}, Holding(active=True)),
        ({"state": State.FINISHED}, Holding()),
        ({"state": State.CANCELLED}, Holding()),
    ],
    ids=str,
)
def test_a_stored_task_may_hold_what_its_state_needs_and_no_more(changes: dict[str, Any], may_hold: Holding) -> None:
    assert rightful(a_task(holding=ALL, **changes)) == may_hold
    # What it does not hold it is not given.
    assert rightful(a_task(**changes)) == Holding()


def test_a_queued_task_that_is_suspended_again_keeps_its_status_message() -> None:
    task = replace(WAITING, status_message="so far", input_requests=(COLOUR,))

    assert advance(task, Suspended(task_token="again"), now=NOON).status_message == "so far"
