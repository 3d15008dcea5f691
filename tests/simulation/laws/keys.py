"""What must hold of calls that may get the task of an earlier call: there is one task for as long as that one is good.

"`idempotency-key` makes a repeated call the same task for 24 hours"; "With `join_within` a call that waits for its
result joins the task of an earlier call of the same caller with the same arguments, made less than that before, unless
that task failed or was cancelled".  -- docs/tools.md
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from mcp_tasks.tasks.model import OutcomeKind, State, Task
from tests.simulation.reckoning import expires_at

if TYPE_CHECKING:
    from tests.simulation.world import World


class Named(NamedTuple):
    """What a call is named by, in words: calls of one `name` are one task, which is for its `request` alone.

    Where calls are named by all that they are, and by whom, they `join`, and not one that has failed.
    """

    name: str
    request: str
    lifetime: timedelta
    joins: bool


class Bound(NamedTuple):
    """A task that was created for a name, at a time, as one of the changes of tasks."""

    named: Named
    task: Task
    at: datetime
    change: int


class Sent(NamedTuple):
    """When a call was sent, and how many changes of tasks there were by then."""

    at: datetime
    changes: int


@dataclass(slots=True)
class Keys:
    """The names of calls of a world, as far as what was created for them was looked at."""

    world: "World"

    def send(self) -> Sent:
        """Return where a call begins."""
        return Sent(self.world.clock.now(), len(self.world.store.changes))

    def after_a_move(self) -> None:
        """Demand that no task was created for a name that stood for another one, which had not to be given up."""
        for place, new in self.world.store.bound.new_places(self):
            earlier = [each for each in self.world.store.bound[:place] if each.named.name == new.named.name]
            # The one before may stand for the name no more, and then nothing of those before it does.
            for each in earlier[-1:]:
                good = new.at < each.task.created_at + each.named.lifetime
                # A name that a client gave is used up by another request, though the task is gone.
                stands = self._stands(each, new.at, new.change) or each.named.request != new.named.request
                names = f"{self._name(each)} and {self._name(new)}"
                self.world.demand(not (good and stands), f"{names} are two tasks of {new.named.name}")

    def got(self, named: Named, sent: Sent, task_id: str) -> None:
        """Demand that a call got a task that its name stands for, at some time since it was sent."""
        found = [each for each in self._of(named) if each.task.id == task_id]
        name = self.world.trace.name(task_id)
        self.world.demand(bool(found), f"{named.name} got {name}, which is of another call")
        for each in found:
            same = each.named.request == named.request
            self.world.demand(same, f"{named.name} got {name}, which is of another request")
            good = self._is_good(each, sent) and (not named.joins or not self._failed(each, sent.changes))
            self.world.demand(good or each.at >= sent.at, f"{named.name} got {name}, and should get a new task")

    def refused(self, named: Named, sent: Sent) -> None:
        """Demand that a name stood for another request, at some time since this one was sent."""
        others = [each for each in self._of(named) if each.named.request != named.request]
        taken = any(self._is_good(each, sent) for each in others)
        self.world.demand(taken, f"{named.name} is refused, and was used for nothing else")

    def _of(self, named: Named) -> list[Bound]:
        return [each for each in self.world.store.bound if each.named.name == named.name]

    def _is_good(self, bound: Bound, sent: Sent) -> bool:
        """Return whether the time of a name was not over when a call was sent, by a clock that may be behind."""
        return sent.at - self.world.skew < bound.at + bound.named.lifetime

    def _stands(self, bound: Bound, at: datetime, changes: int) -> bool:
        """Return whether a name's task was kept at a time, and is one that a call of this name gets."""
        kept = at < expires_at(bound.task)
        return kept and not (bound.named.joins and self._failed(bound, changes))

    def _failed(self, bound: Bound, changes: int) -> bool:
        """Return whether a task had failed, or was cancelled, by so many changes of tasks."""
        written = self.world.store.changes[bound.change : changes]
        versions = [each.after for each in written if each.after is not None and each.after.id == bound.task.id]
        last = versions[-1] if versions else bound.task
        failed = last.outcome_kind in (OutcomeKind.RETURNED_ERROR, OutcomeKind.FAILED)
        return failed or last.state is State.CANCELLED

    def _name(self, bound: Bound) -> str:
        return self.world.trace.name(bound.task.id)
