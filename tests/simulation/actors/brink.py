"""Time that passes to the brink of something: to where a task, a lease or a key ends, say, or just beyond."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import ClassVar, Final

from mcp_tasks.limits.waits import GRACE
from mcp_tasks.tasks.model import Task
from mcp_tasks.tasks.transitions import is_final
from tests.simulation.actors import Actor, Moves, Weights
from tests.simulation.uses import JOINS
from tests.simulation.world import World

BESIDE: Final = (-2.0, -0.5, -0.001, 0.0, 0.001, 0.5)
"""So many seconds after it, or before."""

MOMENTS, MINUTES, HOURS, A_DAY = timedelta(seconds=5), timedelta(minutes=4), timedelta(hours=13), timedelta(hours=25)
"""How far it passes while a request is under way, while something else is, and while nothing is: a day for keys."""


class Brink(Actor):
    """Passes to where much may happen at once, which drawn times seldom meet."""

    kind = "brink"
    weights: ClassVar[Weights] = {"comes": 4}
    needs: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, world: World, *, hours: bool) -> None:
        self.world = world
        self.hours = hours

    def moves(self) -> Moves:
        until = self.world.clock.now() + self._reach()
        near = sorted({at for at in self._ends() if self.world.clock.now() < at <= until})
        return {"comes": lambda: self._pass_to(self.world.random.choice(near))} if near else {}

    def _reach(self) -> timedelta:
        if not all(actor.lasts for actor in self.world.acting):
            return MOMENTS
        if not self.hours or self.world.acting:
            return MINUTES
        return A_DAY if JOINS in self.world.uses else HOURS

    def _ends(self) -> Iterator[datetime]:
        for each in self.world.store.bound:
            yield each.task.created_at + each.named.lifetime
        for _, task in self.world.store.tasks():
            yield task.expires_at
            if not is_final(task):
                yield from (task.due_at, task.due_at + GRACE)
                yield from (task.deadline(each) for each in task.open_input_requests)
                yield from _escalations(task)
                if task.wakes_at is not None:
                    yield task.wakes_at
                if task.lease is not None:
                    yield task.lease.until

    def _pass_to(self, end: datetime) -> None:
        beside = timedelta(seconds=self.world.random.choice(BESIDE))
        self.world.clock.advance(max(end + beside - self.world.clock.now(), timedelta()))


def _escalations(task: Task) -> Iterator[datetime]:
    for each in task.open_input_requests:
        if each.approval is not None and each.approval.escalate is not None and task.requested_at is not None:
            yield task.requested_at + each.approval.escalate.after
