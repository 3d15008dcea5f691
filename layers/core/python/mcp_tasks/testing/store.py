"""The task store of the harness, with a stream of its changes, as the DynamoDB table has one."""

from collections.abc import Callable
from datetime import datetime

from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.ports.store import InitialRecords
from mcp_tasks.tasks.model import Task
from mcp_tasks.testing.clock import SimulatedClock
from mcp_tasks.testing.steps import Steps


class ObservedStore(MemoryTaskStore):
    """A store in memory that reports its changes to `listener`, and the steps of a task that is new."""

    def __init__(self, clock: SimulatedClock, steps: Steps) -> None:
        super().__init__(clock)
        self.listener: Callable[[str, Task | None, Task], object] = lambda owner_key, before, after: None
        self._steps = steps

    def _on_change(self, owner_key: str, before: Task | None, after: Task | None, records: InitialRecords) -> None:
        if after is None:
            return
        if before is None:
            self._steps.begin_task(after.id, records.steps)
        self.listener(owner_key, before, after)

    def next_check(self) -> datetime | None:
        """Return when the sweep is to check the next of the live tasks, or None if there are none."""
        return min((self._records[at].check_at for at in self.live.keys), default=None)
