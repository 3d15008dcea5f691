"""The contract of `SessionStore`, in memory and on DynamoDB."""

from dataclasses import replace
from datetime import timedelta

import pytest

from mcp_tasks.security.tenancy import Caller
from mcp_tasks.wire.rev_2025_11_25.ports import Session, SessionStore, Stream
from tests.kit import ADA, BOB, EVE, NOON, FixedClock

MOMENT = timedelta(microseconds=1)
SESSION = Session(
    id="4fj-_9",
    version="2025-11-25",
    capabilities={"elicitation": {"form": {}}, "odd": ["\ud800", None, 1.5]},
    expires_at=NOON + timedelta(seconds=10, microseconds=700_000),
)


def test_a_session_is_loaded_as_it_was_saved_and_changed_since(sessions: SessionStore) -> None:
    sessions.save(ADA.owner_key, SESSION)

    assert sessions.load(ADA.owner_key, SESSION.id) == SESSION

    sessions.set_log_level(ADA.owner_key, SESSION.id, "info")
    sessions.set_log_level(ADA.owner_key, SESSION.id, "debug")
    later = NOON + timedelta(days=1, microseconds=300_000)

    assert sessions.prolong(ADA.owner_key, SESSION.id, later)
    assert sessions.load(ADA.owner_key, SESSION.id) == replace(SESSION, log_level="debug", expires_at=later)


def test_a_session_is_silent_until_its_client_is_initialized(sessions: SessionStore) -> None:
    silent = replace(SESSION, silent_until=NOON + timedelta(minutes=10, microseconds=7))
    sessions.save(ADA.owner_key, silent)
    assert sessions.load(ADA.owner_key, SESSION.id) == silent

    for _ in range(2):
        sessions.set_initialized(ADA.owner_key, SESSION.id)
        assert sessions.load(ADA.owner_key, SESSION.id) == SESSION


@pytest.mark.parametrize("stranger", [BOB, EVE], ids=["of the same tenant", "of another tenant"])
def test_nobody_reads_changes_or_ends_a_session_of_another_caller(sessions: SessionStore, stranger: Caller) -> None:
    silent = replace(SESSION, silent_until=NOON + timedelta(minutes=10))
    sessions.save(ADA.owner_key, silent)

    sessions.set_log_level(stranger.owner_key, SESSION.id, "debug")
    sessions.set_initialized(stranger.owner_key, SESSION.id)
    sessions.end(stranger.owner_key, SESSION.id)

    assert not sessions.prolong(stranger.owner_key, SESSION.id, NOON + timedelta(days=1))
    assert sessions.load(stranger.owner_key, SESSION.id) is None
    assert sessions.load(ADA.owner_key, SESSION.id) == silent


def test_a_session_that_ended_is_gone_and_not_brought_back_by_a_change(sessions: SessionStore) -> None:
    sessions.save(ADA.owner_key, SESSION)
    sessions.end(ADA.owner_key, SESSION.id)
    sessions.end(ADA.owner_key, SESSION.id)
    assert sessions.load(ADA.owner_key, SESSION.id) is None

    sessions.set_log_level(ADA.owner_key, SESSION.id, "debug")
    sessions.set_initialized(ADA.owner_key, SESSION.id)

    assert not sessions.prolong(ADA.owner_key, SESSION.id, NOON + timedelta(days=1))
    assert sessions.load(ADA.owner_key, SESSION.id) is None


@pytest.mark.parametrize("name", ["", "nobody", "x" * 5_000, "é", "\ud800", "#"], ids=lambda name: repr(name[:6]))
def test_no_text_at_all_is_an_error_instead_of_an_unknown_session(sessions: SessionStore, name: str) -> None:
    sessions.end(ADA.owner_key, name)

    assert sessions.load(ADA.owner_key, name) is None


def test_a_session_expires_to_the_microsecond(sessions: SessionStore, clock: FixedClock) -> None:
    sessions.save(ADA.owner_key, SESSION)
    clock.advance(SESSION.expires_at - NOON - MOMENT)

    assert sessions.load(ADA.owner_key, SESSION.id) == SESSION

    clock.advance(MOMENT)

    assert sessions.load(ADA.owner_key, SESSION.id) is None


@pytest.mark.parametrize("name", ["7", '"7"', "", "x" * 5_000, "é\ud800"], ids=lambda name: repr(name[:6]))
@pytest.mark.parametrize("task_id", [None, "t"])
@pytest.mark.parametrize("cancelled", ["before", "after", None])
def test_a_stream_keeps_its_task_and_its_cancellation_in_any_order_until_it_expires(
    sessions: SessionStore, clock: FixedClock, name: str, task_id: str | None, cancelled: str | None
) -> None:
    until = NOON + timedelta(minutes=1)
    assert sessions.load_stream(ADA.owner_key, name) is None

    sessions.attach_task(ADA.owner_key, name, "another", until)
    if cancelled == "before":
        sessions.cancel_stream(ADA.owner_key, name, until)
    sessions.attach_task(ADA.owner_key, name, task_id, until)
    if cancelled == "after":
        sessions.cancel_stream(ADA.owner_key, name, until)
    clock.advance(timedelta(minutes=1) - MOMENT)

    assert sessions.load_stream(ADA.owner_key, name) == Stream(task_id=task_id, cancelled=cancelled is not None)

    clock.advance(MOMENT)

    assert sessions.load_stream(ADA.owner_key, name) is None


def test_a_stream_of_which_only_the_cancellation_is_known_has_no_task(sessions: SessionStore) -> None:
    sessions.cancel_stream(ADA.owner_key, "7", NOON + timedelta(minutes=1))

    assert sessions.load_stream(ADA.owner_key, "7") == Stream(cancelled=True)


def test_what_is_kept_of_a_stream_belongs_to_its_name_and_caller(sessions: SessionStore) -> None:
    sessions.cancel_stream(ADA.owner_key, "7", NOON + timedelta(minutes=1))

    assert sessions.load_stream(ADA.owner_key, '"7"') is None
    assert sessions.load_stream(BOB.owner_key, "7") is None
    assert sessions.load_stream(EVE.owner_key, "7") is None
