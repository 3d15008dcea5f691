"""What every `SessionStore` promises of the turns of a delivery: one after the other, each taken once."""

from datetime import timedelta
from functools import partial

import pytest

from mcp_tasks.wire.rev_2025_11_25.ports import Attempt, SessionStore
from tests.contract.store_actions import at_once
from tests.kit import ADA, BOB, EVE, NOON, FixedClock

MOMENT = timedelta(microseconds=1)
LATER = NOON + timedelta(minutes=1)
FIRST, SECOND, THIRD = (Attempt(attempt=turn, stream="s", request_id=f"r{turn}") for turn in (1, 2, 3))


def test_turns_come_one_after_the_other(sessions: SessionStore) -> None:
    assert sessions.load_attempt(ADA.owner_key, "way") is None
    for delivery in (FIRST, SECOND, THIRD):
        assert sessions.save_attempt(ADA.owner_key, "way", delivery, LATER)
        assert sessions.load_attempt(ADA.owner_key, "way") == delivery


@pytest.mark.parametrize(
    ("before", "wrong"),
    [
        ([], [SECOND, THIRD]),
        ([FIRST], [FIRST, THIRD]),
        ([FIRST, SECOND], [FIRST, SECOND]),
    ],
)
def test_no_turn_comes_twice_or_too_early(sessions: SessionStore, before: list[Attempt], wrong: list[Attempt]) -> None:
    for delivery in before:
        sessions.save_attempt(ADA.owner_key, "way", delivery, LATER)

    for delivery in wrong:
        assert not sessions.save_attempt(ADA.owner_key, "way", delivery, LATER)
    assert sessions.load_attempt(ADA.owner_key, "way") == (before[-1] if before else None)


@pytest.mark.parametrize("before", [[], [FIRST]], ids=["first", "second"])
def test_one_of_many_gets_the_turn(sessions: SessionStore, before: list[Attempt]) -> None:
    for delivery in before:
        sessions.save_attempt(ADA.owner_key, "way", delivery, LATER)
    taken: list[str] = []

    def take(stream: str) -> None:
        if sessions.save_attempt(ADA.owner_key, "way", Attempt(attempt=len(before) + 1, stream=stream), LATER):
            taken.append(stream)

    at_once(*(partial(take, str(n)) for n in range(6)))

    found = sessions.load_attempt(ADA.owner_key, "way")
    assert found is not None
    assert taken == [found.stream]


def test_a_delivery_is_forgotten_in_time_and_then_begins_anew(sessions: SessionStore, clock: FixedClock) -> None:
    sessions.save_attempt(ADA.owner_key, "way", FIRST, LATER)
    clock.advance(LATER - NOON - MOMENT)

    assert sessions.load_attempt(ADA.owner_key, "way") == FIRST
    assert not sessions.save_attempt(ADA.owner_key, "way", FIRST, LATER)

    clock.advance(MOMENT)

    assert sessions.load_attempt(ADA.owner_key, "way") is None
    assert not sessions.save_attempt(ADA.owner_key, "way", SECOND, LATER + timedelta(minutes=1))
    assert sessions.save_attempt(ADA.owner_key, "way", FIRST, LATER + timedelta(minutes=1))
    assert sessions.load_attempt(ADA.owner_key, "way") == FIRST


def test_a_delivery_is_its_callers_own_and_no_other(sessions: SessionStore) -> None:
    sessions.save_attempt(ADA.owner_key, "way", FIRST, LATER)

    assert sessions.load_attempt(ADA.owner_key, "other") is None
    for stranger in (BOB, EVE):
        assert sessions.load_attempt(stranger.owner_key, "way") is None
        assert not sessions.save_attempt(stranger.owner_key, "way", SECOND, LATER)
        assert sessions.save_attempt(stranger.owner_key, "way", FIRST, LATER)
    assert sessions.save_attempt(ADA.owner_key, "way", SECOND, LATER)


@pytest.mark.parametrize("name", ["", "x" * 5_000, "é\ud800", "#"], ids=lambda name: repr(name[:6]))
def test_a_delivery_may_have_any_name(sessions: SessionStore, name: str) -> None:
    assert sessions.save_attempt(ADA.owner_key, name, FIRST, LATER)
    assert sessions.load_attempt(ADA.owner_key, name) == FIRST
