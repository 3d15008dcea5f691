"""The test harness: the server in one process, on memory, in simulated time, with crashes on demand."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from importlib import import_module
from typing import Any, Final

from mcp_tasks.adapters.memory.notifier import MemoryNotifier
from mcp_tasks.adapters.memory.ports import memory_ports
from mcp_tasks.features.listing import Features
from mcp_tasks.features.tools import Toolbox
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.notifications import Notification
from mcp_tasks.testing.client import RESPONDS, Client, NoResult, Responder, Transport
from mcp_tasks.testing.clock import SimulatedClock
from mcp_tasks.testing.reconciliation import SimulatedReconciliation
from mcp_tasks.testing.steps import Steps
from mcp_tasks.testing.store import ObservedStore
from mcp_tasks.testing.work import (
    MOST_ATTEMPTS,
    START_LATENCY,
    ProcessCrashed,
    SimulatedExecutor,
    SimulatedWaiter,
    StateMachine,
)
from mcp_tasks.wire.http import HttpReply, HttpRequest
from mcp_tasks.wire.revisions import PACKAGES
from mcp_tasks.wire.server import handle
from mcp_tasks.wiring import Wiring

REVISIONS: Final = tuple(package.removeprefix("rev_").replace("_", "-") for package in PACKAGES)
"""The revisions that the server speaks, newest first."""

CALLER: Final = Caller(tenant="acme", subject="ada")
"""The caller of a client, unless a test passes another one."""


class Harness:
    """A server with these features; each state machine that tools name needs a `StateMachine` in its place."""

    def __init__(self, features: Features, state_machines: Mapping[str, StateMachine] | None = None) -> None:
        self.clock = SimulatedClock()
        self._steps = Steps()
        self._notifier = MemoryNotifier()
        features = replace(features, tools=Toolbox(self._steps.observed(each) for each in features.tools))
        store = ObservedStore(self.clock, self._steps)
        executor = SimulatedExecutor(clock=self.clock, state_machines=state_machines or {})
        ports = memory_ports(
            self.clock,
            executor,
            secret=b"a key for tests, not for secrets",
            store=store,
            waiter=SimulatedWaiter(clock=self.clock),
            notifier=self._notifier,
        )
        wiring = Wiring(ports=ports)
        executor.run = wiring.runner(features.tools).run
        executor.suspend = wiring.suspension().suspend
        executor.fail = wiring.execution_outcomes(features.tools).failed
        reconciliation = SimulatedReconciliation(
            clock=self.clock, store=store, reconciler=wiring.reconciler(), notices=wiring.approval_notices()
        )
        store.listener = reconciliation.changed
        store.inbox.listener = reconciliation.asked
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

    def transport(self, caller: Caller = CALLER) -> Transport:
        """Return the transport of a caller, for clients that a test makes itself.

        A request whose process crashes gets no response and is sent again, as by somebody who calls again: five times
        at most, after which it raises `NoResult`.
        """

        def send(request: HttpRequest) -> HttpReply:
            for _ in range(MOST_ATTEMPTS):
                try:
                    return handle(self.server, request, caller)
                except ProcessCrashed:
                    continue
                finally:
                    self.run_until_idle()
            raise NoResult(f"the process crashed {MOST_ATTEMPTS} times in the same request")

        return send

    def advance(self, **duration: float) -> None:
        """Advance the clock by the fields of a `timedelta`, as in `advance(hours=1, minutes=30)`."""
        self.clock.advance(timedelta(**duration))

    @property
    def notifications(self) -> Sequence[Notification]:
        """What people were told of approvals, in order."""
        return self._notifier.sent

    def run_until_idle(self) -> None:
        """Run what is due within `START_LATENCY`: executions that start or resume."""
        while (deadline := self.clock.next_deadline()) and deadline - self.clock.now() <= START_LATENCY:
            self.clock.advance(deadline - self.clock.now())

    def pass_time(self, duration: timedelta) -> None:
        """Advance the clock by a duration, and further to the next callback if that is later."""
        deadline = self.clock.next_deadline()
        self.clock.advance(duration if deadline is None else max(duration, deadline - self.clock.now()))

    def crash_before(self, step: str) -> None:
        """Crash once before the result of this step is recorded, so that the tool runs again, and the step does too.

        To crash again at the next run, call it again.  A crash that never comes is an error at the end of the test.
        """
        self._steps.crash("before", step)

    def crash_after(self, step: str) -> None:
        """Crash once after the result of this step is recorded, so that the tool runs again and the step does not.

        The steps of a run within a call are lost with it: they are kept once the call has become a task, or was
        answered with input requests.  Counted and checked as those of `crash_before`.
        """
        self._steps.crash("after", step)

    def check_crashes(self) -> None:
        """Raise `AssertionError` for crashes that never came; the fixture `harness` does so at the end of the test."""
        self._steps.check_crashes()

    def steps(self, task_id: str) -> list[str]:
        """Return the names of the steps that a task recorded, in order, with repetitions."""
        return self._steps.of_task(task_id)

    def retries(self, task_id: str) -> list[str]:
        """Return the names of the steps that a task retried, in order, each as often as it was retried."""
        return self._steps.retries_of(task_id)


def package(revision: str) -> str:
    """Return how the modules and folders are named that belong to a revision."""
    return f"rev_{revision.replace('-', '_')}"


def client_module(revision: str) -> Any:
    """Return the module of a revision's client, found by name so that a revision can be removed with it."""
    return import_module(f"{__package__}.{package(revision)}")
