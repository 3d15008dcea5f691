"""The task store of the harness, with a stream of its changes, as the DynamoDB table has one."""

from collections.abc import Callable, Mapping
from datetime import datetime

from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.ports.store import NO_RECORDS, InitialRecords
from mcp_tasks.tasks.keys import IdempotencyKey
from mcp_tasks.tasks.model import JSON, InputResponse, Outcome, Task
from mcp_tasks.tasks.transitions import is_final
from mcp_tasks.testing.clock import SimulatedClock
from mcp_tasks.testing.steps import Steps


class ObservedStore(MemoryTaskStore):
    """A store in memory that reports its changes to `on_change`, and the steps of a task that is new."""

    def __init__(self, clock: SimulatedClock, steps: Steps) -> None:
        super().__init__(clock)
        self.on_change: Callable[[str, Task | None, Task], object] = lambda owner_key, before, after: None
        self._steps = steps

    def create(
        self,
        owner_key: str,
        task: Task,
        arguments: Mapping[str, JSON],
        *,
        key: IdempotencyKey | None,
        limit: int,
        records: InitialRecords = NO_RECORDS,
    ) -> Task:
        """Add a task, and report it."""
        stored = super().create(owner_key, task, arguments, key=key, limit=limit, records=records)
        if stored.id == task.id:
            self._steps.begin_task(task.id, records.steps)
            self.on_change(owner_key, None, stored)
        return stored

    def write(
        self,
        owner_key: str,
        before: Task,
        after: Task,
        outcome: Outcome | None = None,
        responses: Mapping[str, InputResponse] = NO_RECORDS.responses,
    ) -> None:
        """Replace a task, and report it."""
        super().write(owner_key, before, after, outcome, responses)
        self.on_change(owner_key, before, after)

    def next_check(self) -> datetime | None:
        """Return when the sweep is to check the next of the live tasks, or None if there are none."""
        return min((record.check_at for record in self._records.values() if not is_final(record.task)), default=None)
