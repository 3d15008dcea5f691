"""Runs the tool of a task for whoever holds its start ticket."""

import json
import math
from collections.abc import Mapping
from datetime import timedelta

from mcp_tasks.engine.runner import RunBroken, RunInterrupted, Runner
from mcp_tasks.records import record
from mcp_tasks.run_host.client import RemoteHost, Send
from mcp_tasks.run_host.sending import until_it_arrives
from mcp_tasks.tasks.model import JSON


class TaskSuspended(Exception):
    """A run has suspended its task: no failure, but what its state machine catches by this name (`infra/run.py`)."""


@record
class TicketRunner:
    """A runner whose runs send their host messages."""

    runner: Runner
    send: Send

    def run(
        self, ticket: str, task_id: str, *, attempt: int = 1, state_input: JSON = None, name: str | None = None
    ) -> timedelta | None:
        """Run the tool of the task that a start ticket names; returns and raises what `Runner.run` does.

        A run of the same `name` as an earlier one takes its place; without, it has a name of its own.
        """
        named = {} if name is None else {"run": name}
        host = RemoteHost(send=until_it_arrives(self.send, self.runner.clock), ticket=ticket, **named)
        return self.runner.run(host, task_id, attempt=attempt, state_input=state_input)

    def answer(self, event: Mapping[str, JSON]) -> Mapping[str, JSON]:
        """Run the tool for a state, whose `event` is that of `functions/run_tool`, and return what the state is told.

        Raises `TaskSuspended` and `RunBroken` if the state's definition asks for them, and what else `Runner.run`
        raises: definitions of earlier releases retry `RunInterrupted` alone.
        """
        attempt, state_input = event["attempt"], event.get("state_input")
        try:
            timeout = self.run(event["ticket"], event["task"], attempt=attempt, state_input=state_input)
        except RunBroken as broken:
            if event.get("broken") == "error":
                raise
            raise RunInterrupted from broken.__cause__
        if timeout is None:
            return {"asked": False}
        return suspended(event, math.ceil(timeout.total_seconds()))


def suspended(event: Mapping[str, JSON], seconds: int) -> Mapping[str, JSON]:
    """Return what the state is told of a task that is suspended, or raise it, as its definition asks."""
    told = {"asked": True, "seconds": max(1, seconds)}
    if event.get("suspension") == "error":
        raise TaskSuspended(json.dumps(told))
    return told
