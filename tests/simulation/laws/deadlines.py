"""What must hold of deadlines, by our own reckoning: nothing is given up early, and everything ends in time."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from mcp_tasks.limits.waits import GRACE
from mcp_tasks.tasks.model import Task
from mcp_tasks.tasks.transitions import is_final
from tests.simulation.history import Change
from tests.simulation.reckoning import due_at, expires_at, last_call

if TYPE_CHECKING:
    from tests.simulation.world import World

OUT_OF_TIME: Final = "The work did not end within"
NOT_BEGUN: Final = "The work did not begin in time."
NO_SLOT: Final = "No slot became free in time."
TOO_LATE: Final = (OUT_OF_TIME, NOT_BEGUN, NO_SLOT, "Nobody answered in time.")
"""How a task may end whose time was over."""


@dataclass(slots=True)
class Deadlines:
    """The deadlines of a world's tasks."""

    world: "World"

    def after_a_move(self) -> None:
        """Demand that what was given up since the last move had no time left.

        A release before puts the failure before it writes the task: it may have read any version that there was since
        then.
        """
        new = self.world.store.changes.new_places(self)
        for place, change in new:
            if change.after is not None and str(change.after.status_message).startswith(TOO_LATE):
                possible = new if self.world.has_a_release_before and self.world.rate else [(place, change)]
                self._had_no_time(change.after, possible)

    def _had_no_time(self, given_up: Task, possible: Sequence[tuple[int, Change]]) -> None:
        """Demand that there was a version of a task, before one of the possible changes, that had no time left."""
        sleeps_until = self.world.run_tickets.sleeps_until
        times = [
            due_at(change.before, sleeps_until(given_up.id, place))
            for place, change in possible
            if change.before is not None and change.before.id == given_up.id
        ]
        early = all(given_up.updated_at < time for time in times)
        name = self.world.trace.name(given_up.id)
        self.world.demand(not early, f"{name} had time until {max(times)}, and was given up")

    def suspended_late(self) -> set[str]:
        """Return the tasks whose executions began their waits so late, in all, that they may end after their time."""
        return {name for name, each in self.world.machine.executions.items() if each.late > GRACE / 2}

    def have_ended(self, by: datetime, excused: Container[str]) -> None:
        """Demand that all have ended that had to `by` then, for their outcomes to be kept, but for those excused."""
        for task in self.late(by, excused):
            name = self.world.trace.name(task.id)
            self.world.demand(False, f"{name} expires soon and has not ended: {task.state}")

    def late(self, by: datetime, excused: Container[str]) -> list[Task]:
        """Return the tasks that have not ended although they had to by then."""
        alive = [task for _, task in self.world.store.tasks() if self.world.clock.now() < expires_at(task)]
        return [each for each in alive if last_call(each) <= by and not is_final(each) and each.id not in excused]
