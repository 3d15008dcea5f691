"""Fakes and factories for all tests: callers, a clock, an executor, a waiter, a task, and all ports in memory."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from mcp_tasks.adapters.memory.keys import MemoryKeys
from mcp_tasks.adapters.memory.ports import memory_ports as ports_in_memory
from mcp_tasks.engine.lifecycle import new_task_id
from mcp_tasks.ports import Ports
from mcp_tasks.ports.clock import Clock
from mcp_tasks.ports.executor import Execution, Executor, ExecutorUnavailable
from mcp_tasks.ports.waiter import Waiter, Waker, Watch
from mcp_tasks.security.signing import Signer
from mcp_tasks.security.tenancy import Caller
from mcp_tasks.security.tickets import Tickets
from mcp_tasks.tasks.model import JSON, Task
from mcp_tasks.tasks.plan import Plan

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)

ADA = Caller(tenant="acme", subject="ada")
BOB = Caller(tenant="acme", subject="bob")
EVE = Caller(tenant="rival", subject="eve")


class FixedClock:
    """A `Clock` that advances only when a caller sleeps or a test moves it."""

    def __init__(self, now: datetime = NOON) -> None:
        self._now = now
        self._turn = threading.Lock()

    def now(self) -> datetime:
        return self._now

    def sleep(self, duration: timedelta) -> None:
        self.advance(duration)

    def advance(self, duration: timedelta) -> None:
        with self._turn:
            self._now += duration


@dataclass(frozen=True)
class Differing:
    """The clock of a process that is ahead of the others, or behind them."""

    clock: Clock
    ahead: timedelta

    def now(self) -> datetime:
        return self.clock.now() + self.ahead

    def sleep(self, duration: timedelta) -> None:
        self.clock.sleep(duration)


def plan_of(tasks: int) -> Plan:
    """Return a plan of which one subject may use all."""
    return Plan(active_tasks=tasks, running_tasks=tasks, subject_share=1)


def a_task(now: datetime = NOON, **changes: Any) -> Task:
    """Return a new task, as the service makes them, with some things different."""
    usual: dict[str, Any] = {
        "id": new_task_id(now),
        "tool": "greet",
        "created_at": now,
        "updated_at": now,
        "ttl": timedelta(hours=1),
        "timeout": timedelta(minutes=5),
        "poll_interval": timedelta(seconds=1),
        "machine": "run_tool",
    }
    return Task(**usual | changes)


@dataclass(slots=True, kw_only=True)
class IdleExecutor:
    """An executor that records its calls; a test does the work, has `run` do it, or makes it `down`.

    What `run` does may suspend, as in a state machine: a token then names the execution, and `resume` continues it.
    """

    down: bool = False
    run: Callable[[str, str], timedelta | None] | None = None
    suspend: Callable[[str, str, str], None] = lambda owner_key, task_id, token: None
    started: dict[str, Mapping[str, JSON]] = field(default_factory=dict)
    stopped: dict[str, str] = field(default_factory=dict)
    suspended: dict[str, tuple[str, str]] = field(default_factory=dict)
    resumed: list[str | None] = field(default_factory=list)
    ended: set[str] = field(default_factory=set)
    described: list[str] = field(default_factory=list)
    listed: int = 0
    starts: list[str] = field(default_factory=list)

    def start(self, owner_key: str, task: Task, arguments: Mapping[str, JSON]) -> None:
        self._must_be_up()
        self.starts.append(task.id)
        if self.started.setdefault(task.id, arguments) is arguments:
            self.work(owner_key, task.id)

    def stop(self, task: Task, reason: str) -> None:
        self._must_be_up()
        self.stopped[task.id] = reason

    def resume(self, task: Task) -> None:
        self._must_be_up()
        self.resumed.append(task.task_token)
        if self.run is not None and task.task_token in self.suspended:
            self.work(*self.suspended.pop(task.task_token))

    def work(self, owner_key: str, task_id: str) -> None:
        """Run, and suspend if the run requested input."""
        if self.run is not None and self.run(owner_key, task_id) is not None:
            token = f"token-{len(self.resumed)}-{task_id}"
            self.suspended[token] = (owner_key, task_id)
            self.suspend(owner_key, task_id, token)

    def describe(self, task: Task) -> Execution:
        self._must_be_up()
        self.described.append(task.id)
        if task.id not in self.started:
            return Execution.ABSENT
        return Execution.ENDED if task.id in self.ended or task.id in self.stopped else Execution.RUNNING

    def running(self) -> Iterator[list[str]]:
        self._must_be_up()
        self.listed += 1
        yield [task_id for task_id in self.started if task_id not in self.ended | set(self.stopped)]

    def _must_be_up(self) -> None:
        if self.down:
            raise ExecutorUnavailable


@dataclass(slots=True, kw_only=True)
class BusyWaiter:
    """A waiter whose pauses pass at once: the clock moves on by `pace`, and `meanwhile` happens."""

    clock: Clock
    pace: timedelta = timedelta(seconds=1)
    meanwhile: Callable[[], object] = lambda: None
    woken_by: Waker = Waker.POLL
    watching: int = 0
    pauses: int = 0

    @contextmanager
    def watch(self, owner_key: str, *task_ids: str) -> Iterator[Watch]:
        self.watching += 1
        try:
            yield self
        finally:
            self.watching -= 1

    def pause(self, at_most: timedelta) -> Waker:
        self.pauses += 1
        self.clock.sleep(min(at_most, self.pace))
        self.meanwhile()
        return self.woken_by


SECRET = b"a key for tests, not for secrets"


def tickets(clock: Clock | None = None) -> Tickets:
    """Return what issues and reads tickets, with the key of `memory_ports`."""
    return Tickets(signer=Signer(keys=MemoryKeys(SECRET), clock=clock or FixedClock()))


def memory_ports(
    clock: Clock | None = None,
    *,
    executor: Executor | None = None,
    waiter: Waiter | None = None,
    plan: Plan | None = None,
) -> Ports:
    """Return all ports in memory; unless given, the clock stands still and the executor does nothing."""
    clock = clock or FixedClock()
    return ports_in_memory(
        clock,
        executor or IdleExecutor(),
        secret=SECRET,
        waiter=waiter or BusyWaiter(clock=clock),
        plan=plan,
    )
