"""Sessions belong to one caller and expire a day after their last use."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mcp_tasks.limits.waits import SESSION_FRESH, SESSION_LIFETIME
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.wire.rev_2025_11_25.adapters.memory import MemorySessions
from mcp_tasks.wire.rev_2025_11_25.sessions import Session, Sessions, stream_name
from tests.contract.process import Fuse, When
from tests.kit import ADA, BOB, EVE, FixedClock

VERSION = "2025-11-25"
MOMENT = timedelta(microseconds=1)


def sessions(clock: FixedClock | None = None) -> Sessions:
    clock = clock or FixedClock()
    return Sessions(store=MemorySessions(clock), now=clock.now)


def test_a_session_keeps_what_was_agreed() -> None:
    sessions_of_all = sessions()

    session = sessions_of_all.open(ADA, VERSION, {"roots": {}})

    assert sessions_of_all.find(ADA, session.id) == session
    assert (session.version, session.capabilities, session.log_level) == (VERSION, {"roots": {}}, None)


def test_a_session_id_is_visible_ascii_and_never_the_same() -> None:
    sessions_of_all = sessions()

    ids = {sessions_of_all.open(ADA, VERSION, {}).id for _ in range(100)}

    assert len(ids) == 100
    assert all(0x21 <= ord(letter) <= 0x7E for each in ids for letter in each)
    assert min(map(len, ids)) >= 32


@pytest.mark.parametrize("stranger", [BOB, EVE])
def test_a_session_is_not_found_by_another_caller(stranger: Caller) -> None:
    sessions_of_all = sessions()
    session = sessions_of_all.open(ADA, VERSION, {})

    assert sessions_of_all.find(stranger, session.id) is None
    sessions_of_all.end(stranger, session)
    assert sessions_of_all.find(ADA, session.id) == session


def test_an_unused_session_ends_after_its_lifetime() -> None:
    clock = FixedClock()
    sessions_of_all = sessions(clock)
    session = sessions_of_all.open(ADA, VERSION, {})

    clock.sleep(SESSION_LIFETIME)

    assert sessions_of_all.find(ADA, session.id) is None


def test_use_keeps_a_session_alive() -> None:
    clock = FixedClock()
    sessions_of_all = sessions(clock)
    session = sessions_of_all.open(ADA, VERSION, {})

    for _ in range(5):
        clock.sleep(SESSION_LIFETIME - MOMENT)
        assert sessions_of_all.find(ADA, session.id) == replace(session, expires_at=clock.now() + SESSION_LIFETIME)


def test_a_session_used_early_is_not_written_again() -> None:
    clock = FixedClock()
    sessions_of_all = sessions(clock)
    session = sessions_of_all.open(ADA, VERSION, {})

    clock.sleep(SESSION_LIFETIME / 2)

    assert sessions_of_all.find(ADA, session.id) == session


def test_the_log_level_is_remembered() -> None:
    sessions_of_all = sessions()
    session = sessions_of_all.open(ADA, VERSION, {})

    sessions_of_all.set_log_level(ADA, session, "warning")

    assert sessions_of_all.find(ADA, session.id) == replace(session, log_level="warning")


def initialized(sessions_of_one: Sessions) -> Session:
    """Return a new session whose client has said that it is initialized."""
    session = sessions_of_one.open(ADA, VERSION, {})
    sessions_of_one.set_initialized(ADA, session)
    return replace(session, silent_until=None)


def processes(clock: FixedClock) -> tuple[Sessions, Sessions, list[str]]:
    """Return the sessions of two processes that share a store, and the calls of the store that they make."""
    fuse = Fuse()
    store: Any = fuse.around(MemorySessions(clock))
    return Sessions(store=store, now=clock.now), Sessions(store=store, now=clock.now), fuse.calls


def test_a_process_reads_a_session_once_in_a_while() -> None:
    clock = FixedClock()
    here, there, calls = processes(clock)
    session = initialized(here)
    assert calls == ["save", "set_initialized"]

    assert [here.find_recent(ADA, session.id) for _ in range(3)] == [session] * 3
    assert calls == ["save", "set_initialized"]
    assert [there.find_recent(ADA, session.id) for _ in range(3)] == [session] * 3
    assert calls == ["save", "set_initialized", "load"]
    clock.sleep(SESSION_FRESH)
    assert [here.find_recent(ADA, session.id) for _ in range(3)] == [session] * 3
    assert calls == ["save", "set_initialized", "load", "load"]


def test_a_process_keeps_no_session_that_is_silent() -> None:
    here, there, calls = processes(FixedClock())
    session = here.open(ADA, VERSION, {})
    assert [here.find_recent(ADA, session.id), there.find_recent(ADA, session.id)] == [session] * 2

    there.set_initialized(ADA, session)

    known = replace(session, silent_until=None)
    assert [here.find_recent(ADA, session.id), there.find_recent(ADA, session.id)] == [known] * 2
    assert calls == ["save", "load", "load", "set_initialized", "load"]


def test_a_process_that_serves_streams_keeps_no_session() -> None:
    """Its memory is small, and what it kept it would never look at."""
    here, there, calls = processes(FixedClock())
    session = initialized(here)

    assert [there.find(ADA, session.id), there.find_recent(ADA, session.id)] == [session] * 2
    assert calls == ["save", "set_initialized", "load", "load"]


def test_a_session_that_ended_ends_here_at_once_and_elsewhere_within_seconds() -> None:
    clock = FixedClock()
    here, there, _ = processes(clock)
    session = initialized(here)
    assert there.find_recent(ADA, session.id) == session

    for _ in range(2):
        here.end(ADA, session)

    assert here.find_recent(ADA, session.id) is None
    clock.sleep(SESSION_FRESH - MOMENT)
    assert there.find_recent(ADA, session.id) == session
    there.set_log_level(ADA, session, "debug")
    assert there.find_recent(ADA, session.id) is None
    assert here.find(ADA, session.id) is None


def test_a_session_that_is_asked_for_all_the_time_ends_as_soon() -> None:
    clock = FixedClock()
    here, there, _ = processes(clock)
    session = initialized(here)
    there.find_recent(ADA, session.id)
    here.end(ADA, session)

    found = []
    for _ in range(20):
        found.append(there.find_recent(ADA, session.id) is not None)
        clock.sleep(SESSION_FRESH / 10)

    assert found == [True] * 10 + [False] * 10


def test_a_session_that_is_found_to_have_ended_is_not_believed_any_more() -> None:
    here, there, _ = processes(FixedClock())
    session = initialized(here)
    there.find_recent(ADA, session.id)
    here.end(ADA, session)

    assert there.find(ADA, session.id) is None
    assert there.find_recent(ADA, session.id) is None


def test_a_session_that_ends_while_it_is_prolonged_has_ended() -> None:
    clock = FixedClock()
    at_once = sessions(clock)
    session = at_once.open(ADA, VERSION, {})
    clock.sleep(SESSION_LIFETIME - MOMENT)
    fuse = Fuse(number=1, when="before", burn=lambda: at_once.end(ADA, session))
    interrupted: Any = replace(at_once, store=fuse.around(at_once.store))

    assert interrupted.find(ADA, session.id) is None
    assert at_once.find_recent(ADA, session.id) is None


def test_cancelling_a_request_cancels_no_other() -> None:
    sessions_of_all = sessions()
    session, other = sessions_of_all.open(ADA, VERSION, {}), sessions_of_all.open(ADA, VERSION, {})

    sessions_of_all.cancel_request(ADA, session, 7)

    assert not sessions_of_all.awaits_response(ADA, session.id, 7)
    assert sessions_of_all.awaits_response(ADA, session.id, "7")
    assert sessions_of_all.awaits_response(ADA, session.id, 8)
    assert sessions_of_all.awaits_response(ADA, other.id, 7)
    assert sessions_of_all.awaits_response(EVE, session.id, 7)


def test_cancelling_a_request_returns_the_task_that_is_attached_to_it() -> None:
    sessions_of_all = sessions()
    session = sessions_of_all.open(ADA, VERSION, {})
    assert sessions_of_all.attach_task(ADA, session, 7, "task")

    assert sessions_of_all.awaits_response(ADA, session.id, 7)
    assert sessions_of_all.cancel_request(EVE, session, 7) is None
    assert sessions_of_all.cancel_request(ADA, session, 7) == "task"
    assert not sessions_of_all.awaits_response(ADA, session.id, 7)
    assert sessions_of_all.cancel_request(ADA, session, "7") is None
    assert not sessions_of_all.attach_task(ADA, session, "7", "another")


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("call", range(2))
def test_a_task_that_is_attached_while_its_request_is_cancelled_is_found_by_one_of_them(call: int, when: When) -> None:
    at_once = sessions()
    session, found = at_once.open(ADA, VERSION, {}), []
    fuse = Fuse(number=call, when=when, burn=lambda: found.append(at_once.cancel_request(ADA, session, 7)))
    interrupted: Any = replace(at_once, store=fuse.around(at_once.store))

    attached = interrupted.attach_task(ADA, session, 7, "task")

    assert found == ["task"] or (found == [None] and not attached)


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("call", range(2))
def test_a_request_that_is_cancelled_while_its_task_is_attached_is_found_by_one_of_them(call: int, when: When) -> None:
    at_once = sessions()
    session, attached = at_once.open(ADA, VERSION, {}), []
    fuse = Fuse(number=call, when=when, burn=lambda: attached.append(at_once.attach_task(ADA, session, 7, "task")))
    interrupted: Any = replace(at_once, store=fuse.around(at_once.store))

    found = interrupted.cancel_request(ADA, session, 7)

    assert attached in ([True], [False])
    assert found == "task" or attached == [False]


def test_a_cancellation_is_kept_for_the_lifetime_of_a_session() -> None:
    clock = FixedClock()
    sessions_of_all = sessions(clock)
    session = sessions_of_all.open(ADA, VERSION, {})
    sessions_of_all.cancel_request(ADA, session, 7)

    clock.sleep(SESSION_LIFETIME)

    assert sessions_of_all.awaits_response(ADA, session.id, 7)


def test_streams_are_named_by_session_and_typed_request_id() -> None:
    assert stream_name("s", 7) != stream_name("s", "7")
    assert stream_name("s", 7) != stream_name("t", 7)
