"""A region in simulated time: Step Functions with the quotas of a small one, and a table whose calls take time.

What a call takes is assumed: its time on the network, and that of its code in the share of a CPU that the function has.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.limits.aws import MAX_LISTED_AT_ONCE
from mcp_tasks.limits.waits import FIRST_CHECK
from mcp_tasks.ports.executor import Execution, ExecutorThrottled
from mcp_tasks.tasks.model import JSON, Task
from tests.kit import FixedClock

READ, WRITE, DESCRIBE, LIST = (timedelta(milliseconds=each) for each in (12, 16, 60, 400))
"""What a call of each kind takes: one of the table, one of Step Functions."""


@dataclass(slots=True, kw_only=True)
class TokenBucket:
    """A quota as AWS throttles: so many at once, so many more each second, half of which others take."""

    clock: FixedClock
    size: float
    refill: float
    calls: int = 0
    _left: float = field(init=False)
    _at: datetime = field(init=False)

    def __post_init__(self) -> None:
        self._left, self._at = self.size / 2, self.clock.now()

    def take(self) -> None:
        now = self.clock.now()
        self._left = min(self.size / 2, self._left + (now - self._at).total_seconds() * self.refill / 2)
        self._at = now
        if self._left < 1:
            raise ExecutorThrottled
        self._left -= 1
        self.calls += 1


class StepFunctions:
    """The executor; executions end when the simulation says so, and no event tells of it."""

    def __init__(self, clock: FixedClock) -> None:
        self._clock = clock
        self.descriptions = TokenBucket(clock=clock, size=250, refill=10)
        self.lists = TokenBucket(clock=clock, size=100, refill=2)
        self.executions: dict[str, Execution] = {}
        self.started: dict[str, datetime] = {}

    def start(self, owner_key: str, task: Task, arguments: Mapping[str, JSON]) -> None:
        self._clock.advance(DESCRIBE)
        self.executions.setdefault(task.id, Execution.RUNNING)
        self.started.setdefault(task.id, self._clock.now())

    def stop(self, task: Task, reason: str) -> None:
        self._clock.advance(DESCRIBE)
        self.executions[task.id] = Execution.ENDED

    def resume(self, task: Task) -> None:
        self._clock.advance(DESCRIBE * len(task.tokens))

    def describe(self, task: Task) -> Execution:
        self._clock.advance(DESCRIBE)
        self.descriptions.take()
        return self.executions.get(task.id, Execution.ABSENT)

    def running(self) -> Iterator[list[str]]:
        running = [task_id for task_id, state in self.executions.items() if state is Execution.RUNNING]
        for page in range(0, len(running), MAX_LISTED_AT_ONCE):
            self._clock.advance(LIST)
            self.lists.take()
            yield running[page : page + MAX_LISTED_AT_ONCE]


class Table(MemoryTaskStore):
    """The store, whose calls take time; `seen` are the times at which a task was read."""

    def __init__(self, clock: FixedClock) -> None:
        super().__init__(clock)
        self.seen: dict[str, list[datetime]] = {}

    def read(self, owner_key: str, task_id: str) -> Task:
        self._pass(READ)
        self.seen.setdefault(task_id, []).append(self._clock.now())
        return super().read(owner_key, task_id)

    def write(self, *args: Any, **named: Any) -> Task:
        self._pass(WRITE)
        return super().write(*args, **named)

    def postpone(self, owner_key: str, task_id: str, until: datetime, *, version: int | None = None) -> None:
        self._pass(WRITE)
        super().postpone(owner_key, task_id, until, version=version)

    def add(self, owner_key: str, like: Task, task: Task) -> None:
        """Store a task as another one, whatever the plan allows."""
        record = self._records[owner_key, like.id]
        self._records.keep(owner_key, replace(record, task=task, check_at=task.created_at + FIRST_CHECK))

    def stored(self, owner_key: str, task_id: str) -> Task:
        """Return a task without a call."""
        return self._records[owner_key, task_id].task

    def _pass(self, time: timedelta) -> None:
        assert isinstance(self._clock, FixedClock)
        self._clock.advance(time)
