"""What comes with time: time itself, the sweep of each minute, new signing keys, and DynamoDB's deletions."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import ClassVar

from mcp_tasks.tasks.model import Task
from tests.simulation.actors import Actor, Moves, Weights
from tests.simulation.actors.state_machine import attempt
from tests.simulation.deployed.functions import Functions
from tests.simulation.laws.checks import check_sweep, no_failed_checks
from tests.simulation.world import World


class Time(Actor):
    """Simulated time: it passes by moments, now and then by minutes, and in some stories by hours."""

    kind = "time"
    weights: ClassVar[Weights] = {"passes": 4, "passes by minutes": 2, "passes by hours": 3}
    needs: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, world: World, *, hours: bool) -> None:
        self.world = world
        self.hours = hours

    def moves(self) -> Moves:
        moves: dict[str, Callable[[], object]] = {"passes": lambda: self.advance(0, 5)}
        # No request lives for minutes, and no process for hours, suspended or not.
        if all(actor.lasts for actor in self.world.acting):
            moves["passes by minutes"] = lambda: self.advance(30, 240)
        if self.hours and not self.world.acting:
            moves["passes by hours"] = lambda: self.advance(700, 46_000)
        return moves

    def advance(self, least: float, most: float) -> None:
        """Let so many seconds pass."""
        self.world.clock.advance(timedelta(seconds=round(self.world.random.uniform(least, most), 3)))


class Sweep(Actor):
    """The sweep: comes now and then, and checks a few tasks, or all that are due."""

    kind = "sweep"
    weights: ClassVar[Weights] = {"comes": 3}

    def __init__(self, world: World) -> None:
        self.world = world

    def moves(self) -> Moves:
        return {"comes": lambda: self.come(self.world.random.choice([1, 3, 100]))}

    def come(self, limit: int = 100) -> None:
        """Check so many of the tasks that are due."""
        struck, began = list[str](), self.world.clock.now()
        due = [each for each in self.world.store.due_checks(limit) if each[0] <= (began - self.world.skew).timestamp()]
        # Neither the first nor the last one.
        busy = self._busy([task.id for _, task in due[1:-1]])
        attempt(self.world, lambda does: self._sweep(does, limit, struck, busy))
        check_sweep(self.world, due, struck, began)

    def _busy(self, tasks: Sequence[str]) -> str:
        """Return one of these tasks, at which the store fails the sweep, where it has not done so too often."""
        if not tasks or not self.world.busy or not self.world.rate:
            return ""
        self.world.busy -= 1
        return self.world.random.choice(tasks)

    def _sweep(self, does: Functions, limit: int, struck: list[str], busy: str) -> None:
        self.world.running[-1].busy = busy
        try:
            with no_failed_checks(self.world):
                does.sweep(limit)
        finally:
            struck += self.world.running[-1].struck


class KeyRenewal(Actor):
    """Whoever renews the signing keys, which happens each month."""

    kind = "keys"
    weights: ClassVar[Weights] = {"are renewed": 1}

    def __init__(self, world: World) -> None:
        self.world = world

    def moves(self) -> Moves:
        return {"are renewed": self.world.keys.renew}


class Expiry(Actor):
    """DynamoDB's TTL: deletes what has expired, some time later."""

    kind = "expiry"
    weights: ClassVar[Weights] = {"deletes": 6}

    def __init__(self, world: World) -> None:
        self.world = world

    def moves(self) -> Moves:
        gone = self._expired()
        return {"deletes": lambda: self.delete(*self.world.random.choice(gone))} if gone else {}

    def delete(self, owner_key: str, task: Task) -> None:
        self.world.trace.say(f"  {self.world.trace.name(task.id)}")
        self.world.store.remove(owner_key, task.id)

    def delete_all(self) -> bool:
        """Delete everything that has expired; return whether there was anything."""
        gone = self._expired()
        for owner_key, task in gone:
            self.delete(owner_key, task)
        return bool(gone)

    def _expired(self) -> list[tuple[str, Task]]:
        return [(owner_key, task) for owner_key, task in self.world.store.tasks() if not self.world.store.lives(task)]
