"""Whoever deploys: moves the alias of all functions to this release, in part or as a whole, and back again."""

from typing import ClassVar, Final

from tests.simulation.actors import Actor, Moves, Weights
from tests.simulation.world import World

CANARY: Final = (0.1, 0.5)
"""How much of what is invoked goes to this release while a deploy is tried out."""


class Deployment(Actor):
    """Moves the alias while everything goes on; what runs already goes on in the release in which it began."""

    kind = "deployment"
    weights: ClassVar[Weights] = {"tries this release": 1, "deploys it": 1, "rolls back": 1}

    def __init__(self, world: World) -> None:
        self.world = world

    def moves(self) -> Moves:
        draw = self.world.random.choice
        return {
            "tries this release": lambda: self._move(draw(CANARY)),
            "deploys it": lambda: self._move(1),
            "rolls back": lambda: self._move(0),
        }

    def _move(self, share: float) -> None:
        self.world.share_of_this = share
        self.world.trace.say(f"  {100 * share:g} % of what is invoked is this release")
