"""The contract of `SessionStore` for deliveries about a client's own tasks, in memory and on DynamoDB."""

from dataclasses import replace
from datetime import timedelta

import pytest

from mcp_tasks.wire.rev_2025_11_25.ports import Attempt, SessionStore
from tests.kit import ADA, NOON

LATER = NOON + timedelta(minutes=10)
POLL = Attempt(
    number=1,
    stream='session:"7"',
    request_id="r-1",
    not_before=NOON + timedelta(minutes=1, microseconds=7),
    rejected=2,
    kind="tasks/get",
    client_task="client-1",
)


@pytest.mark.parametrize(
    "attempt",
    [
        POLL,
        replace(POLL, stream=None, request_id=None),
        replace(POLL, not_before=None),
        replace(POLL, not_before=NOON),
        replace(POLL, rejected=0),
        replace(POLL, kind="ask", client_task=None),
        replace(POLL, client_task=""),
        replace(POLL, client_task="é" * 256),
        Attempt(kind="ask"),
        Attempt(),
    ],
)
def test_an_attempt_is_loaded_as_it_was_saved(sessions: SessionStore, attempt: Attempt) -> None:
    assert sessions.save_attempt(ADA.owner_key, "delivery", attempt, LATER)

    assert sessions.load_attempt(ADA.owner_key, "delivery") == attempt


def test_an_attempt_replaces_the_one_before(sessions: SessionStore) -> None:
    sessions.save_attempt(ADA.owner_key, "delivery", POLL, LATER)

    assert sessions.save_attempt(ADA.owner_key, "delivery", Attempt(number=2), LATER)
    assert sessions.load_attempt(ADA.owner_key, "delivery") == Attempt(number=2)


def test_of_two_next_attempts_the_first_is_kept(sessions: SessionStore) -> None:
    sessions.save_attempt(ADA.owner_key, "delivery", POLL, LATER)
    first, second = (replace(POLL, number=2, stream=stream, kind="tasks/cancel") for stream in ("a", "b"))

    saved = [sessions.save_attempt(ADA.owner_key, "delivery", each, LATER) for each in (first, second)]

    assert saved == [True, False]
    assert sessions.load_attempt(ADA.owner_key, "delivery") == first
