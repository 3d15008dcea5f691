"""Runs the tools of tasks in the process that hosts the runs: for `make serve`, the test kit and tests."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from mcp_tasks.limits.waits import RUN_TICKET_LIFETIME
from mcp_tasks.run_host.client import Send
from mcp_tasks.run_host.server import HostServer
from mcp_tasks.run_host.ticket_runner import TicketRunner
from mcp_tasks.security.tickets import Tickets
from mcp_tasks.tasks.model import JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class InProcessRunner:
    """A runner of tasks, for which it makes the tickets itself."""

    tickets: Tickets
    runner: TicketRunner

    def run(self, owner_key: str, task_id: str, *, attempt: int = 1, state_input: JSON = None) -> timedelta | None:
        """Run the tool of a task; returns and raises what `Runner.run` does."""
        until = self.tickets.signer.clock.now() + RUN_TICKET_LIFETIME
        ticket = self.tickets.for_start(owner_key, task_id, until=until)
        return self.runner.run(ticket, attempt=attempt, state_input=state_input)


def sending_to(server: HostServer) -> Send:
    """Return what sends messages to a host in this process, as JSON like to any other."""

    def send(message: Mapping[str, JSON]) -> Mapping[str, JSON]:
        answer: Mapping[str, JSON] = json.loads(json.dumps(server.answer(json.loads(json.dumps(message)))))
        return answer

    return send
