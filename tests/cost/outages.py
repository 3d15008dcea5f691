"""The cost of an outage in retries, computed by the definition: the emulator cannot have an outage of an hour."""

from collections.abc import Mapping
from datetime import timedelta
from itertools import accumulate
from typing import Any


def retries_within(outage: timedelta, retry: Mapping[str, Any]) -> int:
    """Return how often a state is tried again within an outage; each time is a transition.

    With full jitter, a wait is half as long on average as it may be.  An attempt takes no time here, so that there are
    fewer on AWS.
    """
    waits = (
        min(retry["IntervalSeconds"] * retry["BackoffRate"] ** number, retry["MaxDelaySeconds"]) / 2
        for number in range(retry["MaxAttempts"])
    )
    return sum(passed <= outage.total_seconds() for passed in accumulate(waits))
