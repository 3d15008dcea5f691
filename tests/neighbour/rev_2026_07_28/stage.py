"""A stage in simulated time: the server's code as it is, on capacities that are modelled.

What a request or a run takes is assumed, since only proportions are of interest.  A function that is at its
concurrency refuses, as Lambda does; Step Functions tries a run again until it is let in.
"""

import heapq
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import count
from typing import Final

from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.engine.reconciler import Reconciler
from mcp_tasks.features.listing import Features
from mcp_tasks.ports.executor import Execution
from mcp_tasks.ports.store import InitialRecords
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.tasks.model import JSON, Returned, Task
from mcp_tasks.tasks.plan import Plan
from mcp_tasks.testing.rev_2026_07_28 import Client
from mcp_tasks.wire.server import handle
from mcp_tasks.wiring import Wiring
from tests.kit import FixedClock, memory_ports
from tests.neighbour.rev_2026_07_28.tools import TOOLS

SERVING: Final = 200
RUNNING: Final = 500
"""The concurrency of the endpoint and of runs in the template's stage `prod`; a project may have no such stage."""

REFUSED, INLINE, STARTS, STREAM = 0.01, 0.05, 0.15, 0.2
"""Seconds: a refusal; a call in the endpoint; from a slot to its run; from a write to the reader of the stream."""

WAIT, NEVER = 25.0, float("inf")
"""Seconds that a connection is held, and the moment of what has not happened."""


@dataclass(slots=True)
class Function:
    """A function and its concurrency; `waiting` are runs that Step Functions tries again."""

    concurrency: int
    busy: int = 0
    waiting: deque[Callable[[], None]] = field(default_factory=deque)

    def enter(self) -> bool:
        """Take one of its environments, if any is free."""
        free = self.busy < self.concurrency
        self.busy += free
        return free

    def leave(self) -> None:
        """Give it back, or on to the run that has tried for longest."""
        self.busy -= 1
        if self.waiting and self.enter():
            self.waiting.popleft()()


class _Store(MemoryTaskStore):
    """Has every change delivered."""

    deliver: Callable[[str, Task | None, Task | None], None]

    def _on_change(self, owner_key: str, before: Task | None, after: Task | None, records: InitialRecords) -> None:
        self.deliver(owner_key, before, after)

    def repeat(self, owner_key: str, queued: Task, number: int) -> None:
        """Store so many more of a queued task, whatever the plan allows."""
        record = self._records[owner_key, queued.id]
        for each in range(number):
            twin = replace(queued, id=f"{queued.id[:-6]}{each:06}")
            self._records.keep(owner_key, replace(record, task=twin))


class Stage:
    """The stage, its clock, and what will happen."""

    def __init__(self, plan: Plan) -> None:
        self.clock = FixedClock()
        self.serve, self.run_tool = Function(SERVING), Function(RUNNING)
        self.numbers, self.agenda = count(), list[tuple[float, int, Callable[[], None]]]()
        self.began, self.seconds = dict[str, float](), 0.0
        """When the first run of each task began."""
        self.store = store = _Store(self.clock)
        store.deliver = lambda *change: self.later(STREAM, lambda: self._reconciler.changed(*change))
        ports = replace(memory_ports(self.clock, executor=self, plan=plan), tasks=store, backlog=store, queue=store)
        self.wiring = Wiring(ports=ports)
        self.tasks = self.wiring.tasks()
        self._reconciler = Reconciler(tasks=self.tasks, ports=ports)
        self.server = self.wiring.server(Features.of(TOOLS), name="stage", version="1")

    def later(self, seconds: float, act: Callable[[], None]) -> None:
        """Have something happen after so many seconds."""
        heapq.heappush(self.agenda, (self.seconds + seconds, next(self.numbers), act))

    def run_until(self, end: float) -> None:
        """Let time pass."""
        while self.agenda and self.agenda[0][0] <= end:
            at, _, act = heapq.heappop(self.agenda)
            self.clock.advance(timedelta(seconds=at - self.seconds))
            self.seconds = at
            act()

    def client(self, caller: Caller) -> Client:
        """Return a client of the server, whose requests take no time of themselves."""
        return Client(lambda request: handle(self.server, request, caller))

    def request(self, send: Callable[[], float], done: Callable[[bool], None]) -> None:
        """Have the endpoint answer a request, if it has an environment; `send` returns how long it is held."""
        if not self.serve.enter():
            done(False)
            return

        def end() -> None:
            self.serve.leave()
            done(True)

        self.later(send(), end)

    # --- the executor

    def start(self, owner_key: str, task: Task, arguments: Mapping[str, JSON]) -> None:
        """Start a task's execution once; it runs the tool as soon as Lambda lets it."""
        if task.id in self.began:
            return
        self.began[task.id] = NEVER
        seconds = float(str(arguments["seconds"]))

        def run() -> None:
            self.began[task.id] = self.seconds
            self.later(seconds, lambda: self._end(owner_key, task.id))

        def enter() -> None:
            if self.run_tool.enter():
                run()
            else:
                self.run_tool.waiting.append(run)

        self.later(STARTS, enter)

    def stop(self, task: Task, reason: str) -> None:
        """Do nothing: no task is cancelled here."""

    def resume(self, task: Task) -> None:
        """Do nothing: no task is suspended here."""

    def describe(self, task: Task) -> Execution:
        """Return that the execution runs: no sweep comes in a minute."""
        return Execution.RUNNING

    def running(self) -> Iterable[Collection[str]]:
        """Yield nothing: no sweep comes in a minute."""
        return ()

    def _end(self, owner_key: str, task_id: str) -> None:
        self.tasks.finish(owner_key, task_id, Returned(result={"content": []}))
        self.run_tool.leave()
