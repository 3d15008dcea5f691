"""Runs the tools of tasks in the process that hosts the runs: for `make serve`, the test kit and tests."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from mcp_tasks.engine.runner import Runner
from mcp_tasks.limits.waits import RUN_TICKET_LIFETIME
from mcp_tasks.run_host.client import RemoteHost
from mcp_tasks.run_host.server import HostServer
from mcp_tasks.tasks.model import JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class InProcessRunner:
    """A runner whose runs send their host the same messages as on AWS."""

    server: HostServer
    runner: Runner

    def run(self, owner_key: str, task_id: str, *, attempt: int = 1, state_input: JSON = None) -> timedelta | None:
        """Run the tool of a task; returns and raises what `Runner.run` does."""
        until = self.runner.clock.now() + RUN_TICKET_LIFETIME
        ticket = self.server.tickets.for_start(owner_key, task_id, until=until)
        return self.runner.run(RemoteHost(send=self._send, ticket=ticket), attempt=attempt, state_input=state_input)

    def _send(self, message: Mapping[str, JSON]) -> Mapping[str, JSON]:
        answer: Mapping[str, JSON] = json.loads(json.dumps(self.server.answer(json.loads(json.dumps(message)))))
        return answer
