"""The contract of `SessionStore` for attempts of a delivery: in order, each written by one process."""

from datetime import timedelta
from functools import partial

import pytest

from mcp_tasks.wire.rev_2025_11_25.ports import Attempt, SessionStore
from tests.contract.store_actions import at_once
from tests.kit import ADA, BOB, EVE, NOON, FixedClock

MOMENT = timedelta(microseconds=1)
LATER = NOON + timedelta(minutes=1)
FIRST, SECOND, THIRD = (Attempt(number=number, stream="s", request_id=f"r{number}") for number in (1, 2, 3))


def test_attempts_are_kept_in_their_order(sessions: SessionStore) -> None:
    assert sessions.load_attempt(ADA.owner_key, "delivery") is None
    for attempt in (FIRST, SECOND, THIRD):
        assert sessions.save_attempt(ADA.owner_key, "delivery", attempt, LATER)
        assert sessions.load_attempt(ADA.owner_key, "delivery") == attempt


@pytest.mark.parametrize(
    ("before", "wrong"),
    [
        ([], [SECOND, THIRD]),
        ([FIRST], [FIRST, THIRD]),
        ([FIRST, SECOND], [FIRST, SECOND]),
    ],
)
def test_no_attempt_is_kept_twice_or_out_of_order(
    sessions: SessionStore, before: list[Attempt], wrong: list[Attempt]
) -> None:
    for attempt in before:
        sessions.save_attempt(ADA.owner_key, "delivery", attempt, LATER)

    for attempt in wrong:
        assert not sessions.save_attempt(ADA.owner_key, "delivery", attempt, LATER)
    assert sessions.load_attempt(ADA.owner_key, "delivery") == (before[-1] if before else None)


@pytest.mark.parametrize("before", [[], [FIRST]], ids=["first", "second"])
def test_one_of_many_processes_keeps_an_attempt(sessions: SessionStore, before: list[Attempt]) -> None:
    for attempt in before:
        sessions.save_attempt(ADA.owner_key, "delivery", attempt, LATER)
    taken: list[str] = []

    def take(stream: str) -> None:
        if sessions.save_attempt(ADA.owner_key, "delivery", Attempt(number=len(before) + 1, stream=stream), LATER):
            taken.append(stream)

    at_once(*(partial(take, str(n)) for n in range(6)))

    found = sessions.load_attempt(ADA.owner_key, "delivery")
    assert found is not None
    assert taken == [found.stream]


def test_a_delivery_expires_and_then_begins_with_its_first_attempt(sessions: SessionStore, clock: FixedClock) -> None:
    sessions.save_attempt(ADA.owner_key, "delivery", FIRST, LATER)
    clock.advance(LATER - NOON - MOMENT)

    assert sessions.load_attempt(ADA.owner_key, "delivery") == FIRST
    assert not sessions.save_attempt(ADA.owner_key, "delivery", FIRST, LATER)

    clock.advance(MOMENT)

    assert sessions.load_attempt(ADA.owner_key, "delivery") is None
    assert not sessions.save_attempt(ADA.owner_key, "delivery", SECOND, LATER + timedelta(minutes=1))
    assert sessions.save_attempt(ADA.owner_key, "delivery", FIRST, LATER + timedelta(minutes=1))
    assert sessions.load_attempt(ADA.owner_key, "delivery") == FIRST


def test_no_attempt_is_kept_once_its_time_is_over(sessions: SessionStore, clock: FixedClock) -> None:
    """Whoever read the task before it expired must not send the first attempt's request again, on another stream."""
    sessions.save_attempt(ADA.owner_key, "delivery", FIRST, LATER)
    clock.advance(LATER - NOON)

    assert not sessions.save_attempt(ADA.owner_key, "delivery", FIRST, LATER)
    assert not sessions.save_attempt(ADA.owner_key, "delivery", SECOND, LATER)
    assert not sessions.save_attempt(ADA.owner_key, "other", FIRST, LATER)
    assert sessions.load_attempt(ADA.owner_key, "delivery") is None


def test_a_delivery_is_its_callers_own(sessions: SessionStore) -> None:
    sessions.save_attempt(ADA.owner_key, "delivery", FIRST, LATER)

    assert sessions.load_attempt(ADA.owner_key, "other") is None
    for stranger in (BOB, EVE):
        assert sessions.load_attempt(stranger.owner_key, "delivery") is None
        assert not sessions.save_attempt(stranger.owner_key, "delivery", SECOND, LATER)
        assert sessions.save_attempt(stranger.owner_key, "delivery", FIRST, LATER)
    assert sessions.save_attempt(ADA.owner_key, "delivery", SECOND, LATER)


@pytest.mark.parametrize("name", ["", "x" * 5_000, "é\ud800", "#"], ids=lambda name: repr(name[:6]))
def test_a_delivery_may_have_any_name(sessions: SessionStore, name: str) -> None:
    assert sessions.save_attempt(ADA.owner_key, name, FIRST, LATER)
    assert sessions.load_attempt(ADA.owner_key, name) == FIRST
