"""A sweep goes on past whatever fails, ends in time, and asks Step Functions no more than it has to."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest

from mcp_tasks import tool
from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.engine.lifecycle import TaskService
from mcp_tasks.engine.reconciler import Reconciler
from mcp_tasks.limits.aws import MAX_DESCRIBED
from mcp_tasks.limits.waits import BETWEEN_CHECKS, FIRST_CHECK, GRACE, LONGEST_SWEEP
from mcp_tasks.ports.executor import Execution, ExecutorThrottled, ExecutorUnavailable
from mcp_tasks.tasks.errors import UnreadableItem
from mcp_tasks.tasks.model import State, Task
from mcp_tasks.testing.reconciliation import BETWEEN_SWEEPS
from tests.kit import ADA, FixedClock, IdleExecutor, memory_ports, plan_of
from tests.unit.jobs import job

DAY = timedelta(days=1)
ALL = 1_000


@tool()
def long() -> str:
    """Work for as long as the default machine allows."""
    return ""


@dataclass(slots=True, kw_only=True)
class FailingExecutor(IdleExecutor):
    """An executor that fails to describe some tasks, each with its error, or to list them; `meanwhile` time passes."""

    errors: dict[str, Exception] = field(default_factory=dict)
    unlisted: Exception | None = None
    meanwhile: Callable[[], None] = lambda: None

    def running(self) -> Iterator[list[str]]:
        if self.unlisted:
            raise self.unlisted
        return IdleExecutor.running(self)

    def describe(self, task: Task) -> Execution:
        self.meanwhile()
        if task.id in self.errors:
            raise self.errors[task.id]
        return IdleExecutor.describe(self, task)


class FailingStore(MemoryTaskStore):
    """A store that fails to read some tasks, and to postpone all, if it shall."""

    def __init__(self, clock: FixedClock) -> None:
        super().__init__(clock)
        self.unreadable, self.postpones = set[str](), True

    def read(self, owner_key: str, task_id: str) -> Task:
        if task_id in self.unreadable:
            raise RuntimeError
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
        ports = replace(ports, tasks=self.store, backlog=self.store, queue=self.store)
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


@pytest.mark.parametrize(
    ("error", "again"),
    [
        (RuntimeError(), GRACE),
        (UnreadableItem("an item", "damaged"), BETWEEN_CHECKS),
        (ExecutorUnavailable("AccessDeniedException"), GRACE),
    ],
)
def test_a_check_that_fails_is_postponed_and_the_sweep_goes_on(error: Exception, again: timedelta) -> None:
    room = Room()
    first, second, third = [room.crash() for _ in range(3)]
    room.executor.errors[first.id] = error
    room.clock.advance(FIRST_CHECK)

    assert room.reconciler.sweep(limit=ALL) == 2
    assert list(room.executor.started) == [second.id, third.id]
    room.clock.advance(again - timedelta(seconds=1))
    assert first.id not in room.due()
    room.clock.advance(timedelta(seconds=1))
    assert first.id in room.due()


def test_a_check_that_fails_is_logged_with_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    room = Room()
    task = room.crash()
    room.executor.errors[task.id] = RuntimeError("broken")
    room.clock.advance(FIRST_CHECK)

    assert room.reconciler.sweep(limit=ALL) == 0
    (record,) = [record for record in caplog.records if vars(record).get("fallback") == "check_failed"]
    assert record.exc_info is not None
    assert vars(record)["task"] == task.id
    assert "broken" in caplog.text


def test_a_sweep_goes_on_past_a_task_that_can_neither_be_read_nor_postponed() -> None:
    room = Room()
    first, second = room.crash(), room.crash()
    room.store.unreadable.add(first.id)
    room.store.postpones = False
    room.clock.advance(FIRST_CHECK)

    room.reconciler.sweep(limit=ALL)
    assert room.due() == [first.id, second.id]

    room.store.postpones = True
    assert room.reconciler.sweep(limit=ALL) == 1
    assert list(room.executor.started) == [second.id]


def test_a_sweep_that_is_throttled_ends_and_leaves_everything_for_the_next(caplog: pytest.LogCaptureFixture) -> None:
    room = Room()
    first, second = room.crash(), room.crash()
    room.executor.errors[first.id] = ExecutorThrottled("ThrottlingException")
    room.clock.advance(FIRST_CHECK)

    assert room.reconciler.sweep(limit=ALL) == 0
    assert room.due() == [second.id]
    assert "left_to_next_sweep" in [vars(record).get("fallback") for record in caplog.records]

    room.executor.errors.clear()
    room.clock.advance(GRACE)
    assert room.reconciler.sweep(limit=ALL) == 2


def test_a_sweep_without_an_executor_leaves_everything_for_the_next() -> None:
    room = Room()
    task = room.crash()
    room.clock.advance(FIRST_CHECK)
    room.executor.down = True

    assert room.reconciler.sweep(limit=ALL) == 0
    assert room.tasks.get(ADA, task.id).state is State.WORKING
    room.executor.down = False
    room.clock.advance(GRACE)
    assert room.reconciler.sweep(limit=ALL) == 1


def test_a_sweep_ends_in_time_and_leaves_the_rest_for_the_next() -> None:
    room = Room()
    room.executor.meanwhile = lambda: room.clock.advance(timedelta(seconds=110))
    tasks = [room.crash() for _ in range(3)]
    room.clock.advance(FIRST_CHECK)
    began = room.clock.now()

    assert room.reconciler.sweep(limit=ALL) == 2
    assert room.clock.now() - began < LONGEST_SWEEP + timedelta(seconds=20)
    room.executor.meanwhile = lambda: None
    assert room.reconciler.sweep(limit=ALL) == 1
    assert list(room.executor.started) == [task.id for task in tasks]


# --- what is asked of Step Functions


def test_where_many_tasks_are_due_what_runs_is_listed_and_only_the_rest_is_described() -> None:
    room = Room()
    room.start(MAX_DESCRIBED)
    ended, lost = room.start()[0], room.crash()
    room.executor.ended.add(ended.id)
    room.clock.advance(FIRST_CHECK)

    assert room.reconciler.sweep(limit=ALL) == 2
    assert (room.executor.listed, sorted(room.executor.described)) == (1, sorted([ended.id, lost.id]))
    assert room.tasks.get(ADA, ended.id).state is State.FINISHED
    assert lost.id in room.executor.started
    assert room.due() == []


def test_where_few_tasks_are_due_nothing_is_listed() -> None:
    room = Room()
    room.start(MAX_DESCRIBED)
    room.clock.advance(FIRST_CHECK)

    room.reconciler.sweep(limit=ALL)
    assert (room.executor.listed, len(room.executor.described)) == (0, MAX_DESCRIBED)


@pytest.mark.parametrize("error", [ExecutorUnavailable("AccessDeniedException"), ExecutorThrottled("Throttling")])
def test_where_what_runs_cannot_be_listed_it_is_described(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    room = Room()
    room.start(MAX_DESCRIBED + 1)
    room.executor.unlisted = error
    room.clock.advance(FIRST_CHECK)

    assert room.reconciler.sweep(limit=ALL) == 0
    assert len(room.executor.described) == MAX_DESCRIBED + 1
    assert "executions_not_listed" in [vars(record).get("fallback") for record in caplog.records]


def test_the_check_of_a_queued_task_asks_nothing_of_step_functions() -> None:
    room = Room(running=1)
    room.start(3)
    room.clock.advance(FIRST_CHECK)
    described = room.executor.described

    room.reconciler.sweep(limit=ALL)
    assert len(described) == 1
    assert room.due() == []


def test_the_slot_of_work_that_ended_without_a_word_is_free_again_after_the_next_sweep() -> None:
    room = Room(running=1)
    dead, waiting = [room.tasks.start(ADA, long, {}, ttl=DAY) for _ in range(2)]
    room.clock.advance(FIRST_CHECK)
    room.reconciler.sweep(limit=ALL)
    # Both the event of that and the state machine's own catch are lost.
    room.executor.ended.add(dead.id)

    room.clock.advance(BETWEEN_SWEEPS)
    assert room.reconciler.sweep(limit=ALL) == 1

    ended = room.tasks.get(ADA, dead.id)
    assert ended.state is State.FINISHED
    room.reconciler.changed(ADA.owner_key, dead, ended)
    assert room.tasks.get(ADA, waiting.id).state is State.WORKING


def test_a_task_is_looked_at_again_within_the_hour_by_sweeps_of_every_five_minutes() -> None:
    assert BETWEEN_CHECKS + timedelta(minutes=5) + LONGEST_SWEEP < timedelta(hours=1)
