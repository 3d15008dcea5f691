"""The task store of the harness."""

from collections.abc import Mapping

from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.ports.store import NO_RECORDS, InitialRecords
from mcp_tasks.tasks.keys import IdempotencyKey
from mcp_tasks.tasks.model import JSON, Task
from mcp_tasks.testing.clock import SimulatedClock
from mcp_tasks.testing.steps import Steps


class ObservedStore(MemoryTaskStore):
    """A store in memory that notes the steps which a task has from the call that it was."""

    def __init__(self, clock: SimulatedClock, steps: Steps) -> None:
        super().__init__(clock)
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
        """Add a task, and note its steps."""
        stored = super().create(owner_key, task, arguments, key=key, limit=limit, records=records)
        if stored.id == task.id:
            self._steps.begin_task(task.id, records.steps)
        return stored
