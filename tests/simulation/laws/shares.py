"""What must hold of shares: counters are right, and nobody has more than its plan allows."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.transitions import is_final
from tests.kit import NOON
from tests.simulation.history import Change
from tests.simulation.plans import share

if TYPE_CHECKING:
    from tests.simulation.world import World


@dataclass(slots=True)
class Shares:
    """What tenants and subjects have.

    A tenant is counted at several counters, each with its part of a limit: when that is lowered, the new part of each
    is held against what there was before.
    """

    world: "World"
    moved: datetime = NOON
    """When the last move ended."""
    before: dict[tuple[str, str, int], int] = field(default_factory=dict)
    """How much of a limit everybody had then, at each counter."""

    def after_a_move(self) -> None:
        """Demand that each tenant's counters are right, where what was deleted while it lived counts until released."""
        store = self.world.store
        live = [owner_key for owner_key, task in store.tasks() if not is_final(task)]
        deleted = [(each.owner_key, each.task) for each in store.changes if each.removes]
        live += [owner for owner, task in deleted if not is_final(task) and not store.is_released(task.id)]
        for name, counts in store.counts.items():
            counted, right = counts[-1], sum(tenant_of(owner_key) == name for owner_key in live)
            self.world.demand(counted == right, f"{name} is counted {counted} tasks and has {right}")
        for change in store.changes.new(self):
            self._waits(change)
        now = self._had()
        for (limit, owner, counter), count in now.items():
            self._at_most(limit, owner, counter, count)
        self.before, self.moved = now, self.world.clock.now()

    def _waits(self, change: Change) -> None:
        """Demand that a task which begins to wait for a slot does so where there are some.

        A release before may not know of that.
        """
        before, after = (each.holding.queue if each else None for each in (change.before, change.after))
        if after is not None and before is None and not self.world.has_a_release_before:
            plans = self.world.plans.since(tenant_of(change.owner_key), self.moved)
            slots = max(self._part(plan.running_tasks, after) for plan in plans)
            name = self.world.trace.name(change.task.id)
            self.world.demand(slots > 0, f"{name} waits at a counter that never has a slot")

    def _had(self) -> dict[tuple[str, str, int], int]:
        """Return what everybody has: subjects are counted once, tenants at each counter."""
        found = Counter[tuple[str, str, int]]()
        for owner_key, task in self.world.store.tasks():
            if is_final(task):
                continue
            found["active_tasks", owner_key, 0] += task.holding.active
            if task.holding.slot is not None:
                found["running_tasks", owner_key, 0] += 1
                found["running_tasks", tenant_of(owner_key), task.holding.slot] += 1
        for name in self.world.store.counts:
            for counter, count in enumerate(self.world.store.counted_at(name)):
                found["active_tasks", name, counter] = count
        return dict(found)

    def _at_most(self, limit: str, owner: str, counter: int, count: int) -> None:
        """Demand that nobody has more of something than its plan allows, unless it had it when that was changed."""
        plans = self.world.plans.since(tenant_of(owner), self.moved)
        if "#" in owner:
            most = max(share(plan, getattr(plan, limit)) for plan in plans)
        else:
            most = max(self._part(getattr(plan, limit), counter) for plan in plans)
        allowed = max(most, self.before.get((limit, owner, counter), 0))
        self.world.demand(count <= allowed, f"{owner} may have {most} of {limit} at a time and has {count}")

    def _part(self, limit: int, counter: int) -> int:
        """Return how much of a tenant's limit a counter has."""
        counters = self.world.store.counters
        return limit // counters + (counter < limit % counters)
