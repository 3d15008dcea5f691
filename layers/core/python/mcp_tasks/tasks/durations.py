"""How long the tasks of a tool took lately: a histogram of few numbers, in which what is older counts less and less.

A bucket is a fifth longer than the one before it, so that a duration is known to a fifth whether it is seconds or days.
"""

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import accumulate
from typing import Final

from mcp_tasks.limits.pace import MAX_REMEMBERED, MIN_MEASURED, SHORTEST_DURATION

FACTOR: Final = 1.2

BUCKETS: Final = 82
"""From a quarter of a second to the seven days that a task lives at most; what is longer is in the last."""


@dataclass(frozen=True, slots=True)
class Durations:
    """The histogram: `counts[i]` tasks took up to `SHORTEST_DURATION * FACTOR**i`."""

    counts: Sequence[float] = (0.0,) * BUCKETS

    def __post_init__(self) -> None:
        """Raise `ValueError` where the counts are no histogram."""
        if len(self.counts) != BUCKETS or not all(0 <= each < math.inf for each in self.counts):
            raise ValueError("these are not the counts of a histogram of durations")

    def adding(self, durations: Sequence[timedelta]) -> "Durations":
        """Return the histogram with further durations, in which it and they count."""
        counts = list(self.counts)
        for each in durations:
            counts[_bucket(each)] += 1
        while sum(counts) > MAX_REMEMBERED:
            counts = [each / 2 for each in counts]
        return Durations(tuple(round(each, 2) for each in counts))

    def window(self, age: timedelta) -> tuple[timedelta, timedelta] | None:
        """Return between which durations nine of ten tasks end that are not over at this age, if enough are known.

        It is rounded so that it is rather too wide: from the lower end of one bucket to the upper end of another.
        """
        first = _bucket(age)
        left = self.counts[first:]
        if sum(self.counts) < MIN_MEASURED or sum(left) < 1:
            return None
        low, high = (first + _quantile(left, share) for share in (0.05, 0.95))
        return _upper_end(low - 1), _upper_end(high)


def _bucket(duration: timedelta) -> int:
    factor = max(duration / SHORTEST_DURATION, 1.0)
    return min(math.ceil(math.log(factor, FACTOR) - 1e-9), BUCKETS - 1)


def _upper_end(bucket: int) -> timedelta:
    return SHORTEST_DURATION * FACTOR**bucket if bucket >= 0 else timedelta()


def _quantile(counts: Sequence[float], share: float) -> int:
    """Return the index at which so great a share of all has been counted."""
    # Of the last one itself: from Python 3.12 on, `sum` rounds in another way, and could be more than all.
    counted = list(accumulate(counts))
    return bisect_left(counted, share * counted[-1])
