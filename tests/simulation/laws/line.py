"""What must hold of a subject's line: its queued tasks begin in the order in which they were created."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from mcp_tasks.tasks.model import State
from tests.simulation.history import Change

if TYPE_CHECKING:
    from tests.simulation.world import World


@dataclass(slots=True)
class Line:
    """The queued tasks of each owner, and since which moment, at the time of the change that is looked at."""

    world: "World"
    queued: defaultdict[str, dict[str, Change]] = field(default_factory=lambda: defaultdict(dict))
    stored: dict[str, int] = field(default_factory=dict)
    """Which task was stored first, and which one next."""

    def after_a_change(self, change: Change) -> None:
        """Demand that no new task begins while one waits that its subject created before it."""
        before, after = change.before, change.after
        self.stored.setdefault(change.task.id, len(self.stored))
        begins = after is not None and after.holding.slot is not None
        if begins and not (before and before.holding.slot is not None) and not change.task.was_begun:
            earlier = ", ".join(map(self.world.trace.name, self._earlier(change)))
            self.world.demand(not earlier, f"{self.world.trace.name(change.task.id)} overtakes {earlier}")
        first = self.queued[change.owner_key].pop(change.task.id, change)
        if after is not None and after.state is State.QUEUED:
            self.queued[change.owner_key][after.id] = change._replace(moment=first.moment)

    def _earlier(self, change: Change) -> Iterator[str]:
        """Yield the tasks of this owner that wait, and were created before the one that changes."""
        # The ids by which they are sorted have the time to the millisecond.
        until = change.task.created_at - timedelta(milliseconds=1)
        for task_id, since in self.queued[change.owner_key].items():
            # Of two that are created at once, the later one may be stored first, and begin before the other is stored.
            stored = self.stored[task_id] < self.stored[change.task.id]
            # One that waits again, since it goes on, may do so after it was looked who is next.
            known = since.moment < change.process
            if stored and known and since.task.created_at <= until and self.world.store.lives(since.task):
                yield task_id
