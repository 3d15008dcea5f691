"""What must hold of executions whose tasks are over: whoever ends a task, or hears of its end, stops its execution."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mcp_tasks.tasks.model import State
from mcp_tasks.tasks.transitions import is_final
from tests.simulation.history import Change

if TYPE_CHECKING:
    from tests.simulation.world import World

WAITING = (State.INPUT_REQUIRED, State.QUEUED)


@dataclass(slots=True)
class Stopped:
    """The tasks of a world that ended while their executions went on.

    What runs on since a process failed that was to stop it is `left` to the stream.
    """

    world: "World"
    over: set[str] = field(default_factory=set)
    left: set[str] = field(default_factory=set)
    created_by: dict[str, int] = field(default_factory=dict)
    """The moment at which the process began that created each task."""

    def after_a_move(self) -> None:
        """Demand that nobody works on what is over, at once, but where a process failed that was to see to that.

        It is the one that ended it, or one that failed at a call about it; of what the stream delivered, it may be any.
        A run that ends its own task may have another state before it.  A call that stores what it ended with as a task
        leaves to the stream what that has started meanwhile.
        """
        world, executions, new = self.world, self.world.machine.executions, self.world.store.changes.new(self)
        self.created_by |= {each.task.id: each.process for each in new if each.before is None}
        ended = [each for each in new if _is_stopped(each) and each.process != self.created_by.get(each.task.id)]
        ended_by = {each.task.id: each.process for each in ended}
        self.over |= {*ended_by}
        told = {each.task.id for each in world.delivered.new(self) if _is_stopped(each) or _is_lost(each)}
        running = {name for name in self.over | told if name in executions and executions[name].status == "RUNNING"}
        for name in sorted(running - (self.left - told)):
            excused = self._failed_at(name, None if name in told else ended_by.get(name))
            world.demand(excused, f"{world.trace.name(name)} is over, and its execution is not stopped")
        self.left |= running
        world.failed.clear()

    def _failed_at(self, name: str, ended_by: int | None) -> bool:
        """Return whether a process failed that may have been the one to stop an execution."""
        failed = self.world.failed
        return bool(failed) if ended_by is None else ended_by in failed or any(name in at for at in failed.values())


def _is_stopped(change: Change) -> bool:
    """Return whether a task ended while its execution had more to do."""
    before, after = change.before, change.after
    if before is None or after is None or is_final(before):
        return False
    return after.state is State.CANCELLED or (after.state is State.FINISHED and before.state in WAITING)


def _is_lost(change: Change) -> bool:
    """Return whether a task was deleted while it lived, of which the stream alone tells."""
    return change.after is None and change.before is not None and not is_final(change.before)
