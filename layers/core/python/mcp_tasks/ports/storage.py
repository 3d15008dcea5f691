"""Where a revision of the protocol keeps state that only it needs."""

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from mcp_tasks.ports.clock import Clock

Store = TypeVar("Store")


class Storage(Protocol):
    """The DynamoDB table, or the memory of this process; a revision brings a store of its own for each."""

    def open(self, *, in_table: Callable[[Any], Store], in_memory: Callable[[Clock], Store]) -> Store:
        """Return the store that one of both makes; only that one is called, so that it can import its adapter."""
