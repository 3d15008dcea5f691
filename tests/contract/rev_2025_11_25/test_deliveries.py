"""What every `SessionStore` promises of deliveries about a client's own tasks, in memory and on DynamoDB."""

from dataclasses import replace
from datetime import timedelta

import pytest

from mcp_tasks.wire.rev_2025_11_25.ports import Attempt, SessionStore
from tests.kit import ADA, NOON

LATER = NOON + timedelta(minutes=10)
LOOK = Attempt(
    attempt=1,
    stream='session:"7"',
    request_id="r-1",
    not_before=NOON + timedelta(minutes=1, microseconds=7),
    rejected=2,
    step="tasks/get",
    client_task="client-1",
)


@pytest.mark.parametrize(
    "delivery",
    [
        LOOK,
        replace(LOOK, stream=None, request_id=None),
        replace(LOOK, not_before=None),
        replace(LOOK, not_before=NOON),
        replace(LOOK, rejected=0),
        replace(LOOK, step="ask", client_task=None),
        replace(LOOK, client_task=""),
        replace(LOOK, client_task="é" * 256),
        Attempt(step="ask"),
        Attempt(),
    ],
)
def test_a_delivery_is_loaded_as_it_was_saved(sessions: SessionStore, delivery: Attempt) -> None:
    assert sessions.save_attempt(ADA.owner_key, "way", delivery, LATER)

    assert sessions.load_attempt(ADA.owner_key, "way") == delivery


def test_the_next_turn_leaves_nothing_of_the_last_one(sessions: SessionStore) -> None:
    sessions.save_attempt(ADA.owner_key, "way", LOOK, LATER)

    assert sessions.save_attempt(ADA.owner_key, "way", Attempt(attempt=2), LATER)
    assert sessions.load_attempt(ADA.owner_key, "way") == Attempt(attempt=2)


def test_of_two_that_come_next_the_first_stays(sessions: SessionStore) -> None:
    sessions.save_attempt(ADA.owner_key, "way", LOOK, LATER)
    first, second = (replace(LOOK, attempt=2, stream=stream, step="tasks/cancel") for stream in ("a", "b"))

    saved = [sessions.save_attempt(ADA.owner_key, "way", each, LATER) for each in (first, second)]

    assert saved == [True, False]
    assert sessions.load_attempt(ADA.owner_key, "way") == first
