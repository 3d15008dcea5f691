"""The table of transitions: every cell of it, and the invariants of all sequences of events."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks.tasks.errors import IllegalTransition
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
from mcp_tasks.tasks.model import (
    Failed,
    InputRequest,
    InputResponse,
    Outcome,
    OutcomeKind,
    Progress,
    Returned,
    State,
    Task,
)
from mcp_tasks.tasks.transitions import FINAL, TRANSITIONS, advance, is_final
from tests.kit import NOON

LATER = NOON + timedelta(seconds=5)
COLOUR = InputRequest(key="colour", method="elicitation/create", params={"message": "Which colour?"})
SIZE = InputRequest(key="size", method="elicitation/create", params={"message": "Which size?"})
FRESH = Task(
    id="t",
    tool="paint",
    created_at=NOON,
    updated_at=NOON,
    ttl=timedelta(hours=1),
    timeout=timedelta(minutes=5),
    poll_interval=timedelta(seconds=1),
    machine="run_tool",
)
EVENTS: list[Event] = [
    SlotNeeded(),
    Started(slot=2),
    Progressed(progress=Progress(progress=1)),
    StatusReported(status_message="halfway"),
    EndExpected(expected_at=LATER),
    InputRequested(input_requests=(COLOUR,)),
    SleepStarted(wakes_at=LATER),
    Suspended(task_token="t"),
    InputReceived(responses={"colour": InputResponse()}),
    Resumed(responses={"colour": InputResponse()}),
    Finished(outcome=Returned(result={})),
    CancelRequested(status_message="enough"),
]
MOVES = {
    (State.QUEUED, Started): State.WORKING,
    (State.QUEUED, Suspended): State.QUEUED,
    (State.QUEUED, Finished): State.FINISHED,
    (State.QUEUED, CancelRequested): State.CANCELLED,
    (State.WORKING, SlotNeeded): State.QUEUED,
    (State.WORKING, Progressed): State.WORKING,
    (State.WORKING, StatusReported): State.WORKING,
    (State.WORKING, EndExpected): State.WORKING,
    (State.WORKING, InputRequested): State.WORKING,
    (State.WORKING, SleepStarted): State.WORKING,
    (State.WORKING, Suspended): State.INPUT_REQUIRED,
    (State.WORKING, Finished): State.FINISHED,
    (State.WORKING, CancelRequested): State.CANCELLED,
    (State.INPUT_REQUIRED, Suspended): State.INPUT_REQUIRED,
    (State.INPUT_REQUIRED, InputReceived): State.INPUT_REQUIRED,
    (State.INPUT_REQUIRED, Resumed): State.QUEUED,
    (State.INPUT_REQUIRED, Finished): State.FINISHED,
    (State.INPUT_REQUIRED, CancelRequested): State.CANCELLED,
}

outcomes: st.SearchStrategy[Outcome] = st.one_of(
    st.builds(Returned, result=st.just({"content": []}), is_error=st.booleans()),
    st.builds(Failed, code=st.integers(), message=st.text()),
)
input_requests = st.lists(st.sampled_from(["colour", "size", "name"]), min_size=1, unique=True).map(
    lambda keys: tuple(InputRequest(key=key, method="elicitation/create", params={}) for key in keys)
)
responses = st.dictionaries(st.sampled_from(["colour", "size", "name"]), st.just(InputResponse()))
progress = st.builds(Progress, progress=st.floats(0, 100), message=st.none() | st.text())
events: st.SearchStrategy[Event] = st.one_of(
    st.just(SlotNeeded()),
    st.builds(Started, slot=st.none() | st.integers(0, 3)),
    st.builds(Progressed, progress=progress),
    st.builds(InputRequested, input_requests=input_requests),
    st.builds(SleepStarted, wakes_at=st.integers(0, 10_000).map(lambda seconds: NOON + timedelta(seconds=seconds))),
    st.builds(Suspended, task_token=st.text()),
    st.builds(InputReceived, responses=responses),
    st.builds(Resumed, responses=responses),
    st.builds(Finished, outcome=outcomes, status_message=st.none() | st.text()),
    st.builds(CancelRequested, status_message=st.text()),
)
moments = st.integers(-1_000, 1_000).map(lambda seconds: NOON + timedelta(seconds=seconds))


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_every_cell_of_the_table(state: State, event: Event) -> None:
    task = replace(FRESH, state=state)
    expected = MOVES.get((state, type(event)))

    if expected is None:
        reason = f"the event {type(event).__name__} cannot happen to a task that is {state}"
        with pytest.raises(IllegalTransition, match=reason):
            advance(task, event, now=LATER)
    else:
        assert advance(task, event, now=LATER).state is expected


def test_the_table_has_a_row_for_every_state() -> None:
    assert set(TRANSITIONS) == set(State)


def test_finished_and_cancelled_are_final_and_nothing_else_is() -> None:
    assert sorted(FINAL) == [State.CANCELLED, State.FINISHED]
    assert [is_final(replace(FRESH, state=state)) for state in State] == [False, False, False, True, True]


@given(st.lists(st.tuples(events, moments)))
def test_no_sequence_of_events_breaks_an_invariant(story: list[tuple[Event, datetime]]) -> None:
    task = FRESH
    for event, now in story:
        before = task
        try:
            task = advance(before, event, now=now)
        except IllegalTransition:
            assert type(event) not in TRANSITIONS[before.state]
            continue

        assert not is_final(before)
        assert task.updated_at >= before.updated_at
        assert (task.outcome_kind is not None) == (task.state is State.FINISHED)
        assert not (task.input_requests and is_final(task))
        assert task.wakes_at is None if is_final(task) else (before.wakes_at or NOON) <= (task.wakes_at or NOON)
        assert task.requested[: len(before.requested)] == before.requested
        assert len(set(task.requested)) == len(task.requested)
        assert {each.key for each in task.input_requests} <= set(task.requested)
        # Nothing that happens to a task changes what it is, how long it lives, or its version.
        never = {"id", "tool", "created_at", "ttl", "timeout", "poll_interval", "machine", "version", "scopes"}
        assert all(getattr(task, name) == getattr(FRESH, name) for name in never)


@given(events, moments)
def test_advancing_leaves_its_argument_alone_and_always_says_the_same(event: Event, now: datetime) -> None:
    task = replace(FRESH, input_requests=(COLOUR, SIZE))
    twin = replace(task)
    try:
        once = advance(task, event, now=now)
    except IllegalTransition:
        return

    assert task == twin
    assert advance(task, event, now=now) == once


def test_progress_is_kept_and_its_message_becomes_the_status_message() -> None:
    half = Progress(progress=1, total=2, message="half of it")

    task = advance(FRESH, Progressed(progress=half), now=LATER)

    assert (task.progress, task.status_message, task.updated_at) == (half, "half of it", LATER)


def test_progress_without_words_leaves_the_status_message() -> None:
    task = advance(replace(FRESH, status_message="so far"), Progressed(progress=Progress(progress=1)), now=LATER)

    assert task.status_message == "so far"


@pytest.mark.parametrize(
    ("outcome", "outcome_kind"),
    [
        (Returned(result={}), OutcomeKind.RETURNED),
        (Returned(result={}, is_error=True), OutcomeKind.RETURNED_ERROR),
        (Failed(code=-32603, message="no"), OutcomeKind.FAILED),
    ],
)
def test_a_finished_task_knows_how_it_ended(outcome: Outcome, outcome_kind: OutcomeKind) -> None:
    task = advance(FRESH, Finished(outcome=outcome, status_message="why"), now=LATER)

    assert (task.state, task.outcome_kind, task.status_message) == (State.FINISHED, outcome_kind, "why")


def test_a_clock_that_lags_behind_does_not_turn_a_task_back() -> None:
    task = advance(replace(FRESH, updated_at=LATER), CancelRequested(status_message="enough"), now=NOON)

    assert task.updated_at == LATER


def test_a_task_expires_its_ttl_after_its_creation_whatever_happens_to_it() -> None:
    task = advance(FRESH, Finished(outcome=Returned(result={})), now=LATER)

    assert task.expires_at == NOON + timedelta(hours=1)
