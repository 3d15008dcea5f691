"""The whole server in this process, on memory, with time that a test moves and processes that it lets crash."""

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
"""Who calls, unless a test says otherwise."""


class RecordingStore(MemoryTaskStore):
    """A store that remembers which steps were recorded, and lets the process crash once at one of them."""

    def __init__(self, clock: SimulatedClock) -> None:
        super().__init__(clock)
        self.steps: dict[str, list[str]] = {}
        self.crashes: set[tuple[str, str]] = set()

    def record(self, owner_key: str, task: Task, step: str, value: JSON) -> JSON:
        """Record a step; see `TaskStore`."""
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
    """A server that offers some features; tools whose state machine is their own need a `StateMachine` for it."""

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
        """Return a client of a caller, which declares that it knows tasks, or that it does not."""
        module = client_module(revision)
        declared = {**capabilities, **(module.TASKS if tasks else {})}
        client: Client = module.Client(
            self.transport(caller), declared, responder=responder, sleep=self.clock.sleep, poll=self.pass_time
        )
        return client

    def transport(self, caller: Caller = CALLER) -> Callable[[HttpRequest], HttpReply]:
        """Return what brings a caller's requests to the server, for clients of the test's own."""

        def bring(request: HttpRequest) -> HttpReply:
            reply = handle(self.server, request, caller)
            self.settle()
            return reply

        return bring

    def advance(self, **duration: float) -> None:
        """Let time pass: `advance(hours=1, minutes=30)`, named as `timedelta` names it."""
        self.clock.advance(timedelta(**duration))

    def settle(self) -> None:
        """Let happen what needs no waiting: executions start, and resume."""
        while (deadline := self.clock.next_deadline()) and deadline - self.clock.now() <= START_LATENCY:
            self.clock.advance(deadline - self.clock.now())

    def pass_time(self, duration: timedelta) -> None:
        """Let at least so much time pass, and as much more as it takes until something happens."""
        deadline = self.clock.next_deadline()
        self.clock.advance(duration if deadline is None else max(duration, deadline - self.clock.now()))

    def crash_before(self, step: str) -> None:
        """Let the process crash once, when a task's step has run and is not recorded: it runs again."""
        self.store.crashes.add(("before", step))

    def crash_after(self, step: str) -> None:
        """Let the process crash once, when a task's step is recorded: the tool runs again, and the step does not."""
        self.store.crashes.add(("after", step))

    def steps(self, task_id: str) -> list[str]:
        """Return the names of a task's steps in the order in which they were recorded, each time that they were."""
        return self.store.steps.get(task_id, [])


def client_module(revision: str) -> Any:
    """Return the module of a revision's client: each is found by its name, and goes with its revision."""
    return import_module(f"{__package__}.rev_{revision.replace('-', '_')}")
