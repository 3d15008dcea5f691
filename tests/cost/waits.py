"""What waits of any length cost: their looks in simulated time, by what a look was counted to cost."""

import random
import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tests.cost import prices
from tests.cost.bill import Stage
from tests.scale.crowd import READS_A_SECOND, lately
from tests.scale.policies import Way
from tests.scale.waiting import Wait, Work, wait

LENGTHS: Final = {"1 s": 1, "10 s": 10, "1 min": 60, "10 min": 600, "1 h": 3600}
MANY: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Waited:
    """What one wait of a length took on average, and what it costs."""

    requests: float
    held: float
    late: float
    dollars: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """What a request of who waits costs, and a second that it is held."""

    request: float
    held_second: float

    @classmethod
    def of(cls, stage: Stage, counts: Mapping[str, Any]) -> "Unit":
        """Return the prices that explain what a counted wait costs."""
        held_second = stage.settings["memory"]["await_task"] / 1024 * prices.GB_SECOND.each
        held_second += READS_A_SECOND * prices.READ_UNIT.each
        held = sum(each["held_seconds"] for each in counts["functions"].values())
        return cls(
            request=(stage.bill(counts).total - held * held_second) / counts["requests"], held_second=held_second
        )

    def waited(self, seconds: float, way: Way, seed: int = 7) -> Waited:
        """Return what waits of about that length take, which end at any time."""
        chance = random.Random(seed)

        def draw(chance: random.Random) -> Work:
            return Work(works=seconds * chance.uniform(0.95, 1.05))

        pace = way.policy(lately(draw) if way.knows else None)
        found = [wait(draw(chance), pace, chance) for _ in range(MANY)]
        requests, held = (
            statistics.fmean(len(each.requests) for each in found),
            statistics.fmean(each.held for each in found),
        )
        return Waited(
            requests=requests,
            held=held,
            late=statistics.fmean(each.late for each in found),
            dollars=requests * self.request + held * self.held_second,
        )

    def cost(self, wait: Wait) -> float:
        """Return what a simulated wait costs."""
        return len(wait.requests) * self.request + wait.held * self.held_second
