"""The memory store, with what DynamoDB adds to it: a stream of changes, and counters that can go wrong."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from typing import NamedTuple

from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.ports.clock import Clock
from mcp_tasks.ports.store import InitialRecords
from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.documents import document_of
from mcp_tasks.tasks.model import JSON, InputResponse, Outcome, Task
from mcp_tasks.tasks.stored_bytes import size_of
from mcp_tasks.tasks.transitions import is_final
from tests.simulation.process import CallRecord


class Change(NamedTuple):
    """One record of the table's stream."""

    owner_key: str
    before: Task | None
    after: Task | None

    @property
    def task(self) -> Task:
        task = self.after or self.before
        assert task is not None
        return task

    @property
    def removes(self) -> bool:
        return self.after is None


class Held(NamedTuple):
    """What each tenant and each of its subjects holds of its plan, by our own count: tasks, and bytes that they keep.

    A tenant's `active` tasks are those that its counter says.
    """

    active: Counter[str]
    suspended: Counter[str]
    kept: Counter[str]


class RecordingStore(MemoryTaskStore):
    """A store that keeps its history, and counts a tenant's live tasks instead of looking at them."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self.changes: list[Change] = []
        self.responses: list[tuple[str, str, InputResponse]] = []
        """Task, key and what was written, as often as it was."""
        self.recorded: dict[tuple[str, str], int] = {}
        """When each step of a task was first recorded, in `moments`."""
        self.moments = 0
        self.counts: defaultdict[str, list[int]] = defaultdict(lambda: [0])
        """How many live tasks each tenant was counted, over time."""
        self.holdings: list[Held] = [Held(Counter(), Counter(), Counter())]
        """What is held, over time."""
        self.starts: list[tuple[str, Held]] = []
        """Who started a task, and what was held before."""
        self.call: Callable[[], CallRecord] = CallRecord
        """Returns the record of the call that the process which runs now serves."""
        self._released: set[str] = set()

    def _on_change(self, owner_key: str, before: Task | None, after: Task | None, records: InitialRecords) -> None:
        self.changes.append(Change(owner_key, before, after))
        if before is None:
            self.starts.append((owner_key, self.holdings[-1]))
        self._note(owner_key, before, after, records)
        self._hold()

    def _note(self, owner_key: str, before: Task | None, after: Task | None, records: InitialRecords) -> None:
        if after is None:
            return
        if before is None:
            self._count(owner_key, 1)
            self._record_call(after)
            return
        self.responses += [(after.id, name, each) for name, each in records.responses.items()]
        if is_final(after) and not is_final(before):
            self._count(owner_key, -1)

    def _record_call(self, task: Task) -> None:
        """Record what the call did and was answered that became the task, whether or not the task was given it."""
        call = self.call()
        call.tasks.append(task.id)
        self.responses += [(task.id, name, InputResponse(result=each)) for name, each in call.responses.items()]
        for step in call.steps:
            self._record_moment(task.id, step)

    def record(self, owner_key: str, task: Task, step: str, value: JSON) -> JSON:
        kept = super().record(owner_key, task, step, value)
        self._record_moment(task.id, step)
        return kept

    def release(self, owner_key: str, task_id: str, task: Task | None = None) -> None:
        if task_id not in self._released:
            self._released.add(task_id)
            self._count(owner_key, -1)
            self._hold()

    # --- what there is

    def tasks(self) -> list[tuple[str, Task]]:
        """Return every task that is stored, expired or not, in the order of creation, and whose it is."""
        return [(owner_key, record.task) for (owner_key, _), record in self._records.items()]

    def lives(self, task: Task) -> bool:
        """Return whether somebody who reads the task finds it."""
        return task.expires_at > self._clock.now()

    def is_kept(self, task_id: str) -> bool:
        """Return whether somebody who reads a task of this id finds it."""
        return any(task.id == task_id and self.lives(task) for _, task in self.tasks())

    def is_over(self, task_id: str) -> bool:
        """Return whether a task is final, or gone."""
        return all(is_final(task) or not self.lives(task) for _, task in self.tasks() if task.id == task_id)

    def stored_steps(self, owner_key: str, task_id: str) -> Mapping[str, str]:
        """Return what the steps of a task recorded, as JSON."""
        return self._records[owner_key, task_id].steps

    def stored_outcome(self, owner_key: str, task_id: str) -> Outcome | None:
        """Return the outcome of a task, expired or not."""
        return self._records[owner_key, task_id].outcome

    def is_released(self, task_id: str) -> bool:
        """Return whether a task that was deleted while it lived is counted no more."""
        return task_id in self._released

    def moment(self) -> int:
        """Return a number that rises whenever anybody asks for it."""
        self.moments += 1
        return self.moments

    def _record_moment(self, task_id: str, step: str) -> None:
        self.recorded.setdefault((task_id, step), self.moment())

    def _hold(self) -> None:
        held = Held(Counter({tenant: counts[-1] for tenant, counts in self.counts.items()}), Counter(), Counter())
        for (owner_key, _), record in self._records.items():
            outcome = 0 if record.outcome is None else size_of(document_of(record.outcome))
            held.active[owner_key] += not is_final(record.task)
            for owner in (tenant_of(owner_key), owner_key):
                held.suspended[owner] += bool(record.task.input_requests)
                held.kept[owner] += size_of(record.arguments) + outcome
        self.holdings.append(held)

    def _count(self, owner_key: str, change: int) -> None:
        self.counts[tenant_of(owner_key)].append(self._active(owner_key) + change)

    def _active(self, owner_key: str) -> int:
        return self.counts[tenant_of(owner_key)][-1]
