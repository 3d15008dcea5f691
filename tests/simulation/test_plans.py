"""Our own count of buckets, against which those of the server are held."""

from datetime import timedelta
from random import Random

import pytest

from mcp_tasks.adapters.memory.buckets import MemoryBuckets
from mcp_tasks.ports.buckets import Rate
from tests.kit import FixedClock
from tests.simulation.plans import CountedBuckets

BEFORE, AFTER = Rate(burst=1, per_second=0.5), Rate(burst=5, per_second=0.05)


@pytest.mark.parametrize("seed", range(10))
def test_our_own_count_agrees_with_a_bucket_whose_rate_changes_while_it_is_never_full(seed: int) -> None:
    random, clock = Random(seed), FixedClock()
    buckets, counted = MemoryBuckets(clock), CountedBuckets()
    # For a while, some processes know of the change and some do not.
    believed = [*([BEFORE] * 5), *random.choices([BEFORE, AFTER], k=10), *([AFTER] * 50)]

    for rate in believed:
        ready = buckets.take("rival", "requests", 1, rate)
        counted.count(("rival", "requests", 1, 1), (rate.per_second, rate.burst), ready, clock.now())
        clock.advance(timedelta(seconds=round(random.uniform(0, 2 if rate is BEFORE else 30), 3)))

    assert counted.wrong == []
    assert 0 < len(counted.refused) < len(believed)
