"""Executors of `make serve`: threads for what only runs a tool, and an interpreter for state machines of tools."""

import logging
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_tasks.adapters.executor_of_task import ExecutorOfTask
from mcp_tasks.adapters.memory.shelves import Shelves
from mcp_tasks.adapters.memory.threads import TaskThreads, ThreadExecutor
from mcp_tasks.features.tools import Toolbox
from mcp_tasks.ports.clock import Clock
from mcp_tasks.ports.executor import Execution, Executor
from mcp_tasks.security.tickets import Tickets
from mcp_tasks.tasks.model import COMMON_MACHINES, JSON, Task
from mcp_tasks.wiring import Wiring

if TYPE_CHECKING:
    from local.interpreter import Interpreter, Services

logger = logging.getLogger(__name__)

NOT_SYNTHESISED = "its state machine could not be synthesised"


class NotSynthesised(Exception):
    """The app could not be synthesised; the text says why."""


class StateMachineExecutor:
    """Runs the state machines of tools: synthesised, and the interpreter loaded, by the first task that needs one.

    Definitions are synthesised again when a file that they are made of has changed; executions that run keep theirs.
    """

    def __init__(self, machines_module: str | None, clock: Clock) -> None:
        self._services: Services = {}
        self._tickets: Tickets | None = None
        self._fail: Callable[[str, str, str], None] = lambda owner_key, task_id, error: None
        self._machines_module = machines_module
        self._loading = threading.Lock()
        self._stopping = threading.Lock()
        self._interpreter: Interpreter | None = None
        self._assembly: Path | None = None
        self._executor: Executor | None = None
        self._threads = TaskThreads(clock)
        self._stopped: Shelves[bool] = Shelves(clock)

    def serve(self, wiring: Wiring, tools: Toolbox) -> None:
        """Run these tools from now on; the two bootstraps have the same services, made for AWS."""
        self._tickets = wiring.tickets()
        outcomes = wiring.execution_outcomes(tools)
        self._fail = outcomes.failed
        self._services = {
            "runner": lambda settings: wiring.ticket_runner(tools),
            "suspension": lambda settings: wiring.suspension(),
            "progress_reports": lambda settings: wiring.progress_reports(),
            "execution_outcomes": lambda settings: outcomes,
        }
        if self._interpreter:
            self._interpreter.serve(self._services)

    def start(self, owner_key: str, task: Task, arguments: Mapping[str, JSON]) -> None:
        """Begin the task's execution in a thread, since it may have to be synthesised first."""
        self._threads.start(task, self._begin, owner_key, task, arguments)

    def stop(self, task: Task, reason: str) -> None:
        """Stop the execution, or have it not begin."""
        with self._stopping:
            self._stopped.put("tasks", task.id, True, task.expires_at)
        if self._executor:
            self._executor.stop(task, reason)

    def resume(self, task: Task) -> None:
        """Resume the execution that waits for one of the task's tokens."""
        if self._executor:
            self._executor.resume(task)

    def describe(self, task: Task) -> Execution:
        """Return the state of the task's execution; one that is about to begin is running."""
        beginning = self._threads.describe(task)
        if beginning is not Execution.ENDED:
            return beginning
        described = self._executor.describe(task) if self._executor else Execution.ABSENT
        return Execution.ENDED if described is Execution.ABSENT else described

    def running(self) -> Iterable[Collection[str]]:
        """Yield the ids of tasks whose executions are about to begin; the others are described."""
        yield self._threads.running()

    def _begin(self, owner_key: str, task: Task, arguments: Mapping[str, JSON]) -> None:
        try:
            executor = self._loaded()
            if ("tasks", task.id) not in self._stopped:
                executor.start(owner_key, task, arguments)
                logger.info("execution %s: RUNNING, in the state machine %s", task.id, task.machine)
            if ("tasks", task.id) in self._stopped:
                executor.stop(task, "stopped while it began")
        except NotSynthesised as error:
            logger.error("the state machine of %s could not be synthesised: %s", task.tool, error)
            self._fail(owner_key, task.id, NOT_SYNTHESISED)
        except BaseException as error:
            logger.exception("the state machine of %s does not start", task.tool)
            self._fail(owner_key, task.id, str(error))

    def _loaded(self) -> Executor:
        with self._loading:
            importing = threading.Thread(target=_interpreter, name="import", daemon=True)
            # While the app is synthesised in a process of its own: each takes seconds.
            importing.start()
            assembly = _synthesised(self._machines_module)
            importing.join()
            if self._interpreter is None:
                self._interpreter = _interpreter()
                self._interpreter.serve(self._services)
            if assembly != self._assembly or self._executor is None:
                assert self._tickets, "it serves"
                self._executor = self._interpreter.take_up(assembly, self._tickets)
                self._assembly = assembly
            return self._executor


def _synthesised(machines_module: str | None) -> Path:
    # Imported here, since boto3 slows down the start of a server.
    from local.definitions import assembly
    from local.deploy import DeployFailed

    try:
        return assembly(machines_module)
    except DeployFailed as error:
        raise NotSynthesised(str(error)) from None


@cache
def _interpreter() -> "Interpreter":
    # Imported here, since it takes seconds, and serving starts without.
    from local.interpreter import Interpreter

    return Interpreter()


@cache
def _let_code_reach_moto() -> None:
    # Imported here, since botocore slows down the start of a server that does without.  But before the tools use it.
    from mcp_tasks.testing.state_machines.aws import install

    install()


class Executors(ExecutorOfTask):
    """The executors of `make serve`, which `serve` gives the tools that they run."""

    def __init__(self, machines_module: str | None, clock: Clock) -> None:
        self.threads = ThreadExecutor(clock)
        self.state_machines = StateMachineExecutor(machines_module, clock)
        super().__init__(machines=COMMON_MACHINES, executor=lambda: self.threads, others=self.state_machines)

    def serve(self, wiring: Wiring, tools: Toolbox) -> None:
        """Run these tools from now on."""
        if any(tool.machine not in COMMON_MACHINES for tool in tools):
            _let_code_reach_moto()
        self.threads.run, self.threads.suspend = wiring.runner(tools).run, wiring.suspension().suspend
        self.threads.fail = wiring.execution_outcomes(tools).failed
        self.state_machines.serve(wiring, tools)
