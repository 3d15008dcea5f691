"""A tool without an execution, with the events and the processes that run it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from mcp_tasks import Context, tool
from mcp_tasks.adapters.direct import DirectExecutor
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.features.tools import Tool, Toolbox
from mcp_tasks.limits.waits import LONGEST_RUN
from mcp_tasks.run_host.client import RemoteHost
from mcp_tasks.tasks.model import RunLease, Task
from tests.contract.events import Events
from tests.contract.process import Crash, Process
from tests.kit import ADA, FixedClock, memory_ports, tickets


@dataclass(slots=True)
class Direct:
    """A tool without an execution, the events that are to start its runs, and the processes that run it."""

    work: Callable[[], object] = lambda: None
    timeout: timedelta = LONGEST_RUN
    events: Events = field(default_factory=Events)
    clock: FixedClock = field(default_factory=FixedClock)
    attempts: list[int] = field(default_factory=list)
    does: Process = field(init=False)
    tool: Tool = field(init=False)

    def __post_init__(self) -> None:
        @tool(tasks="always", machine="direct", timeout=self.timeout)
        def job(context: Context) -> str:
            """Work."""
            self.attempts.append(context.attempt)
            self.work()
            return f"attempt {context.attempt}"

        self.tool = job
        executor = DirectExecutor(
            client=lambda: self.events, function="run_tool", tickets=tickets(self.clock), clock=self.clock
        )
        self.does = Process.of(memory_ports(self.clock, executor=executor), Toolbox([job]))

    @property
    def tasks(self) -> TaskService:
        return self.does.tasks

    def start(self) -> Task:
        return self.tasks.start(ADA, self.tool, {})

    def deliver(self) -> None:
        """Deliver the events that wait."""
        for event in self.events.take():
            self.does.runner.runner.answer(event)

    def sweep(self, after: timedelta = timedelta()) -> None:
        self.clock.advance(after)
        self.does.reconciler.sweep(limit=10)

    def die(self) -> None:
        """Deliver the events that wait to processes that die of them."""
        alive, self.work = self.work, crash
        for event in self.events.take():
            with pytest.raises(Crash):
                self.does.runner.runner.answer(event)
        self.work = alive

    def host(self, run: str) -> RemoteHost:
        """Return the host of a run of that name."""
        (event, *_) = self.events.waiting
        return RemoteHost(send=self.does.runner.runner.send, ticket=event["ticket"], run=run)

    def lease(self, task: Task) -> RunLease | None:
        return self.tasks.read(ADA.owner_key, task.id).lease


def crash() -> None:
    raise Crash
