"""What must hold of run tickets: whoever holds one of an earlier run, and writes late, is denied once that is over."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from mcp_tasks.limits.waits import RUN_TICKET_LIFETIME

if TYPE_CHECKING:
    from tests.simulation.world import World

RECENT = 30
"""So many messages of runs are known, any of which may be sent again."""


@dataclass(slots=True)
class RunTickets:
    """The run tickets of a world, and what was asked for with them."""

    world: "World"
    messages: list[Mapping[str, Any]] = field(default_factory=list)
    slept: dict[str, list[tuple[int, datetime]]] = field(default_factory=dict)
    """Until when the runs of each task were told that it sleeps, and how many changes of tasks there were by then."""
    wanted: dict[str, datetime] = field(default_factory=dict)
    """Until when the runs of each task wanted it to sleep at the most."""
    _issued: dict[str, tuple[str, datetime]] = field(default_factory=dict)
    """The task of each ticket, and until when it is good at the most."""

    def sent(self, message: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
        """Take a message that a run sent its host, and the answer."""
        if "ticket" in answer:
            until = self.world.clock.now() + RUN_TICKET_LIFETIME
            self._issued[answer["ticket"]] = (answer["run"]["task"], until)
        elif message["does"] != "load":
            self.messages = [*self.messages[-RECENT:], message]
        if message["does"] == "sleep" and "seconds" in answer:
            until = datetime.fromisoformat(message["wakes_at"])
            self.slept.setdefault(self.task_of(message), []).append((len(self.world.store.changes), until))

    def asks(self, message: Mapping[str, Any]) -> None:
        """Take a message that a run is about to send its host."""
        if message["does"] == "sleep":
            task_id, until = self.task_of(message), datetime.fromisoformat(message["wakes_at"])
            self.wanted[task_id] = max(self.wanted.get(task_id, until), until)

    def sleeps_until(self, task_id: str, change: int) -> datetime | None:
        """Return until when a task was to sleep at the least, by what its runs were told before a change of tasks."""
        return max((until for changes, until in self.slept.get(task_id, ()) if changes <= change), default=None)

    def task_of(self, message: Mapping[str, Any]) -> str:
        """Return the task that a message is about."""
        return self._issued[message["ticket"]][0]

    def is_over(self, message: Mapping[str, Any]) -> bool:
        """Return whether the time of a message's ticket is over, or its task has ended, by all clocks."""
        task_id, until = self._issued[message["ticket"]]
        over = self.world.clock.now() - self.world.skew >= until
        return over or self.world.store.is_over(task_id, behind=self.world.skew)

    def late(self, message: Mapping[str, Any], answer: Mapping[str, Any], *, was_over: bool) -> None:
        """Demand that a message that comes late is denied where the run `was_over` before it came."""
        denied = bool(answer.get("not_wanted"))
        self.world.trace.say(f"  {'denied' if denied else 'done'}")
        name = self.world.trace.name(self.task_of(message))
        self.world.demand(denied or not was_over, f"a run of {name} is over, and may {message['does']}")
