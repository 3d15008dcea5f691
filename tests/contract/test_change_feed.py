"""The contract of `ChangeFeed`, in memory and on DynamoDB."""

from datetime import timedelta

import pytest

from mcp_tasks.ports.change_feed import ChangeFeed
from tests.kit import ADA, BOB, EVE, FixedClock

URI = "report://2026"
OTHER = "report://2025"
DAY = timedelta(days=1)


def test_a_version_rises_with_each_change_of_its_address_and_no_other(change_feed: ChangeFeed) -> None:
    versions = [change_feed.version(ADA.owner_key, URI)]
    for _ in range(3):
        change_feed.publish(ADA.owner_key, URI)
        versions.append(change_feed.version(ADA.owner_key, URI))

    assert versions[0] == 0
    assert sorted(set(versions)) == versions
    assert change_feed.version(ADA.owner_key, OTHER) == 0


def test_callers_of_one_tenant_share_a_change_feed_and_nobody_else_sees_it(change_feed: ChangeFeed) -> None:
    change_feed.publish(ADA.owner_key, URI)

    assert change_feed.version(BOB.owner_key, URI) == change_feed.version(ADA.owner_key, URI) > 0
    assert change_feed.version(EVE.owner_key, URI) == 0


def test_a_version_rises_also_when_its_change_comes_from_a_clock_that_is_behind(
    change_feed: ChangeFeed, clock: FixedClock
) -> None:
    change_feed.publish(ADA.owner_key, URI)
    before = change_feed.version(ADA.owner_key, URI)
    clock.advance(-timedelta(seconds=5))
    change_feed.publish(ADA.owner_key, URI)

    assert change_feed.version(ADA.owner_key, URI) > before


def test_a_version_rises_above_one_that_was_forgotten(change_feed: ChangeFeed, clock: FixedClock) -> None:
    change_feed.publish(ADA.owner_key, URI)
    before = change_feed.version(ADA.owner_key, URI)
    clock.advance(400 * DAY)
    change_feed.publish(ADA.owner_key, URI)

    assert change_feed.version(ADA.owner_key, URI) > before


@pytest.mark.parametrize("uri", ["", "x" * 4_000, "report://é/\u2028", "#"], ids=lambda uri: repr(uri[:12]))
def test_an_address_may_be_any_text(change_feed: ChangeFeed, uri: str) -> None:
    change_feed.publish(ADA.owner_key, uri)

    assert change_feed.version(ADA.owner_key, uri) > 0
