"""Runs the tools of tasks in the process that hosts the runs: for `make serve`, the test kit and tests."""

import json
from collections.abc import Mapping
from datetime import timedelta

from mcp_tasks.records import record
from mcp_tasks.run_host.client import Send
from mcp_tasks.run_host.ticket_runner import TicketRunner
from mcp_tasks.security.tickets import Tickets
from mcp_tasks.tasks.model import JSON


@record
class InProcessRunner:
    """A runner of tasks, for which it makes the tickets itself."""

    tickets: Tickets
    runner: TicketRunner

    def run(self, owner_key: str, task_id: str, *, attempt: int = 1, state_input: JSON = None) -> timedelta | None:
        """Run the tool of a task; returns and raises what `Runner.run` does."""
        ticket = self.tickets.for_start_now(owner_key, task_id)
        # Whoever runs tasks in one process begins no run before the one before it has ended.
        return self.runner.run(ticket, task_id, attempt=attempt, state_input=state_input, name=task_id)


def as_json(answer: Send) -> Send:
    """Return what sends messages to this process, and has the answers, as JSON like to and from any other."""

    def send(message: Mapping[str, JSON]) -> Mapping[str, JSON]:
        # As Lambda answers, in UTF-8: a lone surrogate fails here, too.
        written = json.dumps(answer(json.loads(json.dumps(message))), ensure_ascii=False).encode()
        answered: Mapping[str, JSON] = json.loads(written)
        return answered

    return send
