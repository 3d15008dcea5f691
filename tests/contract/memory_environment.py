"""The same environment in memory, for model tests that run thousands of sequences."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from mcp_tasks.adapters.memory.task_store import MemoryTaskStore
from mcp_tasks.adapters.stepfunctions import StepFunctionsExecutor
from mcp_tasks.features.tools import Toolbox
from mcp_tasks.ports import Ports
from mcp_tasks.ports.store import InitialRecords
from mcp_tasks.tasks.model import JSON, InputResponse, Task
from mcp_tasks.tasks.transitions import is_final
from tests.contract.process import Fuse, Process
from tests.contract.step_functions import ARN, Machine
from tests.kit import BusyWaiter, FixedClock, memory_ports, tickets


class RecordingStore(MemoryTaskStore):
    """A store that remembers every change, as the table's stream does, and every response."""

    def __init__(self, clock: FixedClock) -> None:
        super().__init__(clock)
        self.changes: list[tuple[str, Task | None, Task | None]] = []
        self.responses: list[tuple[str, InputResponse]] = []

    def _on_change(self, owner_key: str, before: Task | None, after: Task | None, records: InitialRecords) -> None:
        self.changes.append((owner_key, before, after))
        if after is not None:
            self.responses += [(f"{after.id} {key}", response) for key, response in records.responses.items()]


@dataclass(slots=True, kw_only=True)
class MemoryEnvironment:
    """The store and the state machine that all processes share."""

    clock: FixedClock
    machine: Machine
    tools: Toolbox
    store: RecordingStore = field(init=False)

    def __post_init__(self) -> None:
        self.store = RecordingStore(self.clock)

    def process(self, fuse: Fuse | None = None) -> Process:
        """Start a process, with fresh adapters."""
        fuse = fuse or Fuse()
        store: Any = fuse.around(self.store)
        usual = memory_ports(self.clock)
        ports = Ports(
            clock=self.clock,
            tasks=store,
            queue=store,
            backlog=store,
            inbox=lambda: store.inbox,
            executor=StepFunctionsExecutor(
                client=lambda: fuse.around(self.machine), machines={"run_tool": ARN}, tickets=tickets(self.clock)
            ),
            waiter=BusyWaiter(clock=self.clock),
            storage=usual.storage,
            change_feed=usual.change_feed,
            keys=usual.keys,
            plans=usual.plans,
            buckets=usual.buckets,
            held_waits=usual.held_waits,
        )
        return Process.of(ports, self.tools)

    # --- what there is

    def stored(self) -> list[tuple[str, Task]]:
        """Return every stored task that is not expired, and its owner key."""
        tasks = [(owner_key, record.task) for (owner_key, _), record in self.store._records.items()]
        return [(owner_key, task) for owner_key, task in tasks if task.expires_at > self.clock.now()]

    def counted(self) -> int:
        """Return how many tasks are counted, which here are those that live."""
        return sum(not is_final(task) for _, task in self.stored())

    def executions(self) -> dict[str, str]:
        """Return the status of each execution by its name."""
        return {name: execution.status for name, execution in self.machine.executions.items()}

    def histories(self) -> list[list[Task]]:
        """Return all versions that each task ever had."""
        found: dict[str, list[Task]] = {}
        for _, _, task in self.store.changes:
            if task is not None:
                found.setdefault(task.id, []).append(task)
        return list(found.values())

    def responses(self) -> list[tuple[str, JSON]]:
        """Return the key and the value of every write of a response."""
        return list(self.store.responses)

    # --- what happens by itself

    def forget(self, task: Task, owner_key: str) -> None:
        """Delete a task that has expired."""
        self.store.discard(owner_key, task.id)

    # --- who reconciles

    def deliver_stream(self, process: Process) -> None:
        """Deliver every change of the store to the reconciler."""
        for change in list(self.store.changes):
            process.reconciler.changed(*change)

    def deliver_status_changes(self, process: Process) -> None:
        """Deliver the status change of every execution that has ended."""
        for name, execution in self.machine.executions.items():
            if execution.status != "RUNNING":
                process.execution_outcomes.ended(execution.names[0], name, execution.status)

    def sweep(self, process: Process) -> None:
        """Let a minute pass, and sweep."""
        self.clock.advance(timedelta(minutes=1))
        process.reconciler.sweep(limit=100)
