"""Opens a protocol revision's own store in the memory of one process."""

from collections.abc import Callable
from typing import Any, TypeVar

from mcp_tasks.ports.clock import Clock

Store = TypeVar("Store")


class MemoryStorage:
    """The `Storage` of one process: it keeps the stores, since each is the only place where its state is."""

    def __init__(self, clock: Clock) -> None:
        self.stores: dict[Callable[[Clock], Any], Any] = {}
        self._clock = clock

    def open(self, *, in_table: Callable[[Any], Store], in_memory: Callable[[Clock], Store]) -> Store:
        """Return the store that `in_memory` makes, the same one at every call with that function."""
        if in_memory not in self.stores:
            # Atomic, because two threads may open it for the first time at once.
            self.stores.setdefault(in_memory, in_memory(self._clock))
        store: Store = self.stores[in_memory]
        return store
