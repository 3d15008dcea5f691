"""Runs the tool of a task for whoever holds its start ticket."""

from dataclasses import dataclass
from datetime import timedelta

from mcp_tasks.engine.runner import Runner
from mcp_tasks.run_host.client import RemoteHost, Send
from mcp_tasks.tasks.model import JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketRunner:
    """A runner whose runs send their host messages."""

    runner: Runner
    send: Send

    def run(self, ticket: str, task_id: str, *, attempt: int = 1, state_input: JSON = None) -> timedelta | None:
        """Run the tool of the task that a start ticket names; returns and raises what `Runner.run` does."""
        host = RemoteHost(send=self.send, ticket=ticket)
        return self.runner.run(host, task_id, attempt=attempt, state_input=state_input)
