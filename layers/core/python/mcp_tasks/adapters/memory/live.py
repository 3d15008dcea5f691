"""What the tasks of a process hold of their plans, counted as they change."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from mcp_tasks.adapters.memory.shelves import Shelves
from mcp_tasks.ports.clock import Clock
from mcp_tasks.security.tenancy import tenant_of
from mcp_tasks.tasks.model import State, Task
from mcp_tasks.tasks.transitions import is_final

LIVE: Final = "live"
SHARED: Final = "shared"
SLOT: Final = "slot"
PLACE: Final = "place"
QUEUED: Final = "queued"
SUSPENDED: Final = "suspended"

Place = tuple[str, bool, str]
"""Of a queued task in its tenant: by subject, and of each subject those first that were begun, and older first."""


def place_of(owner_key: str, task: Task) -> Place:
    """Return the place of a task in the queue of its tenant."""
    return owner_key, not task.was_begun, task.id


class LiveTasks:
    """Counts by tenant and by subject, the queue of each tenant, and the tasks of each session that await input.

    Of the last two it has when they expire.
    """

    def __init__(self, clock: Clock) -> None:
        self.of_tenant: Counter[tuple[str, str]] = Counter()
        self.of_subject: Counter[tuple[str, str]] = Counter()
        self.queue: Shelves[datetime] = Shelves(clock)
        self.asking: Shelves[datetime] = Shelves(clock)
        self.keys: dict[tuple[str, str], None] = {}

    def add(self, owner_key: str, task: Task) -> None:
        """Count a task."""
        self._count(owner_key, task, 1)
        if not is_final(task):
            self.keys[owner_key, task.id] = None
        if task.state is State.QUEUED and task.holding.queue is not None:
            self.queue.put(tenant_of(owner_key), place_of(owner_key, task), task.expires_at)
        if task.state is State.INPUT_REQUIRED:
            self.asking.put((owner_key, task.session), task.id, task.expires_at)

    def remove(self, owner_key: str, task: Task) -> None:
        """Stop counting a task, given as it was added."""
        self._count(owner_key, task, -1)
        self.keys.pop((owner_key, task.id), None)
        self.queue.pop(tenant_of(owner_key), place_of(owner_key, task))
        self.asking.pop((owner_key, task.session), task.id)

    def tenants_with(self, held: str) -> set[str]:
        """Return the tenants whose tasks hold something."""
        return {tenant for tenant, each in self.of_tenant if each == held}

    def _count(self, owner_key: str, task: Task, number: int) -> None:
        for counts, scope in ((self.of_tenant, tenant_of(owner_key)), (self.of_subject, owner_key)):
            for held in _held(task):
                counts[scope, held] += number
                if not counts[scope, held]:
                    del counts[scope, held]


def _held(task: Task) -> Iterator[str]:
    holding = task.holding
    if not is_final(task):
        yield LIVE
        if holding.active:
            yield SHARED
    if holding.slot is not None:
        yield SLOT
    if holding.queue is not None:
        yield PLACE
    if task.state is State.QUEUED:
        yield QUEUED
    if holding.suspended:
        yield SUSPENDED
