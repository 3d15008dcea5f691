"""The state of revisions in memory, for one process."""

from collections.abc import Callable
from typing import Any, TypeVar

from mcp_tasks.ports.clock import Clock

Store = TypeVar("Store")


class MemoryStorage:
    """The stores that revisions opened, each of them once; see `Storage`."""

    def __init__(self, clock: Clock) -> None:
        """Start empty."""
        self.stores: dict[Callable[[Clock], Any], Any] = {}
        self._clock = clock

    def open(self, *, in_table: Callable[[Any], Store], in_memory: Callable[[Clock], Store]) -> Store:
        """Return the store in memory that this function made first; see `Storage`."""
        if in_memory not in self.stores:
            # In one step: two requests may be the first at the same moment.
            self.stores.setdefault(in_memory, in_memory(self._clock))
        store: Store = self.stores[in_memory]
        return store
