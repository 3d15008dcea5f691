"""What must hold of turns: of a tenant's subjects that wait for slots, none is passed twice by the same other one.

"Subjects take turns: each counter of slots remembers the subject it served last, and goes on with the next one in the
order of their names".  So between two turns of one subject at a counter all others have one there who may run one more.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.model import State
from mcp_tasks.tasks.transitions import is_final
from tests.simulation.history import Change
from tests.simulation.plans import share

if TYPE_CHECKING:
    from tests.simulation.world import World


class Turn(NamedTuple):
    """A queued task of an owner that got a slot at a counter of its tenant: it is one of the changes of tasks.

    It got it at a `moment`, by a process that began at a moment of its own.
    """

    owner_key: str
    task_id: str
    counter: int
    change: int
    moment: int
    process: int
    at: datetime

    def knew_of(self, other: "Turn") -> bool:
        """Return whether the process of this turn chose it when the other one was taken."""
        return self.process == other.process or self.process > other.moment


def _turn(place: int, change: Change) -> Turn | None:
    """Return the turn that a change is by which a queued task got a slot."""
    task, before = change.after, change.before
    if task is None or before is None or before.state is not State.QUEUED or task.holding.slot is None:
        return None
    slot, by = task.holding.slot, (change.moment, change.process)
    return Turn(change.owner_key, task.id, slot, place, *by, task.updated_at)


@dataclass(slots=True)
class Turns:
    """The turns of a world's subjects."""

    world: "World"
    turns: list[Turn] = field(default_factory=list)
    waits: defaultdict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    """The queued tasks of each owner, and since which change each of them waits."""
    runs: dict[str, str] = field(default_factory=dict)
    """The tasks that hold a slot, and whose they are."""
    most: defaultdict[str, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    """How many tasks each owner ran, by the change since which it did."""

    def after_a_move(self) -> None:
        """Demand that nobody had a second turn before others had theirs, since the last move."""
        for place, change in self.world.store.changes.new_places(self):
            self._note(place, change)
            if (turn := _turn(place, change)) is not None:
                self._in_turn(turn)
                self.turns.append(turn)

    def _in_turn(self, turn: Turn) -> None:
        """Demand that nobody was passed who waited since this subject's turn before at that counter."""
        there = [each for each in self._of_tenant(turn) if each.counter == turn.counter]
        before = [each for each in there if each.owner_key == turn.owner_key][-1:]
        for last in before:
            since = [each for each in there if each.change >= last.change]
            served = {each.owner_key for each in since}
            passed = [owner for owner in self._waiting(last, turn) if owner not in served]
            # Of those who choose at the same time, each may choose the same subject.
            alone = all(later.knew_of(earlier) for earlier, later in pairwise([*since, turn]))
            names = f"{', '.join(passed)} by {turn.owner_key} with {self.world.trace.name(turn.task_id)}"
            self.world.demand(not passed or not alone, f"passed twice in the queue: {names}")

    def _of_tenant(self, turn: Turn) -> list[Turn]:
        return [each for each in self.turns if tenant_of(each.owner_key) == tenant_of(turn.owner_key)]

    def _waiting(self, last: Turn, turn: Turn) -> Iterator[str]:
        """Yield who waited between two turns of another of its tenant, and might have had a slot all the time."""
        plans = self.world.plans.since(tenant_of(turn.owner_key), last.at)
        fewest = min(share(plan, plan.running_tasks) for plan in plans)
        for owner, tasks in self.waits.items():
            if tenant_of(owner) != tenant_of(turn.owner_key) or owner == turn.owner_key:
                continue
            lives = {task.id for _, task in self.world.store.tasks() if self.world.store.lives(task)}
            waited = any(since < last.change and name in lives for name, since in tasks.items())
            earlier = [count for place, count in self.most[owner] if place < last.change][-1:]
            ran = max([*earlier, *(count for place, count in self.most[owner] if place >= last.change)], default=0)
            if waited and ran < fewest:
                yield owner

    def _note(self, place: int, change: Change) -> None:
        """Note who waits and who runs; what was deleted while it ran is counted until it is released, if ever."""
        owner, task, after = change.owner_key, change.task, change.after
        waited = self.waits[owner].pop(task.id, place)
        if after is not None and after.state is State.QUEUED:
            self.waits[owner][task.id] = waited
        runs = after.holding.slot is not None if after is not None else task.id in self.runs and not is_final(task)
        self.runs.pop(task.id, None)
        if runs:
            self.runs[task.id] = owner
        self.most[owner].append((place, Counter(self.runs.values())[owner]))
