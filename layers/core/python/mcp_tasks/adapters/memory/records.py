"""What is stored of each task, in the memory of one process."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from mcp_tasks.adapters.memory.live import LiveTasks
from mcp_tasks.adapters.memory.shelves import NEVER, Shelves
from mcp_tasks.adapters.memory.start_limits import StoredBytes
from mcp_tasks.ports.clock import Clock
from mcp_tasks.tasks.model import JSON, InputResponse, Outcome, Task
from mcp_tasks.tasks.stored_bytes import kept_until
from mcp_tasks.tasks.transitions import is_final


@dataclass(slots=True, kw_only=True)
class Record:
    """A task, and what is stored beside it."""

    task: Task
    arguments: Mapping[str, JSON]
    check_at: datetime
    outcome: Outcome | None = None
    steps: dict[str, str] = field(default_factory=dict)
    responses: dict[str, InputResponse] = field(default_factory=dict)
    notified: dict[str, int] = field(default_factory=dict)
    stored: int = 0


class Records(Shelves[Record]):
    """The records by owner key and task id, and what all of them hold of the plans of their tenants.

    The record of a task that has ended goes when the task expires, or an hour later where its bytes count as long; that
    of a live one stays until it is dropped.
    """

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self.live = LiveTasks(clock)
        self.stored = StoredBytes()

    def keep(self, owner_key: str, record: Record) -> None:
        """Store a record in place of the one that the task had."""
        task, known = record.task, self.get((owner_key, record.task.id))
        if known is not None:
            self._forgotten(owner_key, known)
        self.live.add(owner_key, task)
        self.stored.add(owner_key, kept_until(task), record.stored)
        expires_at = kept_until(task) if record.stored else task.expires_at
        self.put(owner_key, task.id, record, expires_at if is_final(task) else NEVER)

    def drop(self, owner_key: str, task_id: str) -> None:
        """Forget a record."""
        if (record := self.pop(owner_key, task_id)) is not None:
            self._forgotten(owner_key, record)

    def _forgotten(self, shelf: str, value: Record) -> None:
        self.live.remove(shelf, value.task)
        self.stored.add(shelf, kept_until(value.task), -value.stored)
