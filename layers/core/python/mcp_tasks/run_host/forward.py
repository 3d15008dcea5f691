"""Hands runs that have no ticket to the function that runs tools, with one.

These are runs of executions of 0.3 and before, and of those whose ticket was signed with a key that was retired since.
Where Lambda isolates tenants, all runs of executions come this way, since Step Functions does not say whose an
invocation is.
"""

from collections.abc import Callable, Mapping
from typing import Any

from mcp_tasks.records import record
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.security.tickets import Tickets
from mcp_tasks.tasks.model import JSON


def tenant_of(event: Mapping[str, JSON]) -> str:
    """Return the tenant of a run, as its ticket has it: one that says another's is refused by the run's host."""
    return Caller.of_owner_key(Tickets.owner_key_of(event["ticket"])).tenant_tag


@record
class Forward:
    """Invokes what runs tools, by `invoke`."""

    tickets: Tickets
    invoke: Callable[[Mapping[str, JSON]], Any]

    def run(self, event: Mapping[str, JSON]) -> Any:
        """Return what the run returns, with a ticket for the owner key; raises what it raises, by the same name."""
        if "ticket" in event:
            return self.invoke(event)
        given = dict(event)
        ticket = self.tickets.for_start_now(given.pop("scope"), given["task"])
        return self.invoke({**given, "ticket": ticket})
