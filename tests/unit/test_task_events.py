"""Which change of a stored task is which event: of every transition that there is, of new tasks and of deleted ones."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.engine.task_events import events_of
from mcp_tasks.tasks.events import (
    CancelRequested,
    EndExpected,
    Event,
    Finished,
    InputReceived,
    InputRequested,
    Progressed,
    Resumed,
    SleepStarted,
    SlotNeeded,
    Started,
    StatusReported,
    Suspended,
)
from mcp_tasks.tasks.model import Failed, Holding, InputRequest, Progress, Returned, State, Task
from mcp_tasks.tasks.transitions import TRANSITIONS, advance
from tests.kit import NOON, a_task
from tests.unit.jobs import COLOUR, DAY, MINUTE, RED, SIZE

SECRET = "not for any record"
MINUTE_MS = 60_000
ASLEEP = SleepStarted(wakes_at=NOON + 5 * MINUTE)
BOTH = InputRequested(input_requests=(COLOUR, SIZE))
CANCELLED = CancelRequested(status_message=SECRET)
DONE = Finished(outcome=Returned(result={"text": SECRET}), status_message=SECRET)
BAD = Finished(outcome=Returned(result={}, is_error=True))
FAILED = Finished(outcome=Failed(code=-1, message=SECRET))
FRESH = a_task(id="t1", state=State.QUEUED, holding=Holding(active=True, queue=0), ttl=DAY, tool_version="2")


@dataclass(frozen=True, kw_only=True)
class Case:
    """A task that began `QUEUED`, to which the events of `told` happened a minute apart, and what the last one is."""

    told: tuple[Event, ...]
    names: tuple[str, ...]
    details: Mapping[str, Any]
    at_once: bool = False

    @property
    def change(self) -> tuple[Task, Task]:
        """The task before the last event, and after it; a slot was free where that asked for one."""
        task, now = FRESH, NOON
        for event in self.told:
            now += MINUTE
            before, task = task, replace(advance(task, event, now=now), version=task.version + 1)
        if self.at_once:
            task = advance(task, Started(slot=1), now=now)
        return before, task

    @property
    def cell(self) -> tuple[State, type[Event]]:
        """The cell of the table of transitions that this is a case of."""
        return self.change[0].state, type(self.told[-1])


def case(*told: Event, gives: str = "", at_once: bool = False, **details: Any) -> Case:
    return Case(told=told, names=tuple(f"task.{each}" for each in gives.split()), details=details, at_once=at_once)


START, TOKEN, RESUMED = Started(slot=0), Suspended(task_token=SECRET), Resumed(responses={"colour": RED, "size": RED})
ASKED = (START, BOTH, TOKEN)
CASES = [
    case(START, gives="started", queued_ms=MINUTE_MS, again=False),
    case(TOKEN),
    case(DONE, gives="finished", outcome="returned", queued_ms=MINUTE_MS, duration_ms=MINUTE_MS),
    case(CANCELLED, gives="cancelled", queued_ms=MINUTE_MS, duration_ms=MINUTE_MS),
    case(START, Progressed(progress=Progress(progress=1, message=SECRET))),
    case(START, StatusReported(status_message=SECRET)),
    case(START, EndExpected(expected_at=NOON + DAY)),
    case(START, BOTH, gives="asked", running_ms=MINUTE_MS, requests=2),
    case(START, ASLEEP, gives="sleeping", running_ms=MINUTE_MS),
    case(START, ASLEEP, ASLEEP),
    case(START, ASLEEP, SlotNeeded(), gives="queued", suspended_ms=MINUTE_MS),
    case(START, ASLEEP, SlotNeeded(), gives="started", at_once=True, queued_ms=0, suspended_ms=MINUTE_MS, again=True),
    case(START, BOTH, TOKEN),
    case(START, DONE, gives="finished", outcome="returned", running_ms=MINUTE_MS, duration_ms=2 * MINUTE_MS),
    case(START, BAD, gives="finished", outcome="returned_error", running_ms=MINUTE_MS, duration_ms=2 * MINUTE_MS),
    case(START, FAILED, gives="finished", outcome="failed", running_ms=MINUTE_MS, duration_ms=2 * MINUTE_MS),
    case(START, CANCELLED, gives="cancelled", running_ms=MINUTE_MS, duration_ms=2 * MINUTE_MS),
    case(START, ASLEEP, CANCELLED, gives="cancelled", suspended_ms=MINUTE_MS, duration_ms=3 * MINUTE_MS),
    case(*ASKED, Suspended(task_token="another")),
    case(*ASKED, InputReceived(responses={"size": RED}), gives="answered", timed_out=0, left=1),
    case(*ASKED, RESUMED, gives="answered queued", timed_out=0, left=0, suspended_ms=2 * MINUTE_MS),
    case(*ASKED, RESUMED, START, gives="started", queued_ms=MINUTE_MS, again=True),
    case(*ASKED, DONE, gives="finished", outcome="returned", suspended_ms=2 * MINUTE_MS, duration_ms=4 * MINUTE_MS),
    case(*ASKED, CANCELLED, gives="cancelled", suspended_ms=2 * MINUTE_MS, duration_ms=4 * MINUTE_MS),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: " ".join(type(each).__name__ for each in case.told))
def test_a_change_is_these_events(case: Case) -> None:
    before, after = case.change
    found = events_of(before, after)

    assert tuple(each.name for each in found) == case.names
    said = {name: value for each in found for name, value in each.details.items() if name != "shown"}
    assert said == case.details
    assert all(each.task is after and each.at == after.updated_at for each in found)
    assert events_of(before, after) == found, "what is delivered twice is the same twice"
    assert SECRET not in str([each.fields for each in found])


def test_every_transition_that_there_is_has_a_case() -> None:
    assert {case.cell for case in CASES} == {(state, event) for state, row in TRANSITIONS.items() for event in row}


def test_resuming_into_a_free_slot_is_an_answer_and_a_start() -> None:
    before, after = case(*ASKED, RESUMED, at_once=True).change
    answered, started = events_of(before, after)

    assert (answered.name, answered.details["suspended_ms"]) == ("task.answered", 2 * MINUTE_MS)
    assert (started.name, started.details) == ("task.started", {"queued_ms": 0, "again": True})


WORKING: dict[str, Any] = {"state": State.WORKING, "started_at": NOON}


@pytest.mark.parametrize(
    ("new", "names"),
    [
        (FRESH, ["task.created", "task.queued"]),
        (replace(FRESH, **WORKING), ["task.created", "task.started"]),
        (replace(FRESH, state=State.WORKING, input_requests=(COLOUR,)), ["task.created", "task.asked"]),
        (replace(FRESH, state=State.WORKING), ["task.created"]),  # its outcome is known, and written next
    ],
)
def test_a_new_task_is_created_and_what_becomes_of_it_at_once(new: Task, names: list[str]) -> None:
    assert [each.name for each in events_of(None, new)] == names


@pytest.mark.parametrize(
    ("task", "phase"),
    [
        (FRESH, "queued_ms"),
        (replace(FRESH, **WORKING), "running_ms"),
        (replace(FRESH, state=State.INPUT_REQUIRED, input_requests=(SIZE,)), "suspended_ms"),
    ],
)
def test_a_live_task_that_is_deleted_has_expired(task: Task, phase: str) -> None:
    (expired,) = events_of(task, None)

    day = DAY // timedelta(milliseconds=1)
    assert (expired.name, expired.at, expired.task) == ("task.expired", task.expires_at, task)
    assert expired.details == {phase: day, "duration_ms": day}


@pytest.mark.parametrize("state", [State.FINISHED, State.CANCELLED])
def test_a_task_that_had_ended_leaves_without_an_event(state: State) -> None:
    assert events_of(replace(FRESH, state=state), None) == []


def test_a_write_that_is_no_change_of_the_task_is_no_event() -> None:
    launched = replace(FRESH, **WORKING, launched=True)

    assert events_of(replace(launched, launched=False), launched) == []
    assert events_of(None, None) == []


def test_what_was_shown_is_known_again_by_its_hash() -> None:
    (asked,) = events_of(*case(START, BOTH).change)
    (answered,) = events_of(*case(*ASKED, InputReceived(responses={"size": RED})).change)

    assert answered.details["shown"] == asked.details["shown"][1:]
    assert len(asked.details["shown"]) == 2


def test_hashes_differ_where_anything_shown_differs() -> None:
    others = [replace(COLOUR, params={**COLOUR.params, "message": "Which color?"}), replace(COLOUR, method="x/y")]

    assert len({tuple(hashes(each)) for each in [COLOUR, SIZE, *others]}) == 4


def hashes(input_request: InputRequest) -> list[str]:
    (asked,) = events_of(*case(START, InputRequested(input_requests=(input_request,))).change)
    return list(asked.details["shown"])


def test_requests_that_nobody_answered_in_time_are_told_apart() -> None:
    hurried = replace(COLOUR, timeout=MINUTE)
    (answered,) = events_of(
        *case(
            START, InputRequested(input_requests=(hurried, SIZE)), TOKEN, InputReceived(responses={"colour": RED})
        ).change
    )

    assert (answered.details["timed_out"], answered.details["left"]) == (1, 1)


def test_a_record_says_which_task_of_which_tool_in_which_version() -> None:
    (started,) = events_of(*case(START).change)

    assert started.fields == {
        "tool": "greet",
        "tool_version": "2",
        "task": "t1",
        "version": 2,
        "at": "2026-01-01T12:01:00+00:00",
        "queued_ms": MINUTE_MS,
        "again": False,
    }
