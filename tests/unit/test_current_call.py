"""What is noted of the request that a thread serves: for operators, and for auditors."""

from datetime import timedelta

import pytest

from mcp_tasks.engine.current_call import (
    Noted,
    current_trace,
    note,
    note_event,
    note_outcome,
    note_read,
    note_refusal,
    note_task,
    note_trace,
    note_wait,
    noting,
)
from mcp_tasks.ports.waiter import Waker
from tests.kit import a_task

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def test_a_refusal_is_noted_for_operators_and_for_auditors() -> None:
    with noting() as noted:
        note_refusal("scopes")

    assert noted == {"reason": "scopes"}
    assert noted.happened == {("request.refused", "scopes"): {"reason": "scopes"}}


def test_of_the_same_event_what_is_noted_last_counts_and_each_thing_has_its_own() -> None:
    with noting() as noted:
        note_read("1")
        note_read("2")
        note_read("1", outcome=True)
        note_event("tasks.listed", "")

    assert noted == {}
    assert noted.happened == {
        ("task.read", "1"): {"task": "1", "outcome_read": True},
        ("task.read", "2"): {"task": "2", "outcome_read": False},
        ("tasks.listed", ""): {},
    }


def test_a_request_belongs_to_the_trace_of_the_task_that_it_is_about() -> None:
    traced, untraced = a_task(trace=TRACE), a_task()
    with noting() as noted:
        note_trace("0" * 32)
        note_task(traced)
        assert current_trace() == TRACE
        note_task(untraced)
        note_trace(None)

    assert noted == {"task": untraced.id, "trace": TRACE}
    assert current_trace() is None
    with noting():
        assert current_trace() is None


def test_what_became_of_a_call_is_noted_with_its_task_if_there_is_one() -> None:
    task = a_task(trace=TRACE)
    noted: list[Noted] = []
    for about in (task, None):
        with noting() as one:
            note_outcome("completed", about)
        noted.append(one)

    assert noted == [{"outcome": "completed", "task": task.id, "trace": TRACE}, {"outcome": "completed"}]


@pytest.mark.parametrize(
    ("woken_by", "in_vain", "after", "said"),
    [
        (None, False, None, {}),
        (None, True, timedelta(seconds=1), {}),
        (Waker.POLL, False, None, {"woken_by": "poll"}),
        (Waker.STREAM, True, None, {"woken_by": "deadline"}),
        (Waker.STREAM, False, timedelta(), {"woken_by": "stream", "woken_ms": 0}),
        (Waker.STREAM, False, timedelta(microseconds=1_999), {"woken_by": "stream", "woken_ms": 1}),
        # By the clocks of two machines.
        (Waker.STREAM, False, timedelta(seconds=-1), {"woken_by": "stream", "woken_ms": 0}),
    ],
)
def test_what_ended_a_wait_is_noted_and_how_long_after(
    woken_by: Waker | None, *, in_vain: bool, after: timedelta | None, said: dict[str, object]
) -> None:
    with noting() as noted:
        note_wait(woken_by, in_vain=in_vain, after=after)

    assert noted == said


def test_beside_a_request_nothing_is_noted_and_a_request_within_another_has_its_own() -> None:
    note_refusal("scopes")
    with noting() as outer:
        with noting() as inner:
            note(plan="gold")
        note(plan="free")

    assert (outer, inner) == ({"plan": "free"}, {"plan": "gold"})
