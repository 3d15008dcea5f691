"""Lambda's queue of events, whose runs nobody waits for: they come late, twice or never, and die on the way."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from mcp_tasks.limits.waits import BETWEEN_RENEWALS, GRACE, RUN_LEASE
from mcp_tasks.tasks.transitions import is_final
from tests.simulation.actors import Actor, Moves, Weights
from tests.simulation.actors.state_machine import attempt
from tests.simulation.chances import RENEWALS
from tests.simulation.deployed.functions import Functions
from tests.simulation.reckoning import due_at
from tests.simulation.uses import WORKS
from tests.simulation.world import World


class Invocations(Actor):
    """Delivers the events that are to start runs of tasks without an execution."""

    kind = "lambda"
    weights: ClassVar[Weights] = {"delivers": 12, "delivers twice": 2, "loses": 2, "dies": 4, "renews late": 1}

    def __init__(self, world: World) -> None:
        self.world = world

    def moves(self) -> Moves:
        waiting, draw = self.world.invocations.waiting, self.world.random.choice
        moves: dict[str, Callable[[], object]] = {}
        if waiting:
            moves = {
                "delivers": lambda: self.deliver(draw(waiting)),
                "delivers twice": lambda: self.world.again(self.run, draw(waiting)),
                "loses": lambda: self.lose(draw(waiting)),
                "dies": lambda: self.die(draw(waiting)),
            }
        if sent := self._sent():
            moves["renews late"] = lambda: self.world.again(self.renew_late, draw(sent))
        return moves

    def deliver(self, event: dict[str, Any]) -> None:
        """Deliver an event, for the last time."""
        self.world.invocations.waiting.remove(event)
        self.run(event)

    def run(self, event: Mapping[str, Any]) -> None:
        """Run what an event says, in a process that may die, which Lambda does not repeat."""
        self._say(event["task"])
        if not attempt(self.world, lambda does: does.begin(event)):
            self.world.disturbed.add(event["task"])

    def lose(self, event: dict[str, Any]) -> None:
        """Forget an event."""
        self._say(event["task"])
        self.world.invocations.waiting.remove(event)

    def die(self, event: dict[str, Any]) -> None:
        """Deliver an event to a process that dies when it has loaded the run, or has worked for a while."""
        self.lose(event)
        self.world.disturbed.add(event["task"])
        load = {"does": "load", "ticket": event["ticket"], "run": f"run-{self.world.store.moment()}"}
        attempt(self.world, lambda does: self._work(does, event["task"], does.send(load).get("ticket")))

    def renew_late(self, message: Mapping[str, Any]) -> None:
        """Renew the lease of a run that may be over, or whose lease another one has."""
        tickets, renewal = self.world.run_tickets, {"ticket": message["ticket"], "does": "renew"}
        over = tickets.is_over(message)
        self._say(tickets.task_of(message))
        answers: list[Mapping[str, Any]] = []
        attempt(self.world, lambda does: answers.append(does.send(renewal)))
        for answer in answers:
            tickets.late(renewal, answer, was_over=over)

    def _work(self, does: Functions, task_id: str, ticket: str | None) -> None:
        """Renew the lease of a run that works in some stories, while others act, until it is not wanted any more."""
        wanted = WORKS in self.world.uses and ticket is not None
        for _ in range(self.world.apart.choice(RENEWALS) if wanted else 0):
            self.world.clock.advance(BETWEEN_RENEWALS)
            self.world.interleave()
            since = self.world.clock.now() - self.world.skew
            if "not_wanted" in does.send({"does": "renew", "ticket": ticket}):
                return
            task = self.world.store.find(task_id)
            if task is not None and task.lease is not None and not is_final(task):
                right = task.lease.until >= min(since + RUN_LEASE, due_at(task) + GRACE)
                self.world.demand(right, f"the lease of a run of {self.world.trace.name(task_id)} was not renewed")

    def deliver_all(self) -> bool:
        """Deliver every event that waits; return whether there was any."""
        waiting = list(self.world.invocations.waiting)
        for event in waiting:
            self.deliver(event)
        return bool(waiting)

    def _sent(self) -> list[Mapping[str, Any]]:
        """Return what runs sent that took a lease."""
        leased = {task.id for _, task in self.world.store.tasks() if task.lease is not None}
        tickets = self.world.run_tickets
        return [message for message in tickets.messages if tickets.task_of(message) in leased]

    def _say(self, task_id: str) -> None:
        self.world.trace.say(f"  {self.world.trace.name(task_id)}")
