"""A bench to run one tool on as the work of one task."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from mcp_tasks import tool
from mcp_tasks.adapters.memory import MemoryTaskStore
from mcp_tasks.features.tools import Toolbox
from mcp_tasks.ports import Ports
from mcp_tasks.runner import Runner
from mcp_tasks.service import TaskService
from mcp_tasks.tasks.model import JSON, Outcome, Returned, Task
from mcp_tasks.tenancy import Caller
from tests.kit import ADA, FixedClock, memory_ports

SECOND = timedelta(seconds=1)


@dataclass(frozen=True, kw_only=True)
class Bench:
    """One tool, one task of it, and what it takes to run it."""

    clock: FixedClock
    tasks: TaskService
    runner: Runner
    task: Task
    caller: Caller = ADA

    def run(self, attempt: int = 1) -> Outcome:
        self.runner.run(self.caller.scope, self.task.id, attempt=attempt)
        return self.tasks.outcome(self.caller, self.task.id)

    def look(self) -> Task:
        return self.tasks.look(self.caller, self.task.id)

    def cancel(self) -> None:
        self.tasks.cancel(self.caller, self.task.id)


def bench(
    function: Callable[..., Any],
    caller: Caller = ADA,
    store: Callable[[FixedClock], MemoryTaskStore] = MemoryTaskStore,
    **arguments: JSON,
) -> Bench:
    clock = FixedClock()
    made = tool(name="job")(function)
    ports: Ports = replace(memory_ports(clock), tasks=store(clock))
    tasks = TaskService(ports=ports)
    task = tasks.start(caller, made, arguments)
    return Bench(clock=clock, tasks=tasks, runner=Runner(tasks=tasks, tools=Toolbox([made])), task=task, caller=caller)


def text(words: str) -> Returned:
    return Returned(result={"content": [{"type": "text", "text": words}]})
