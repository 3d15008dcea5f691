"""Hands runs that have no ticket to the function that runs tools, with one: those of executions of 0.3 and before."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp_tasks.security.tickets import Tickets
from mcp_tasks.tasks.model import JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class Forward:
    """Invokes what runs tools, by `invoke`."""

    tickets: Tickets
    invoke: Callable[[Mapping[str, JSON]], Any]

    def run(self, event: Mapping[str, JSON]) -> Any:
        """Return what the run returns, given a ticket for the owner key; raises what it raises, by the same name."""
        given = dict(event)
        ticket = self.tickets.for_start_now(given.pop("scope"), given["task"])
        return self.invoke({**given, "ticket": ticket})
