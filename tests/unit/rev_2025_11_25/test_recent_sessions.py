"""What a process keeps of sessions: for a time, of a bounded number, and for their callers only."""

from datetime import timedelta

import pytest

from mcp_tasks.limits.tenants import MAX_RECENT_SESSIONS
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.wire.rev_2025_11_25.ports import Session
from mcp_tasks.wire.rev_2025_11_25.recent_sessions import RecentSessions
from tests.kit import ADA, BOB, EVE, NOON

MOMENT = timedelta(microseconds=1)
SOON = NOON + timedelta(seconds=5)


def session(name: str = "s", lifetime: timedelta = timedelta(hours=1)) -> Session:
    return Session(id=name, version="2025-11-25", capabilities={}, expires_at=NOON + lifetime)


def test_a_session_is_kept_until_its_time_is_over() -> None:
    recent = RecentSessions()
    recent.keep(ADA.owner_key, session(), SOON)

    assert recent.get(ADA.owner_key, "s", SOON - MOMENT) == session()
    assert recent.get(ADA.owner_key, "s", SOON) is None


def test_a_session_is_kept_no_longer_than_it_lasts() -> None:
    recent, short = RecentSessions(), session(lifetime=timedelta(seconds=1))
    recent.keep(ADA.owner_key, short, SOON)

    assert recent.get(ADA.owner_key, "s", short.expires_at - MOMENT) == short
    assert recent.get(ADA.owner_key, "s", short.expires_at) is None


@pytest.mark.parametrize("stranger", [BOB, EVE], ids=["of the same tenant", "of another tenant"])
def test_nobody_is_given_the_session_of_another_caller_or_has_it_forgotten(stranger: Caller) -> None:
    recent = RecentSessions()
    recent.keep(ADA.owner_key, session(), SOON)
    recent.forget(stranger.owner_key, "s")

    assert recent.get(stranger.owner_key, "s", NOON) is None
    assert recent.get(ADA.owner_key, "s", NOON) == session()


def test_a_session_that_is_forgotten_is_gone() -> None:
    recent = RecentSessions()
    recent.keep(ADA.owner_key, session(), SOON)
    recent.forget(ADA.owner_key, "s")
    recent.forget(ADA.owner_key, "s")

    assert recent.get(ADA.owner_key, "s", NOON) is None


def test_the_sessions_that_were_kept_longest_make_room() -> None:
    recent = RecentSessions()
    names = [str(number) for number in range(MAX_RECENT_SESSIONS + 10)]
    for name in names:
        recent.keep(ADA.owner_key, session(name), SOON)
        recent.keep(ADA.owner_key, session(names[0]), SOON)

    kept = [name for name in names if recent.get(ADA.owner_key, name, NOON)]

    assert kept == [names[0], *names[-MAX_RECENT_SESSIONS + 1 :]]
