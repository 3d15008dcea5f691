"""Who tells of what happened: the table's stream of changed tasks, and EventBridge of ended executions."""

from collections.abc import Callable
from typing import ClassVar

from tests.simulation.actors import Actor, Moves, Weights
from tests.simulation.actors.state_machine import attempt
from tests.simulation.store import Change
from tests.simulation.world import World


class Stream(Actor):
    """Tells every change at least once, late, in any order; or loses some of what the sweep makes good.

    A stream that is `deaf` tells of deleted tasks only: nobody else does.
    """

    kind = "stream"
    weights: ClassVar[Weights] = {"tells": 6, "tells out of order": 2, "tells again": 1, "loses": 1}

    def __init__(self, world: World, *, deaf: bool, loses: bool) -> None:
        self.world = world
        self.deaf = deaf
        self.loses = loses
        self.read = 0
        self.pending: list[Change] = []
        self.told: list[Change] = []

    def moves(self) -> Moves:
        self._read()
        moves: dict[str, Callable[[], object]] = {}
        draw = self.world.random.choice
        if self.pending:
            moves |= {
                "tells": lambda: self.tell(self.pending[0]),
                "tells out of order": lambda: self.tell(draw(self.pending)),
            }
            if self.loses:
                moves["loses"] = lambda: self.lose(draw(self.pending))
        if self.told:
            moves["tells again"] = lambda: self.tell(draw(self.told))
        return moves

    def tell(self, change: Change) -> None:
        """Tell of a change; what fails is told again."""
        self._say(change)
        done = attempt(self.world, lambda does: does.reconciler.changed(change.owner_key, change.before, change.after))
        if done and change in self.pending:
            self.pending.remove(change)
            self.told.append(change)

    def lose(self, change: Change) -> None:
        """Lose a change, but for what only the stream tells."""
        if not change.removes:
            self._say(change)
            self.pending.remove(change)

    def rest(self) -> bool:
        """Tell all there is; tells whether that was anything."""
        self._read()
        before = list(self.pending)
        for change in before:
            self.tell(change)
        return bool(before)

    def _read(self) -> None:
        changes = self.world.store.changes
        self.pending += [each for each in changes[self.read :] if each.removes or not self.deaf]
        self.read = len(changes)

    def _say(self, change: Change) -> None:
        before, after = (f"{each.state} v{each.version}" if each else "nothing" for each in change[1:])
        self.world.trace.say(f"  {self.world.trace.name(change.task.id)}: {before} -> {after}")


class Events(Actor):
    """Tells of executions that ended: late, again, or never."""

    kind = "events"
    weights: ClassVar[Weights] = {"tell": 3, "tell again": 1, "are lost": 2}

    def __init__(self, world: World, *, loses: bool) -> None:
        self.world = world
        self.loses = loses
        self.told: list[str] = []
        self.lost: list[str] = []

    def moves(self) -> Moves:
        fresh, draw = self._fresh(), self.world.random.choice
        moves: dict[str, Callable[[], object]] = {}
        if fresh:
            moves["tell"] = lambda: self.tell(draw(fresh))
        if fresh and self.loses:
            moves["are lost"] = lambda: self.lose(draw(fresh))
        if self.told:
            moves["tell again"] = lambda: self.tell(draw(self.told))
        return moves

    def tell(self, name: str) -> None:
        execution = self.world.machine.executions[name]
        self.world.trace.say(f"  {self.world.trace.name(name)} {execution.status}")
        if attempt(self.world, lambda does: does.execution_outcomes.ended(execution.names[0], name, execution.status)):
            self.told.append(name)

    def lose(self, name: str) -> None:
        self.world.trace.say(f"  {self.world.trace.name(name)}")
        self.lost.append(name)

    def rest(self) -> bool:
        """Tell all there is; tells whether that was anything."""
        fresh = self._fresh()
        for name in fresh:
            self.tell(name)
        return bool(fresh)

    def _fresh(self) -> list[str]:
        known = self.world.machine.executions
        heard = {*self.told, *self.lost}
        return [name for name in known if known[name].status != "RUNNING" and name not in heard]
