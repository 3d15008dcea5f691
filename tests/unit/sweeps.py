"""A service of tasks in memory whose executor and store fail or race as a test wants, and a sweep of its tasks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta

from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.engine.reconciler import Reconciler
from mcp_tasks.ports.executor import Execution
from mcp_tasks.tasks.model import Task
from tests.kit import ADA, FixedClock, IdleExecutor, memory_ports, plan_of
from tests.unit.jobs import DAY, job

ALL = 1_000


@dataclass(slots=True, kw_only=True)
class FailingExecutor(IdleExecutor):
    """An executor that fails to describe some tasks, each with its error, or to list them; `meanwhile` time passes.

    What runs it lists in these `pages`, if there are any.
    """

    errors: dict[str, Exception] = field(default_factory=dict)
    unlisted: Exception | None = None
    pages: list[list[str]] = field(default_factory=list)
    meanwhile: Callable[[], object] = lambda: None

    def running(self) -> Iterator[list[str]]:
        if self.unlisted:
            raise self.unlisted
        return iter(self.pages) if self.pages else IdleExecutor.running(self)

    def describe(self, task: Task) -> Execution:
        if task.id in self.errors:
            raise self.errors[task.id]
        found = IdleExecutor.describe(self, task)
        self.meanwhile()
        return found


class FailingStore(MemoryTaskStore):
    """A store that fails to read some tasks, and to postpone all, if it shall."""

    def __init__(self, clock: FixedClock) -> None:
        super().__init__(clock)
        self.unreadable, self.postpones = dict[str, Exception](), True

    def read(self, owner_key: str, task_id: str) -> Task:
        if task_id in self.unreadable:
            raise self.unreadable[task_id]
        return super().read(owner_key, task_id)

    def postpone(self, *args: object, **kwargs: object) -> None:
        if not self.postpones:
            raise RuntimeError
        super().postpone(*args, **kwargs)  # type: ignore[arg-type]


class Room:
    """A service of tasks, and what a sweep of them meets."""

    def __init__(self, running: int = 1_000) -> None:
        self.clock, self.executor = FixedClock(), FailingExecutor()
        self.store = FailingStore(self.clock)
        plan = replace(plan_of(10_000), running_tasks=running)
        ports = memory_ports(self.clock, executor=self.executor, plan=plan)
        ports = replace(ports, tasks=self.store, backlog=self.store, queue=self.store, inbox=lambda: self.store.inbox)
        self.tasks = TaskService(ports=ports)
        self.reconciler = Reconciler(tasks=self.tasks, ports=ports)

    def start(self, number: int = 1) -> list[Task]:
        return [self.tasks.start(ADA, job, {}, ttl=DAY) for _ in range(number)]

    def crash(self) -> Task:
        """Return a task that was stored and not started, and whose check comes after those of earlier ones."""
        self.executor.down = True
        (task,) = self.start()
        self.executor.down = False
        self.clock.advance(timedelta(microseconds=1))
        return task

    def due(self) -> list[str]:
        return [task_id for _, task_id in self.store.due(limit=ALL)]
