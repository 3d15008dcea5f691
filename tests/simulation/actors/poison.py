"""Records of the table's stream that cannot be read: of a newer release, or damaged."""

from collections.abc import Mapping
from typing import Any, ClassVar

from tests.simulation.actors import Actor, Moves, Weights
from tests.simulation.actors.state_machine import attempt
from tests.simulation.world import World

NEWER: Mapping[str, Any] = {"schema": {"N": "1000"}}
DAMAGED: Mapping[str, Any] = {"createdAt": {"S": "yesterday"}}


class Poison(Actor):
    """Delivers what cannot be read, of tasks whose changes were delivered."""

    kind = "poison"
    weights: ClassVar[Weights] = {"is newer": 3, "is damaged": 3}
    lasts: ClassVar[bool] = False

    def __init__(self, world: World) -> None:
        self.world = world

    def moves(self) -> Moves:
        if not any(change.record for change in self.world.delivered):
            return {}
        return {"is newer": lambda: self.deliver(NEWER), "is damaged": lambda: self.deliver(DAMAGED)}

    def deliver(self, wrong: Mapping[str, Any]) -> None:
        """Deliver a record with something wrong, at which nothing may fail: those after it are to be delivered.

        Whoever cannot read of a change leaves the task to those who can, and to the sweep.
        """
        change = self.world.random.choice([each for each in self.world.delivered if each.record])
        images = {name: {**image, **wrong} for name, image in (change.record or {}).items() if name != "Keys"}
        self.world.trace.say(f"  {self.world.trace.name(change.task.id)}")
        attempt(self.world, lambda does: does.delivered({**(change.record or {}), **images}))
