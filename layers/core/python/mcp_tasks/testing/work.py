"""Executions in simulated time: they run a task's tool, retry it after a crash, and wait for input."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final, Protocol

from mcp_tasks.engine.runner import RunInterrupted
from mcp_tasks.ports.executor import Execution
from mcp_tasks.ports.waiter import Waker, Watch
from mcp_tasks.tasks.model import COMMON_MACHINES, JSON, Task
from mcp_tasks.testing.clock import SimulatedClock


@dataclass(frozen=True, slots=True, kw_only=True)
class HandOver:
    """What a state machine does before it runs the tool: it takes so long, and hands over a `state_input`."""

    after: timedelta = timedelta()
    state_input: JSON = None


StateMachine = Callable[[Mapping[str, JSON]], timedelta | HandOver]
"""In place of a tool's own state machine: returns, given the arguments, how long that takes before it runs the tool."""

START_LATENCY: Final = timedelta(seconds=1)
"""How long after its start an execution runs the tool: longer than `handle_after`, shorter than `inline_wait`."""

RETRY_INTERVAL: Final = timedelta(seconds=1)

MOST_ATTEMPTS: Final = 5
"""How many attempts a tool gets whose process crashes each time."""


class ProcessCrashed(KeyboardInterrupt):
    """A simulated crash of the process: like an interrupt, neither tools nor the runner catch it."""


class NoStateMachine(BaseException):
    """A tool names a state machine that the test has no `StateMachine` for.

    It is no `Exception`, so that it reaches the test: the server turns those into responses.
    """


class Run(Protocol):
    """Runs a task's tool; returns how long to wait for input, or None if the run needs none."""

    def __call__(self, owner_key: str, task_id: str, *, attempt: int, state_input: JSON) -> timedelta | None:
        """Run the tool of a task."""


@dataclass(slots=True, kw_only=True)
class _Execution:
    owner_key: str
    task: Task
    state_input: JSON
    running: bool = True


@dataclass(slots=True, kw_only=True)
class SimulatedExecutor:
    """An `Executor` on the simulated clock; the harness sets `run`, `suspend` and `fail`."""

    clock: SimulatedClock
    state_machines: Mapping[str, StateMachine]
    run: Run = lambda owner_key, task_id, *, attempt, state_input: None
    suspend: Callable[[str, str, str], None] = lambda owner_key, task_id, token: None
    fail: Callable[[str, str, str], None] = lambda owner_key, task_id, error: None
    _executions: dict[str, _Execution] = field(default_factory=dict)
    _suspended: dict[str, _Execution] = field(default_factory=dict)
    _tokens: int = 0

    def start(self, owner_key: str, task: Task, arguments: Mapping[str, JSON]) -> None:
        """Schedule the first run of the tool; do nothing if the task has an execution.  Raises `NoStateMachine`."""
        if task.id in self._executions:
            return
        before = self._before_run(task, arguments)
        execution = _Execution(owner_key=owner_key, task=task, state_input=before.state_input)
        self._executions[task.id] = execution
        self._later(START_LATENCY + before.after, execution)

    def stop(self, task: Task, reason: str) -> None:
        """End the execution: no further run follows."""
        if execution := self._executions.get(task.id):
            execution.running = False

    def resume(self, task: Task) -> None:
        """Run the tool again now, for each task token that waits."""
        for token in task.tokens:
            self._resume(token)

    def describe(self, task: Task) -> Execution:
        """Return whether the task's execution is running, has ended, or never started."""
        execution = self._executions.get(task.id)
        if execution is None:
            return Execution.ABSENT
        return Execution.RUNNING if execution.running else Execution.ENDED

    def running(self) -> Iterable[Collection[str]]:
        """Yield the ids of all tasks whose executions run."""
        yield [task_id for task_id, execution in self._executions.items() if execution.running]

    def _before_run(self, task: Task, arguments: Mapping[str, JSON]) -> HandOver:
        if task.machine in COMMON_MACHINES:
            return HandOver()
        if task.machine not in self.state_machines:
            raise NoStateMachine(
                f"{task.tool} has the state machine {task.machine!r}: override the fixture state_machines, with a "
                f"function under this name that returns how long the state machine waits before it runs the tool"
            )
        made = self.state_machines[task.machine](arguments)
        return made if isinstance(made, HandOver) else HandOver(after=made)

    def _later(self, delay: timedelta, execution: _Execution, attempt: int = 1) -> None:
        self.clock.at(self.clock.now() + delay, lambda: self._work(execution, attempt))

    def _work(self, execution: _Execution, attempt: int) -> None:
        if not execution.running:
            return
        time_limit = self.clock.at(
            self.clock.now() + execution.task.timeout, lambda: self._fail(execution, "States.Timeout")
        )
        try:
            given = execution.state_input
            timeout = self.run(execution.owner_key, execution.task.id, attempt=attempt, state_input=given)
        except (ProcessCrashed, RunInterrupted):
            self._retry(execution, attempt)
            return
        finally:
            self.clock.cancel(time_limit)
        if timeout is None:
            execution.running = False
        elif execution.running:
            self._suspend(execution, timeout)

    def _retry(self, execution: _Execution, attempt: int) -> None:
        if attempt < MOST_ATTEMPTS:
            self._later(RETRY_INTERVAL, execution, attempt + 1)
        else:
            self._fail(execution, "Runtime.ExitError")

    def _fail(self, execution: _Execution, error: str) -> None:
        execution.running = False
        self.fail(execution.owner_key, execution.task.id, error)

    def _suspend(self, execution: _Execution, timeout: timedelta) -> None:
        self._tokens += 1
        token = f"token-{self._tokens}"
        self._suspended[token] = execution
        self.clock.at(self.clock.now() + timeout, lambda: self._resume(token))
        self.suspend(execution.owner_key, execution.task.id, token)

    def _resume(self, token: str) -> None:
        if suspended := self._suspended.pop(token, None):
            self._later(timedelta(), suspended)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedWaiter:
    """A `Waiter` that advances the clock to the next callback, or by as long as it may wait."""

    clock: SimulatedClock

    @contextmanager
    def watch(self, owner_key: str, *task_ids: str) -> Iterator[Watch]:
        """Yield the waiter itself as the watch."""
        yield self

    def pause(self, at_most: timedelta) -> Waker:
        """Advance the clock to the next callback, at most by this long."""
        deadline = self.clock.next_deadline()
        until = at_most if deadline is None else max(deadline - self.clock.now(), timedelta())
        self.clock.advance(min(at_most, until))
        return Waker.POLL
