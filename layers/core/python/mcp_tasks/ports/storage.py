"""Where a revision of the protocol keeps state that only it needs."""

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from mcp_tasks.ports.clock import Clock

Store = TypeVar("Store")


class Storage(Protocol):
    """The DynamoDB table, or the memory of this process; a revision has a store of its own for either."""

    def open(self, *, in_table: Callable[[Any], Store], in_memory: Callable[[Clock], Store]) -> Store:
        """Return the store that one of the two makes; only that one is called, and imports its adapter when it is."""
