"""Idempotency keys: which requests have the same, and which tasks they stand for."""

from datetime import timedelta

import pytest

from mcp_tasks.limits.waits import IDEMPOTENCY_KEY_LIFETIME
from mcp_tasks.tasks.idempotency import IdempotencyKey
from mcp_tasks.tasks.model import OutcomeKind, State
from tests.kit import a_task

HOUR = timedelta(hours=1)


def test_a_key_that_is_given_has_its_name_and_the_request_is_told_by_its_digest() -> None:
    key = IdempotencyKey.given("monday", "a request")

    assert (key.name, key.lifetime, key.unless_failed) == ("monday", IDEMPOTENCY_KEY_LIFETIME, False)
    assert key == IdempotencyKey.given("monday", "a request")
    assert key.fingerprint != IdempotencyKey.given("monday", "another").fingerprint


def test_requests_join_where_their_content_is_the_same() -> None:
    key = IdempotencyKey.joining({"day": 1}, HOUR)

    assert key == IdempotencyKey.joining({"day": 1}, HOUR)
    assert (key.name, key.lifetime, key.unless_failed) == (f"joined {key.fingerprint}", HOUR, True)
    assert len(key.fingerprint) == 64
    other = IdempotencyKey.joining({"day": 2}, HOUR)
    assert (other.name, other.fingerprint) != (key.name, key.fingerprint)


@pytest.mark.parametrize(
    ("state", "outcome_kind", "joins"),
    [
        (State.WORKING, None, True),
        (State.QUEUED, None, True),
        (State.FINISHED, OutcomeKind.RETURNED, True),
        (State.FINISHED, OutcomeKind.RETURNED_ERROR, False),
        (State.FINISHED, OutcomeKind.FAILED, False),
        (State.CANCELLED, None, False),
    ],
)
def test_nobody_joins_a_task_that_failed_but_a_key_that_was_given_stands_for_it(
    state: State, outcome_kind: OutcomeKind | None, joins: bool
) -> None:
    task = a_task(state=state, outcome_kind=outcome_kind)

    assert IdempotencyKey.joining({}, HOUR).stands_for(task) is joins
    assert IdempotencyKey.given("monday", "").stands_for(task)
