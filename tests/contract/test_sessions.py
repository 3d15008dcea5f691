"""What every `SessionStore` promises, in memory and on DynamoDB."""

from dataclasses import replace
from datetime import timedelta

import pytest

from mcp_tasks.ports import Session, SessionStore
from tests.kit import ADA, BOB, EVE, NOON, FixedClock

MOMENT = timedelta(microseconds=1)
SESSION = Session(
    id="4fj-_9",
    version="2025-11-25",
    capabilities={"elicitation": {"form": {}}, "odd": ["\ud800", None, 1.5]},
    expires_at=NOON + timedelta(seconds=10, microseconds=700_000),
)


def test_a_session_is_loaded_as_it_was_saved_last(sessions: SessionStore) -> None:
    sessions.save(ADA.scope, SESSION)

    assert sessions.load(ADA.scope, SESSION.id) == SESSION

    changed = replace(SESSION, log_level="debug", expires_at=NOON + timedelta(days=1))
    sessions.save(ADA.scope, changed)

    assert sessions.load(ADA.scope, SESSION.id) == changed


@pytest.mark.parametrize("stranger", [BOB, EVE], ids=["of the same tenant", "of another tenant"])
def test_a_session_is_its_callers_own(sessions: SessionStore, stranger: object) -> None:
    assert isinstance(stranger, type(ADA))
    sessions.save(ADA.scope, SESSION)
    sessions.end(stranger.scope, SESSION.id)

    assert sessions.load(stranger.scope, SESSION.id) is None
    assert sessions.load(ADA.scope, SESSION.id) == SESSION


@pytest.mark.parametrize("name", ["", "nobody", "x" * 5_000, "é", "\ud800", "#"], ids=lambda name: repr(name[:6]))
def test_no_text_at_all_is_an_error_instead_of_an_unknown_session(sessions: SessionStore, name: str) -> None:
    sessions.end(ADA.scope, name)

    assert sessions.load(ADA.scope, name) is None


def test_a_session_that_ended_is_gone(sessions: SessionStore) -> None:
    sessions.save(ADA.scope, SESSION)
    sessions.end(ADA.scope, SESSION.id)
    sessions.end(ADA.scope, SESSION.id)

    assert sessions.load(ADA.scope, SESSION.id) is None


def test_a_session_expires_to_the_microsecond(sessions: SessionStore, clock: FixedClock) -> None:
    sessions.save(ADA.scope, SESSION)
    clock.advance(SESSION.expires_at - NOON - MOMENT)

    assert sessions.load(ADA.scope, SESSION.id) == SESSION

    clock.advance(MOMENT)

    assert sessions.load(ADA.scope, SESSION.id) is None


@pytest.mark.parametrize("stream", ["7", '"7"', "", "x" * 5_000, "é\ud800"], ids=lambda name: repr(name[:6]))
def test_a_dropped_stream_stays_so_for_its_time(sessions: SessionStore, clock: FixedClock, stream: str) -> None:
    assert not sessions.is_dropped(ADA.scope, stream)

    sessions.drop_stream(ADA.scope, stream, NOON + timedelta(minutes=1))
    clock.advance(timedelta(minutes=1) - MOMENT)

    assert sessions.is_dropped(ADA.scope, stream)

    clock.advance(MOMENT)

    assert not sessions.is_dropped(ADA.scope, stream)


def test_to_drop_a_stream_touches_no_other(sessions: SessionStore) -> None:
    sessions.drop_stream(ADA.scope, "7", NOON + timedelta(minutes=1))

    assert not sessions.is_dropped(ADA.scope, '"7"')
    assert not sessions.is_dropped(BOB.scope, "7")
    assert not sessions.is_dropped(EVE.scope, "7")
