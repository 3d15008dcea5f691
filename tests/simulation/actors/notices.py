"""Time that passes to where people are to be told again of what they are asked, and the sweep that comes then."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import ClassVar

from mcp_tasks.tasks.notifications import next_notice, notices_due
from mcp_tasks.tasks.transitions import is_final
from tests.simulation.actors import Actor, Moves, Weights
from tests.simulation.actors.brink import MINUTES, MOMENTS
from tests.simulation.actors.passing import Sweep
from tests.simulation.world import World


class Notices(Actor):
    """Reminders, and those who are asked later: most would come once nothing fails any more."""

    kind = "notice"
    weights: ClassVar[Weights] = {"is due": 60}

    def __init__(self, world: World, sweep: Sweep) -> None:
        self.world, self.sweep = world, sweep

    def moves(self) -> Moves:
        reach = MINUTES if all(actor.lasts for actor in self.world.acting) else MOMENTS
        near = sorted({at for at in self._due() if at <= self.world.clock.now() + reach})
        return {"is due": lambda: self._tell(self.world.random.choice(near))} if near else {}

    def _due(self) -> Iterator[datetime]:
        now = self.world.clock.now()
        for owner_key, task in self.world.store.tasks():
            if not is_final(task) and (at := next_notice(owner_key, task, now)) is not None:
                yield at
        for _, item in self.world.store.inbox_items().values():
            if item.notices < notices_due(item, now) and now < item.deadline:
                yield now

    def _tell(self, at: datetime) -> None:
        self.world.clock.advance(max(at - self.world.clock.now(), timedelta()))
        self.sweep.come()
