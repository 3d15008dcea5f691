"""Opens a protocol revision's own store on the task table."""

from collections.abc import Callable
from typing import Any, TypeVar

from mcp_tasks.adapters.dynamodb.table import Table
from mcp_tasks.records import record

Store = TypeVar("Store")


@record
class TableStorage:
    """The `Storage` of a deployment: every store keeps its items in the one table."""

    table: Table

    def open(self, *, in_table: Callable[[Table], Store], in_memory: Callable[[Any], Store]) -> Store:
        """Return the store that `in_table` makes of the table."""
        return in_table(self.table)
