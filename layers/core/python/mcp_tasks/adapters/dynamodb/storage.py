"""The state of revisions in the task table."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from mcp_tasks.adapters.dynamodb.table import Table

Store = TypeVar("Store")


@dataclass(frozen=True, slots=True, kw_only=True)
class TableStorage:
    """Stores that keep their items in the table; see `Storage`."""

    table: Table

    def open(self, *, in_table: Callable[[Table], Store], in_memory: Callable[[Any], Store]) -> Store:
        """Return a store on the table; see `Storage`."""
        return in_table(self.table)
