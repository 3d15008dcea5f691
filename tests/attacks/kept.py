"""All that the table holds at a moment, to compare with and to go back to."""

from dataclasses import dataclass
from typing import Any, Self

from mcp_tasks.testing.state_machines.resources import client
from tests.harness.table import HarnessTable

Item = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The items of a table, by their keys."""

    table: HarnessTable
    items: dict[tuple[str, ...], Item]

    @classmethod
    def of(cls, table: HarnessTable) -> Self:
        """Return what the table holds now."""
        return cls(table=table, items={tuple(item[name]["S"] for name in table.key): item for item in table.items()})

    def changed(self) -> set[tuple[str, ...]]:
        """Return the keys of the items that are new, gone or different now."""
        now = Kept.of(self.table).items
        return {key for key in now.keys() | self.items.keys() if now.get(key) != self.items.get(key)}

    def put_back(self, kinds: tuple[str, ...] = ("",)) -> set[tuple[str, ...]]:
        """Undo what was changed since, of items of these kinds, and return their keys."""
        changed = {key for key in self.changed() if key[1].startswith(kinds)}
        for key in changed:
            if key in self.items:
                client("dynamodb").put_item(TableName=self.table.name, Item=self.items[key])
            else:
                named = {name: {"S": value} for name, value in zip(self.table.key, key, strict=True)}
                client("dynamodb").delete_item(TableName=self.table.name, Key=named)
        return changed
