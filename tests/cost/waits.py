"""What waits of any length cost: their looks in simulated time, by what a look was counted to cost."""

import random
import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from mcp_tasks.limits.pace import MAX_SHARE
from mcp_tasks.limits.waits import MAX_HOLD
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
    def of(cls, stage: Stage, counts: Mapping[str, Any], holder: str = "await_task") -> "Unit":
        """Return the prices that explain what a counted wait costs, whose connections that function holds."""
        held_second = stage.settings["memory"][holder] / 1024 * prices.GB_SECOND.each
        held_second += READS_A_SECOND * prices.READ_UNIT.each
        request = (stage.bill(counts).total - _held(counts) * held_second) / counts["requests"]
        return cls(request=request, held_second=held_second)

    def holding(self, stage: Stage, counts: Mapping[str, Any]) -> "Unit":
        """Return the same price of a request, and that of a held second that explains other counts."""
        rest = stage.bill(counts).total - counts["requests"] * self.request
        return Unit(request=self.request, held_second=rest / _held(counts))

    @property
    def held_until(self) -> float:
        """Return the age in seconds up to which it is cheaper to hold than to look in each 5 % of the age.

        What is held takes a request, too, for as long as a gateway lets it be held.
        """
        return self.request / MAX_SHARE / (self.held_second + self.request / MAX_HOLD.total_seconds())

    def waited(self, seconds: float, way: Way) -> Waited:
        """Return what waits of about that length take, which end at any time."""
        chance = random.Random(7)

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


def _held(counts: Mapping[str, Any]) -> float:
    return float(sum(each["held_seconds"] for each in counts["functions"].values()))
