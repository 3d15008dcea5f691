"""What must hold of leases: one run at a time is believed to work on a task, and no more runs begin than may."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcp_tasks.limits.waits import GRACE, MAX_DIRECT_RUNS
from tests.simulation.history import Leased
from tests.simulation.reckoning import due_at

if TYPE_CHECKING:
    from tests.simulation.world import World


LEASED = ("is taken", "is taken over")
"""What becomes of leases, as traces count it."""


@dataclass(slots=True)
class Leases:
    """The leases of runs."""

    world: "World"

    def after_a_move(self) -> None:
        """Demand that each lease is lawful that was taken or renewed since the last move."""
        for each in self.world.store.leases.new(self):
            self._lawful(each)

    def _lawful(self, leased: Leased) -> None:
        task, before, after, at, begins = leased
        name = self.world.trace.name(task.id)
        if after is None:
            self.world.demand(False, f"the lease of a run of {name} is gone")
        elif before is not None and after.number == before.number:
            renewed = after.run == before.run and after.until >= before.until
            self.world.demand(renewed, f"the lease of a run of {name} goes back")
            lapsed = begins and before.until <= at
            self.world.demand(not lapsed, f"a run of {name} begins under a lease that has lapsed, and is not counted")
            too_long = after.until > max(before.until, due_at(task) + GRACE)
            self.world.demand(not too_long, f"the lease of a run of {name} is renewed beyond the time of its work")
        else:
            # It may be an event that came again, whose run has the name of the one before.
            number = 1 if before is None else before.number + 1
            self.world.demand(after.number == number, f"run {after.number} of {name} follows run {number - 1}")
            self.world.demand(number <= MAX_DIRECT_RUNS, f"{name} has run {number}")
            free = before is None or before.until <= at
            self.world.demand(free, f"two runs of {name} hold its lease")
            self.world.trace.count(f"lease: {LEASED[after.number > 1]}")
