"""The test harness: the server in one process, on memory, in simulated time, with crashes on demand."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from importlib import import_module
from typing import Any, Final

from mcp_tasks.adapters.memory.ports import memory_ports
from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.features.listing import Features
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON, Task
from mcp_tasks.testing.client import RESPONDS, Client, Responder
from mcp_tasks.testing.clock import SimulatedClock
from mcp_tasks.testing.work import START_LATENCY, ProcessCrashed, SimulatedExecutor, SimulatedWaiter, StateMachine
from mcp_tasks.wire.http import HttpReply, HttpRequest
from mcp_tasks.wire.revisions import PACKAGES
from mcp_tasks.wire.server import handle
from mcp_tasks.wiring import Wiring

REVISIONS: Final = tuple(package.removeprefix("rev_").replace("_", "-") for package in PACKAGES)
"""The revisions that the server speaks, newest first."""

CALLER: Final = Caller(tenant="acme", subject="ada")
"""The caller of a client, unless a test passes another one."""


class RecordingStore(MemoryTaskStore):
    """A store that lists the steps that were recorded, and raises `ProcessCrashed` where a test wants a crash."""

    def __init__(self, clock: SimulatedClock) -> None:
        super().__init__(clock)
        self.steps: dict[str, list[str]] = {}
        self.crashes: set[tuple[str, str]] = set()

    def record(self, owner_key: str, task: Task, step: str, value: JSON) -> JSON:
        """Record a step, and crash before or after it if a test asked for that."""
        self._crash("before", step)
        recorded = super().record(owner_key, task, step, value)
        self.steps.setdefault(task.id, []).append(step)
        self._crash("after", step)
        return recorded

    def _crash(self, when: str, step: str) -> None:
        if (when, step) in self.crashes:
            self.crashes.remove((when, step))
            raise ProcessCrashed(f"{when} the step {step} was recorded")


class Harness:
    """A server with these features; each state machine that tools name needs a `StateMachine` in its place."""

    def __init__(self, features: Features, state_machines: Mapping[str, StateMachine] | None = None) -> None:
        self.clock = SimulatedClock()
        self.store = RecordingStore(self.clock)
        executor = SimulatedExecutor(clock=self.clock, state_machines=state_machines or {})
        ports = memory_ports(
            self.clock,
            executor,
            secret=b"a key for tests, not for secrets",
            store=self.store,
            waiter=SimulatedWaiter(clock=self.clock),
        )
        wiring = Wiring(ports=ports)
        executor.run = wiring.runner(features.tools).run
        executor.suspend = wiring.suspension().suspend
        executor.fail = wiring.execution_outcomes(features.tools).failed
        self.server = wiring.server(features, name="test-server", version="0")

    def client(
        self,
        revision: str = REVISIONS[0],
        caller: Caller = CALLER,
        *,
        capabilities: Mapping[str, Any] = RESPONDS,
        tasks: bool = True,
        responder: Responder | None = None,
    ) -> Client:
        """Return a client of a revision for a caller, with or without task support."""
        module = client_module(revision)
        declared = {**capabilities, **(module.TASKS if tasks else {})}
        client: Client = module.Client(
            self.transport(caller), declared, responder=responder, sleep=self.clock.sleep, poll=self.pass_time
        )
        return client

    def transport(self, caller: Caller = CALLER) -> Callable[[HttpRequest], HttpReply]:
        """Return the transport of a caller, for clients that a test makes itself."""

        def bring(request: HttpRequest) -> HttpReply:
            reply = handle(self.server, request, caller)
            self.run_until_idle()
            return reply

        return bring

    def advance(self, **duration: float) -> None:
        """Advance the clock by the fields of a `timedelta`, as in `advance(hours=1, minutes=30)`."""
        self.clock.advance(timedelta(**duration))

    def run_until_idle(self) -> None:
        """Run what is due within `START_LATENCY`: executions that start or resume."""
        while (deadline := self.clock.next_deadline()) and deadline - self.clock.now() <= START_LATENCY:
            self.clock.advance(deadline - self.clock.now())

    def pass_time(self, duration: timedelta) -> None:
        """Advance the clock by a duration, and further to the next callback if that is later."""
        deadline = self.clock.next_deadline()
        self.clock.advance(duration if deadline is None else max(duration, deadline - self.clock.now()))

    def crash_before(self, step: str) -> None:
        """Crash once when this step has run and is not yet recorded, so that the step runs again."""
        self.store.crashes.add(("before", step))

    def crash_after(self, step: str) -> None:
        """Crash once when this step is recorded, so that the tool runs again and the step does not."""
        self.store.crashes.add(("after", step))

    def steps(self, task_id: str) -> list[str]:
        """Return the names of the steps that a task recorded, in order, with repetitions."""
        return self.store.steps.get(task_id, [])


def package(revision: str) -> str:
    """Return how the modules and folders are named that belong to a revision."""
    return f"rev_{revision.replace('-', '_')}"


def client_module(revision: str) -> Any:
    """Return the module of a revision's client, found by name so that a revision can be removed with it."""
    return import_module(f"{__package__}.{package(revision)}")
