"""The contract of `SessionStore` for subscriptions, in memory and on DynamoDB."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from mcp_tasks.wire.rev_2025_11_25.ports import SessionStore
from tests.kit import ADA, BOB, NOON, FixedClock

URI = "report://2026"
OTHER = "report://2025"
DAY = timedelta(days=1)


@pytest.mark.parametrize("uri", ["", "x" * 4_000, "report://é/\u2028", "#"], ids=lambda uri: repr(uri[:12]))
def test_a_uri_may_be_any_text(sessions: SessionStore, uri: str) -> None:
    sessions.subscribe(ADA.owner_key, "s", uri, 0, NOON + DAY)

    assert sessions.subscriptions(ADA.owner_key, "s") == {uri: 0}


def test_a_session_subscribes_and_unsubscribes(sessions: SessionStore) -> None:
    sessions.subscribe(ADA.owner_key, "s", URI, 3, NOON + DAY)
    sessions.subscribe(ADA.owner_key, "s", OTHER, 0, NOON + DAY)

    assert sessions.subscriptions(ADA.owner_key, "s") == {URI: 3, OTHER: 0}

    for _ in range(2):
        sessions.unsubscribe(ADA.owner_key, "s", URI)

    assert sessions.subscriptions(ADA.owner_key, "s") == {OTHER: 0}


def test_a_subscription_belongs_to_one_session_of_one_caller(sessions: SessionStore) -> None:
    sessions.subscribe(ADA.owner_key, "s", URI, 3, NOON + DAY)
    sessions.unsubscribe(BOB.owner_key, "s", URI)
    sessions.unsubscribe(ADA.owner_key, "t", URI)

    assert sessions.subscriptions(ADA.owner_key, "t") == {}
    assert sessions.subscriptions(BOB.owner_key, "s") == {}
    assert not sessions.claim(BOB.owner_key, "s", URI, 4)
    assert sessions.subscriptions(ADA.owner_key, "s") == {URI: 3}


def test_a_subscription_expires(sessions: SessionStore, clock: FixedClock) -> None:
    sessions.subscribe(ADA.owner_key, "s", URI, 3, NOON + DAY)
    clock.advance(DAY)

    assert sessions.subscriptions(ADA.owner_key, "s") == {}


def test_a_version_is_claimed_once_and_none_after_a_newer_one(sessions: SessionStore) -> None:
    sessions.subscribe(ADA.owner_key, "s", URI, 3, NOON + DAY)

    assert [sessions.claim(ADA.owner_key, "s", URI, version) for version in (3, 5, 5, 4, 6)] == [
        False,
        True,
        False,
        False,
        True,
    ]
    assert sessions.subscriptions(ADA.owner_key, "s") == {URI: 6}


def test_nothing_is_claimed_without_a_subscription(sessions: SessionStore) -> None:
    assert not sessions.claim(ADA.owner_key, "s", URI, 1)


def test_one_of_several_streams_claims_a_version(sessions: SessionStore) -> None:
    sessions.subscribe(ADA.owner_key, "s", URI, 0, NOON + DAY)
    with ThreadPoolExecutor(8) as pool:
        claimed = list(pool.map(lambda _: sessions.claim(ADA.owner_key, "s", URI, 7), range(8)))

    assert sorted(claimed) == [*[False] * 7, True]
