"""Services of AWS are away for a time, so that what failed once fails again when it is repeated."""

from datetime import timedelta
from typing import ClassVar, Final

from tests.simulation.actors import LAMBDA, STREAM, Actor, Moves, Weights
from tests.simulation.chances import SECONDS_AWAY
from tests.simulation.faults import S3, STATES, TABLE
from tests.simulation.world import World

SERVICES: Final = (TABLE, STATES, LAMBDA, STREAM, S3)


class Outage(Actor):
    """Step Functions and Lambda's queue refuse all calls, for as long as there is nobody who ends that."""

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


class LongOutage(Actor):
    """One service is away, or two at once, for less than a minute or for five; nothing else ends that but time."""

    kind = "long outage"
    weights: ClassVar[Weights] = {"begins": 2}
    needs: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, world: World) -> None:
        self.world = world

    def moves(self) -> Moves:
        return {} if self.world.long_outages.away else {"begins": self._begin}

    def _begin(self) -> None:
        draw = self.world.random
        services, seconds = draw.sample(SERVICES, draw.choice((1, 2))), draw.choice(SECONDS_AWAY)
        self.world.trace.say(f"  {' and '.join(services)} for {seconds} s")
        self.world.long_outages.begin(services, timedelta(seconds=seconds))
