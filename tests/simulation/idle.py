"""What a story does once its faults have stopped: all that there is to do, until nothing is, and time passes."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from mcp_tasks.tasks.model import State
from tests.simulation.actors.invocations import Invocations
from tests.simulation.actors.passing import Expiry, Sweep
from tests.simulation.actors.state_machine import StateMachine
from tests.simulation.actors.stream import Events, Stream
from tests.simulation.laws.stored import Laws, waking
from tests.simulation.world import World

SWEEPS: Final = 8
"""So many come, a minute after each other, before it is said that they find nothing to do."""

MAX_PASSES: Final = 400
"""How many passes may be needed until nothing is left to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Idle:
    """All but the clients; either the stream or the sweep alone has to be enough: `by` says which of them there is."""

    world: World
    by: str
    laws: Laws
    machine: StateMachine
    invocations: Invocations
    stream: Stream
    events: Events
    sweep: Sweep
    expiry: Expiry

    def run(self) -> None:
        """Let everybody but the clients do what there is to do, with no more faults."""
        self.world.rate, self.world.executor_is_down = 0.0, False
        self.world.long_outages.end()
        self.world.actors = [self.machine]
        for _ in range(MAX_PASSES):
            if not self._work():
                return
        self.world.demand(False, "it never becomes idle")

    def run_and_check(self) -> None:
        """Run until idle, and demand that nothing was lost and no task with a worker was given up."""
        changes, began = len(self.world.store.changes), self.world.clock.now()
        self.run()
        delivered = not self.stream.only_deletions and not self.stream.loses
        self.laws.when_idle(delivered=delivered, lost=self.events.lost)
        if self.by != "stream" and self.world.others:
            self.laws.approvals.when_swept()
        self.laws.not_given_up(changes, since=began, delivered=delivered, lost=self.events.lost)

    def _work(self) -> bool:
        """Do all that can be done at once; where there is a sweep, it comes until it has found what is due."""
        if self.follow():
            return True
        if self.by == "stream":
            # What expired holds its slot until it is deleted: by the sweep, or here by DynamoDB.
            return self._is_queued() and self.expiry.delete_all()
        for _ in range(SWEEPS):
            self.world.clock.advance(timedelta(minutes=1))
            self.sweep.come()
            if self.follow():
                return True
        if not self._is_queued() and not self.laws.ended_undelivered(self.events.lost):
            return False
        # A free slot that the stream did not tell of is found at the next check, and so is the end of what runs.
        went_on = self.pass_to(self.world.clock.now() + self.world.between_checks)
        self.sweep.come()
        return self.follow() or went_on

    def pass_to(self, end: datetime) -> bool:
        """Let time pass; what sleeps goes on by itself at its time, and not overdue; return whether anything did."""
        went_on = False
        while (wakes := self.machine.wakes_at()) is not None and self.world.clock.now() < wakes < end:
            self.world.clock.advance(wakes - self.world.clock.now())
            while self.follow():
                went_on = True
        self.world.clock.advance(max(end - self.world.clock.now(), timedelta()))
        return went_on

    def follow(self) -> bool:
        """Do what follows from what was done, a sweep's deletions included: they free slots only once delivered."""
        done = [self.stream.deliver_all(), self.machine.run_due(), self.invocations.deliver_all()]
        return any([*done, self.events.deliver_all()])

    def _is_queued(self) -> bool:
        """Return whether any task waits for a slot."""
        return any(task.state is State.QUEUED for _, task in self.world.store.tasks())

    def wake(self) -> None:
        """Let time pass until no task sleeps, and none waits for others who had time to answer, and have none left."""
        while (until := max(waking(self.world), default=None)) is not None:
            # An execution waits by whole seconds.
            self.pass_to(until + timedelta(seconds=1))
            self.run_and_check()
