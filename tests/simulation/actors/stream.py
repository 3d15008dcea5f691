"""Event sources: the table's stream delivers changed tasks, EventBridge delivers ended executions."""

from collections.abc import Callable
from typing import ClassVar

from tests.simulation.actors import LAMBDA, STREAM, Actor, Moves, Weights
from tests.simulation.actors.state_machine import attempt
from tests.simulation.deployed.functions import Functions
from tests.simulation.history import Change
from tests.simulation.world import World


class Stream(Actor):
    """Delivers every change at least once, late, in any order; or loses some of those that the sweep reconciles.

    With `only_deletions` it delivers nothing but deletions, which nothing else delivers.
    """

    kind = "stream"
    weights: ClassVar[Weights] = {"delivers": 6, "delivers out of order": 2, "delivers again": 1, "loses": 1}
    needs: ClassVar[frozenset[str]] = frozenset({STREAM, LAMBDA})

    def __init__(self, world: World, *, only_deletions: bool, loses: bool) -> None:
        self.world = world
        self.only_deletions = only_deletions
        self.loses = loses
        self.read = 0
        self.pending: list[Change] = []

    def moves(self) -> Moves:
        self._read()
        moves: dict[str, Callable[[], object]] = {}
        draw = self.world.random.choice
        if self.pending:
            moves |= {
                "delivers": lambda: self.deliver(self.pending[0]),
                "delivers out of order": lambda: self.deliver(self.world.pick(self.pending, _task_of)),
            }
            if self.loses:
                moves["loses"] = lambda: self.lose(draw(self.pending))
        if self.world.delivered:
            moves["delivers again"] = lambda: self.world.again(
                self.deliver, self.world.pick(self.world.delivered, _task_of)
            )
        return moves

    def deliver(self, change: Change) -> None:
        """Deliver a change; one that fails stays pending and is delivered again."""
        self._say(change)
        done = attempt(self.world, lambda does: _deliver(does, change))
        if done and change in self.pending:
            self.pending.remove(change)
            self.world.delivered.append(change)

    def lose(self, change: Change) -> None:
        """Lose a change, unless only the stream delivers it."""
        if not change.removes:
            self._say(change)
            self.pending.remove(change)

    def deliver_all(self) -> bool:
        """Deliver everything pending; return whether there was anything."""
        self._read()
        before = list(self.pending)
        for change in before:
            self.deliver(change)
        return bool(before)

    def _read(self) -> None:
        changes = self.world.store.changes
        self.pending += [each for each in changes[self.read :] if each.removes or not self.only_deletions]
        self.read = len(changes)

    def _say(self, change: Change) -> None:
        images = (change.before, change.after)
        before, after = (f"{each.state} v{each.version}" if each else "nothing" for each in images)
        self.world.trace.say(f"  {self.world.trace.name(change.task.id)}: {before} -> {after}")


def _task_of(change: Change) -> str:
    return change.task.id


def _deliver(does: Functions, change: Change) -> None:
    if change.record is None:
        does.changed(change.owner_key, change.before, change.after)
    else:
        does.delivered(change.record)


class Events(Actor):
    """Delivers executions that ended: late, again, or never."""

    kind = "events"
    weights: ClassVar[Weights] = {"deliver": 3, "deliver again": 1, "lose": 2}

    def __init__(self, world: World, *, loses: bool) -> None:
        self.world = world
        self.loses = loses
        self.delivered: list[str] = []
        self.lost: list[str] = []

    def moves(self) -> Moves:
        fresh, draw = self._fresh(), self.world.random.choice
        moves: dict[str, Callable[[], object]] = {}
        if fresh:
            moves["deliver"] = lambda: self.deliver(self.world.pick(fresh, str))
        if fresh and self.loses:
            moves["lose"] = lambda: self.lose(draw(fresh))
        if self.delivered:
            moves["deliver again"] = lambda: self.world.again(self.deliver, draw(self.delivered))
        return moves

    def deliver(self, name: str) -> None:
        execution = self.world.machine.executions[name]
        self.world.trace.say(f"  {self.world.trace.name(name)} {execution.status}")
        if attempt(self.world, lambda does: does.ended(execution.names[0], name, execution.status)):
            self.delivered.append(name)

    def lose(self, name: str) -> None:
        self.world.trace.say(f"  {self.world.trace.name(name)}")
        self.lost.append(name)

    def deliver_all(self) -> bool:
        """Deliver everything pending; return whether there was anything."""
        fresh = self._fresh()
        for name in fresh:
            self.deliver(name)
        return bool(fresh)

    def _fresh(self) -> list[str]:
        known = self.world.machine.executions
        seen = {*self.delivered, *self.lost}
        return [name for name in known if known[name].status != "RUNNING" and name not in seen]
