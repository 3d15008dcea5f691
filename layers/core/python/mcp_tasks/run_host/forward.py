"""Hands runs that have no ticket to the function that runs tools, with one: those of executions of 0.3 and before."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp_tasks.limits.waits import RUN_TICKET_LIFETIME
from mcp_tasks.security.tickets import Tickets
from mcp_tasks.tasks.model import JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class Forward:
    """Invokes what runs tools, by `invoke`."""

    tickets: Tickets
    invoke: Callable[[Mapping[str, JSON]], Any]

    def run(self, owner_key: str, task_id: str, event: Mapping[str, JSON]) -> Any:
        """Return what the run returns for an event without a ticket; raises what it raises, by the same name."""
        until = self.tickets.signer.clock.now() + RUN_TICKET_LIFETIME
        ticket = self.tickets.for_start(owner_key, task_id, until=until)
        return self.invoke({**event, "ticket": ticket})
