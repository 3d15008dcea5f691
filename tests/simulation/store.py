"""The memory store, with what DynamoDB adds to it: a stream of changes, and a count of each tenant's live tasks."""

from collections.abc import Callable, Mapping

from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.ports.clock import Clock
from mcp_tasks.ports.store import InitialRecords
from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.documents import document_of
from mcp_tasks.tasks.inbox import InboxItem
from mcp_tasks.tasks.model import JSON, Outcome, Task
from mcp_tasks.tasks.stored_bytes import size_of
from mcp_tasks.tasks.transitions import is_final
from tests.simulation.history import Change, History, Part
from tests.simulation.reckoning import expires_at


class RecordingStore(History, MemoryTaskStore):
    """A store that keeps its history, and counts a tenant's live tasks instead of looking at them."""

    def __init__(self, clock: Clock) -> None:
        History.__init__(self, clock)
        MemoryTaskStore.__init__(self, clock)

    def _on_change(self, owner_key: str, before: Task | None, after: Task | None, records: InitialRecords) -> None:
        self._note_change(Change(owner_key, before, after))
        if before is None and after is not None:
            self._count(owner_key, 1)
            self._note_start(owner_key, after)
        elif after is not None and before is not None:
            self.responses += [(after.id, name, each) for name, each in records.responses.items()]
            if is_final(after) and not is_final(before):
                self._count(owner_key, -1)
        self._hold()

    def _mark(self, owner_key: str, task_id: str, mark: Callable[[Task], Task | None]) -> bool:
        def noted(task: Task) -> Task | None:
            marked = mark(task)
            if marked is not None:
                self._note_lease(task, marked)
            return marked

        return super()._mark(owner_key, task_id, noted)

    def record(self, owner_key: str, task: Task, step: str, value: JSON) -> JSON:
        kept = super().record(owner_key, task, step, value)
        self._record_moment(task.id, step)
        return kept

    def release(self, owner_key: str, task_id: str, task: Task | None = None) -> None:
        if task_id not in self._released:
            self._released.add(task_id)
            self._count(owner_key, -1)
            self._hold()

    def remove(self, owner_key: str, task_id: str) -> None:
        """Delete what has expired, as DynamoDB's TTL does."""
        self.discard(owner_key, task_id)

    def tasks(self) -> list[tuple[str, Task]]:
        return [(owner_key, record.task) for (owner_key, _), record in self._records.items()]

    def stored_steps(self, owner_key: str, task_id: str) -> Mapping[str, str]:
        return self._records[owner_key, task_id].steps

    def stored_outcome(self, owner_key: str, task_id: str) -> Outcome | None:
        return self._records[owner_key, task_id].outcome

    def inbox_items(self) -> Mapping[str, tuple[str, InboxItem]]:
        return {item_id: (tenant, item) for (tenant, item_id), item in self.inbox._items.items()}

    def due_checks(self, limit: int) -> list[tuple[float, Task]]:
        due = [self._records[place] for place in self.due(limit=limit)]
        return [(record.check_at.timestamp(), record.task) for record in due]

    def bytes_kept(self) -> list[Part]:
        found = []
        for (owner_key, _), record in self._records.items():
            outcome = 0 if record.outcome is None else size_of(document_of(record.outcome))
            found.append(Part(owner_key, size_of(record.arguments) + outcome, expires_at(record.task)))
        return found

    def _count(self, owner_key: str, change: int) -> None:
        self.counts[tenant_of(owner_key)].append(self._active(owner_key) + change)

    def _active(self, owner_key: str) -> int:
        return self.counts[tenant_of(owner_key)][-1]
