"""A crowd of those who wait, each for a task of its own: what they ask of an account, second by second."""

import math
import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from mcp_tasks.tasks.durations import Durations
from tests.scale.policies import Way
from tests.scale.waiting import Work, wait

HOUR: Final = 3600.0
KNOWN: Final = 300
"""Tasks that have ended of a tool of which it is known how long it takes."""

SIMULATED: Final = 2_000
"""Different waits that are simulated: in a larger crowd each is that of several, who begin at different times."""

READS_A_SECOND: Final = 1.0
"""Read units of a connection that is held: it reads the task about each half second, for half a unit."""


def about_a_minute(chance: random.Random) -> Work:
    """Return work of about a minute."""
    return Work(works=max(1.0, chance.gauss(60, 6)))


def long_tail(chance: random.Random) -> Work:
    """Return work of half a minute in the middle, and hours at the far end."""
    return Work(works=min(chance.lognormvariate(math.log(30), 1.5), 24 * HOUR))


def quick_or_hours(chance: random.Random) -> Work:
    """Return work of seconds mostly, or of hours, or work that waits hours for an answer."""
    kind = chance.random()
    if kind < 0.8:
        return Work(works=chance.uniform(1, 5))
    if kind < 0.95:
        return Work(works=chance.uniform(1, 4) * HOUR)
    return Work(works=60, asks_after=30, answered_after=chance.uniform(1, 8) * HOUR)


DISTRIBUTIONS: Final[Mapping[str, Callable[[random.Random], Work]]] = {
    "about a minute": about_a_minute,
    "half a minute, with a long tail": long_tail,
    "seconds, hours, or suspended": quick_or_hours,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What a crowd asks a second at its peak, over ten seconds, how late it hears, and what one wait takes."""

    requests: float
    held: float
    reads: float
    late: tuple[float, float, float]
    """Of half of them, of 95 and of 99 in 100 at most."""

    looks: float
    seconds_held: float
    seconds: float


def crowd(count: int, draw: Callable[[random.Random], Work], way: Way, *, reads: float = 2) -> Figures:
    """Have so many wait, who begin evenly over as long as a wait takes on average; a request takes `reads`."""
    chance = random.Random(7)
    pace = way.policy(lately(draw) if way.knows else None)
    works = [draw(chance) for _ in range(min(count, SIMULATED))]
    waits = [wait(work, pace, chance) for work in works]
    span = sum(work.seconds for work in works) / len(works)
    begun, changed = Counter[int](), Counter[int]()
    for number in range(count):
        start, found = span * number / count, waits[number % len(waits)]
        begun.update([int(start + at) for at in found.requests])
        for since, until in found.holds:
            changed[int(start + since)] += 1
            changed[int(start + until) + 1] -= 1
    held, requests = _running(changed), _smooth(begun)
    late = sorted(each.late for each in waits)
    return Figures(
        requests=round(max(requests.values()), 1),
        held=max(held.values(), default=0),
        reads=round(max(reads * requests[at] + READS_A_SECOND * held.get(at, 0) for at in requests), 1),
        late=(_quantile(late, 0.5), _quantile(late, 0.95), _quantile(late, 0.99)),
        looks=round(sum(len(each.requests) for each in waits) / len(waits), 3),
        seconds_held=round(sum(each.held for each in waits) / len(waits), 3),
        seconds=round(span, 1),
    )


def lately(draw: Callable[[random.Random], Work]) -> Durations:
    """Return how long such work took lately."""
    chance = random.Random(8)
    return Durations().adding([timedelta(seconds=draw(chance).seconds) for _ in range(KNOWN)])


def _running(changed: Counter[int]) -> dict[int, float]:
    total, found = 0.0, {}
    for at in range(min(changed, default=0), max(changed, default=0) + 1):
        total += changed.get(at, 0)
        if total:
            found[at] = total
    return found


def _smooth(counted: Counter[int]) -> dict[int, float]:
    """Return how many a second there are, on average over the ten seconds from each."""
    return {at: sum(counted.get(at + more, 0) for more in range(10)) / 10 for at in counted}


def _quantile(ordered: list[float], share: float) -> float:
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 2)
