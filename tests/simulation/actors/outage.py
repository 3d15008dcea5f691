"""Step Functions and Lambda's queue are away for a time, so that what failed once fails again when it is repeated."""

from typing import ClassVar

from tests.simulation.actors import Actor, Moves, Weights
from tests.simulation.world import World


class Outage(Actor):
    """Lasts as long as there is none."""

    kind = "outage"
    weights: ClassVar[Weights] = {"begins": 2, "ends": 2}

    def __init__(self, world: World) -> None:
        self.world = world

    def moves(self) -> Moves:
        return {"ends": self._end} if self.world.executor_is_down else {"begins": self._begin}

    def _begin(self) -> None:
        self.world.executor_is_down = True

    def _end(self) -> None:
        self.world.executor_is_down = False
