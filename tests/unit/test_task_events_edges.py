"""How long the phases of a task took, to the edge of each rule, and what records of it say besides."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from mcp_tasks.engine.task_events import events_of
from mcp_tasks.tasks.model import Holding, InputRequest, OutcomeKind, State, Task
from tests.kit import NOON, a_task
from tests.unit.jobs import COLOUR, DAY, MINUTE, SIZE

MILLISECOND = timedelta(milliseconds=1)
HALF = timedelta(microseconds=500)
MINUTE_MS = 60_000
NEW = a_task(id="t1", state=State.QUEUED, holding=Holding(active=True, queue=0), ttl=DAY)
RUNNING = replace(NEW, state=State.WORKING, holding=Holding(active=True, slot=1))
OF_OWN_MACHINE = replace(RUNNING, machine="slow", holding=Holding(active=True))


def details(before: Task, *, at: datetime, **changes: Any) -> Mapping[str, Any]:
    """Return the details of the only event by which a task becomes another one."""
    (event,) = events_of(before, replace(before, version=before.version + 1, updated_at=at, **changes))
    return event.details


def ended(before: Task, at: datetime) -> Mapping[str, Any]:
    """Return the details of the event by which a task returns."""
    return details(
        before, at=at, state=State.FINISHED, outcome_kind=OutcomeKind.RETURNED, input_requests=(), wakes_at=None
    )


@pytest.mark.parametrize(
    ("times", "minutes"),
    [
        ({}, 9),
        ({"started_at": NOON + MINUTE}, 8),
        ({"started_at": NOON + MINUTE, "resumed_at": NOON + 2 * MINUTE}, 7),
        ({"started_at": NOON + MINUTE, "wakes_at": NOON + 3 * MINUTE}, 6),
        ({"started_at": NOON + MINUTE, "resumed_at": NOON + 2 * MINUTE, "wakes_at": NOON + 3 * MINUTE}, 6),
        ({"started_at": NOON + 5 * MINUTE, "resumed_at": NOON + 2 * MINUTE, "wakes_at": NOON + 3 * MINUTE}, 4),
    ],
)
def test_a_run_began_when_its_task_was_created_started_resumed_or_woke_last(
    times: Mapping[str, Any], minutes: int
) -> None:
    assert ended(replace(RUNNING, **times), NOON + 9 * MINUTE)["running_ms"] == minutes * MINUTE_MS


@pytest.mark.parametrize(
    ("times", "minutes"),
    [
        ({}, 9),
        ({"resumed_at": NOON + 2 * MINUTE}, 7),
        ({"wakes_at": NOON + 3 * MINUTE}, 6),
        ({"resumed_at": NOON + 4 * MINUTE, "wakes_at": NOON + 3 * MINUTE}, 5),
    ],
)
def test_a_task_is_queued_since_it_was_created_resumed_or_woke_last(times: Mapping[str, Any], minutes: int) -> None:
    assert ended(replace(NEW, **times), NOON + 9 * MINUTE)["queued_ms"] == minutes * MINUTE_MS


@pytest.mark.parametrize(
    ("task", "after", "phase", "lasted"),
    [
        (OF_OWN_MACHINE, -MILLISECOND, "suspended_ms", 5 * MINUTE_MS - 1),
        (OF_OWN_MACHINE, timedelta(), "running_ms", 0),
        # Without a slot, no run can begin.
        (replace(RUNNING, holding=Holding(active=True)), MINUTE, "suspended_ms", 6 * MINUTE_MS),
        (RUNNING, MINUTE, "running_ms", MINUTE_MS),
    ],
)
def test_a_task_sleeps_until_it_wakes_and_has_a_slot_if_it_needs_one(
    task: Task, after: timedelta, phase: str, lasted: int
) -> None:
    """The last part of its life is the sleep, or the run after it: the task fell asleep at noon for five minutes."""
    wakes_at = NOON + 5 * MINUTE

    found = ended(replace(task, wakes_at=wakes_at), wakes_at + after)

    assert {name: value for name, value in found.items() if name.endswith("_ms") and name != "duration_ms"} == {
        phase: lasted
    }


@pytest.mark.parametrize(
    ("lasted", "milliseconds"), [(HALF, 0), (MILLISECOND, 1), (MILLISECOND + HALF, 1), (-MILLISECOND, 0)]
)
def test_times_are_whole_milliseconds_and_never_negative(lasted: timedelta, milliseconds: int) -> None:
    found = ended(replace(RUNNING, started_at=NOON), NOON + lasted)

    assert (found["running_ms"], found["duration_ms"]) == (milliseconds, milliseconds)
    assert isinstance(found["running_ms"], int)


def test_a_task_that_is_queued_without_having_slept_says_no_time_of_a_sleep() -> None:
    """As one that a release without slots began."""
    begun = replace(RUNNING, started_at=NOON, holding=Holding(active=True))

    queued = details(begun, at=NOON + MINUTE, state=State.QUEUED, holding=Holding(active=True, queue=0))
    started = details(begun, at=NOON + MINUTE, holding=Holding(active=True, slot=1))

    assert (queued, started) == ({}, {"queued_ms": 0, "again": False})


@pytest.mark.parametrize(("early", "late"), [(MILLISECOND, 0), (timedelta(), 1)])
def test_a_request_has_timed_out_at_its_deadline(early: timedelta, late: int) -> None:
    asked = replace(NEW, state=State.INPUT_REQUIRED, input_requests=(replace(COLOUR, timeout=MINUTE), SIZE))
    before = replace(asked, requested_at=NOON)

    assert details(before, at=NOON + MINUTE - early, input_requests=(SIZE,))["timed_out"] == late


def test_what_is_shown_has_the_same_hash_in_whichever_order_it_is_read() -> None:
    def hashes(*input_requests: InputRequest) -> Any:
        return details(RUNNING, at=NOON, input_requests=input_requests)["shown"]

    turned = replace(COLOUR, params=dict(reversed(list(COLOUR.params.items()))))

    assert list(turned.params) != list(COLOUR.params)
    assert hashes(turned, SIZE) == hashes(COLOUR, SIZE)


@pytest.mark.parametrize(
    ("acts", "says"),
    [
        ({}, {}),
        ({"client_id": "desk"}, {"client": "desk"}),
        ({"actor": {"sub": "agent", "name": "no record has this"}}, {"actor": "agent"}),
        ({"client_id": "desk", "actor": {"sub": "agent"}}, {"client": "desk", "actor": "agent"}),
    ],
)
def test_who_creates_a_task_for_its_subject_is_said(acts: Mapping[str, Any], says: Mapping[str, str]) -> None:
    created, _ = events_of(None, replace(NEW, **acts))

    assert created.details == says


def test_a_record_says_what_is_known_of_the_trace_and_the_plan() -> None:
    usual = {"tool": "greet", "task": "t1", "version": 1, "at": "2026-01-01T12:00:00+00:00"}
    known: dict[str, Any] = {"tool_version": "2", "trace": "abc", "plan": "gold"}

    assert [each.fields for each in events_of(None, NEW)] == [usual, usual]
    assert [each.fields for each in events_of(None, replace(NEW, **known))] == [{**usual, **known}] * 2
