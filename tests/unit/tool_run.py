"""A fixture that runs one tool as the work of one stored task."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from mcp_tasks import Accepted, Context, tool
from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.engine.lifecycle import NO_INITIAL_STATE, InitialState, TaskService
from mcp_tasks.engine.suspension import Suspension
from mcp_tasks.features.tools import Tool, Toolbox
from mcp_tasks.ports import Ports
from mcp_tasks.run_host.in_process import InProcessRunner
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON, InputResponse, Outcome, Returned, Task
from mcp_tasks.wiring import Wiring
from tests.kit import ADA, FixedClock, memory_ports
from tests.unit.contexts import Name

SECOND = timedelta(seconds=1)


@dataclass(frozen=True, kw_only=True)
class ToolRun:
    """A tool with a stored task of it and the runner."""

    clock: FixedClock
    tasks: TaskService
    runner: InProcessRunner
    task: Task
    caller: Caller = ADA

    def run(self, attempt: int = 1) -> Outcome:
        self.runner.run(self.caller.owner_key, self.task.id, attempt=attempt)
        return self.tasks.outcome(self.caller, self.task.id)

    def current(self) -> Task:
        return self.tasks.get(self.caller, self.task.id)

    def cancel(self) -> None:
        self.tasks.cancel(self.caller, self.task.id)

    def run_once(self, attempt: int = 1) -> timedelta | None:
        """Run once, and return the timeout of the input requests if the run made some."""
        return self.runner.run(self.caller.owner_key, self.task.id, attempt=attempt)

    def suspend(self) -> None:
        Suspension(tasks=self.tasks).suspend(self.caller.owner_key, self.task.id, f"token-{self.current().version}")

    def wait(self) -> "ToolRun":
        """Run once, and suspend the task for the input that the run requested."""
        assert self.run_once() is not None
        self.suspend()
        return self

    def answer(self, **results: JSON) -> None:
        """Respond to input requests by their keys; a value with `code` is a client's error."""
        responses = {
            key: InputResponse(result=each) if "code" not in each else InputResponse(error=each)
            for key, each in results.items()
        }
        Suspension(tasks=self.tasks).answer(self.caller, self.task.id, responses)

    def open_keys(self) -> list[str]:
        """Return the keys of the open input requests."""
        return [input_request.key for input_request in self.current().open_input_requests]


def tool_run(
    function: Callable[..., Any],
    caller: Caller = ADA,
    store: Callable[[FixedClock], MemoryTaskStore] = MemoryTaskStore,
    client_capabilities: frozenset[str] = frozenset(),
    initial_state: InitialState = NO_INITIAL_STATE,
    **arguments: JSON,
) -> ToolRun:
    clock = FixedClock()
    made = tool(name="job", description="A job.")(function)
    kept = store(clock)
    ports: Ports = replace(memory_ports(clock), tasks=kept, backlog=kept)
    tasks = TaskService(ports=ports)
    task = tasks.start(caller, made, arguments, client_capabilities=client_capabilities, initial_state=initial_state)
    runner = in_process_runner(tasks, made)
    return ToolRun(clock=clock, tasks=tasks, runner=runner, task=task, caller=caller)


def in_process_runner(tasks: TaskService, *tools: Tool) -> InProcessRunner:
    return Wiring(ports=tasks.ports).runner(Toolbox(tools))


def greet(context: Context) -> str:
    """Ask who it is, and greet them."""
    answer = context.elicit("Who?", Name, key="name")
    return f"Hello, {answer.value.name}!" if isinstance(answer, Accepted) else "Hello!"


def text(words: str) -> Returned:
    return Returned(result={"content": [{"type": "text", "text": words}]})
