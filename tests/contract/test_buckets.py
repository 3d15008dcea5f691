"""The contract of `Buckets`, in memory and on DynamoDB."""

from datetime import timedelta

import pytest

from mcp_tasks.ports.buckets import Buckets, Rate
from tests.contract.store_actions import at_once
from tests.kit import ADA, BOB, EVE, NOON, FixedClock

RATE = Rate(burst=10, per_second=2)


def test_a_bucket_begins_full_and_is_used_down_to_nothing(buckets: Buckets) -> None:
    assert [buckets.take("acme", "requests", 1, RATE) for _ in range(10)] == [None] * 10

    assert buckets.take("acme", "requests", 1, RATE) == NOON + timedelta(seconds=0.5)
    assert buckets.left("acme", "requests", RATE) == pytest.approx(0, abs=0.001)


def test_a_bucket_fills_at_its_rate_and_never_above_its_size(buckets: Buckets, clock: FixedClock) -> None:
    for _ in range(10):
        buckets.take("acme", "requests", 1, RATE)
    clock.advance(timedelta(seconds=2))

    assert buckets.left("acme", "requests", RATE) == pytest.approx(4, abs=0.001)
    assert [buckets.take("acme", "requests", 1, RATE) is None for _ in range(5)] == [True] * 4 + [False]

    clock.advance(timedelta(hours=1))

    assert buckets.left("acme", "requests", RATE) == 10
    assert [buckets.take("acme", "requests", 1, RATE) is None for _ in range(11)] == [True] * 10 + [False]


def test_who_takes_more_than_there_is_owes_it_and_nobody_takes_before_that_is_paid(
    buckets: Buckets, clock: FixedClock
) -> None:
    for count in (9, 5):
        assert buckets.take("acme", "requests", count, RATE) is None

    assert buckets.left("acme", "requests", RATE) == pytest.approx(-4, abs=0.001)
    assert buckets.take("acme", "requests", 1, RATE) == NOON + timedelta(seconds=2.5)

    clock.advance(timedelta(seconds=2.5))

    assert buckets.take("acme", "requests", 1, RATE) is None


def test_who_needs_more_than_there_is_waits_for_all_of_it_and_owes_nothing(buckets: Buckets, clock: FixedClock) -> None:
    assert buckets.take("acme", "bytes", 4, RATE, least=4) is None

    assert buckets.take("acme", "bytes", 8, RATE, least=8) == NOON + timedelta(seconds=1)
    assert buckets.left("acme", "bytes", RATE) == pytest.approx(6, abs=0.001)

    clock.advance(timedelta(seconds=1))

    assert buckets.take("acme", "bytes", 8, RATE, least=8) is None
    assert buckets.left("acme", "bytes", RATE) == pytest.approx(0, abs=0.001)


def test_a_full_bucket_gives_all_that_it_holds(buckets: Buckets, clock: FixedClock) -> None:
    for _ in range(2):
        assert buckets.take("acme", "bytes", 10, RATE, least=10) is None
        assert buckets.take("acme", "bytes", 10, RATE, least=10) == clock.now() + timedelta(seconds=5)
        clock.advance(timedelta(seconds=5))


def test_nothing_is_taken_where_it_is_refused(buckets: Buckets, clock: FixedClock) -> None:
    buckets.take("acme", "requests", 10, RATE)
    for _ in range(3):
        assert buckets.take("acme", "requests", 10, RATE) == NOON + timedelta(seconds=0.5)
    clock.advance(timedelta(seconds=0.5))

    assert buckets.take("acme", "requests", 1, RATE) is None


def test_a_slower_rate_holds_from_the_next_moment_on(buckets: Buckets) -> None:
    buckets.take("acme", "requests", 8, RATE)

    assert buckets.take("acme", "requests", 1, Rate(burst=2, per_second=1)) == NOON + timedelta(seconds=3)


def test_a_day_may_hold_one_thing_alone(buckets: Buckets) -> None:
    daily = Rate(burst=1, per_second=1 / 86_400)

    assert buckets.take("acme", "sessions", 1, daily) is None
    ready = buckets.take("acme", "sessions", 1, daily)
    assert ready is not None
    assert abs(ready - NOON - timedelta(days=1)) < timedelta(seconds=1)


@pytest.mark.parametrize("rate", [Rate(burst=10**12, per_second=0.001), Rate(burst=1, per_second=10**12)])
def test_extreme_rates_are_no_errors(buckets: Buckets, rate: Rate) -> None:
    assert buckets.take("acme", "requests", 20, rate) is None
    buckets.take("acme", "requests", 20, rate)


def test_no_bucket_is_another_ones(buckets: Buckets) -> None:
    owners = ["acme", "acme%23ada", ADA.owner_key, BOB.owner_key, EVE.owner_key, "rival"]
    for owner in owners:
        for bucket in ("requests", "sessions"):
            assert buckets.take(owner, bucket, 10, RATE) is None
            assert buckets.take(owner, bucket, 1, RATE) is not None


def test_threads_that_race_take_what_there_is(buckets: Buckets) -> None:
    answers: list[object] = []

    at_once(*[lambda: answers.append(buckets.take("acme", "requests", 1, RATE))] * 30)

    assert answers.count(None) == 10
